"""What an evaluation found: one frozen object, readable, and the same after a trip through JSON."""

import json
from dataclasses import asdict, dataclass
from typing import Any, Self, get_args, get_origin, get_type_hints

import numpy as np

from goldless.ranks import FloatArray


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Everything that was found about the methods, in the order of the columns.

    Attributes
    ----------
    methods : tuple of str
        Names of the methods.
    n_samples : int
        Number of samples.
    auroc : ndarray of shape (n_methods,)
        Estimated AUROC of each method.
    weights : ndarray of shape (n_methods,)
        Weight of each method in the combined score.
    coverage : ndarray of shape (n_methods,)
        Share of the samples that the method scored.
    prevalence : float
        Estimated, or given, share of positive samples.
    prevalence_given : bool
        Whether the prevalence came from the user.
    strength : float
        λ, the size of the common signal, to be compared with `chance`.
    chance : float
        The λ that methods without any signal would reach.
    skew : float
        τ, the third moment along the weights, which carries the prevalence.
    duplicates : tuple of pairs of str
        Methods that rank all samples identically.
    solver : str
        How the rank-one matrix was completed.
    n_iter : int
        Steps that the solver took.
    converged : bool
        Whether the solver settled.
    certificate : float or None
        Smallest eigenvalue of the completed matrix (solver "sdp"): optimal at zero.

    Examples
    --------
    >>> import goldless as gl
    >>> found = gl.evaluate(gl.simulate(random_state=0).scores)
    >>> round(found.prevalence, 2)
    0.5
    >>> gl.Evaluation.from_json(found.to_json()) == found
    True
    """

    methods: tuple[str, ...]
    n_samples: int
    auroc: FloatArray
    weights: FloatArray
    coverage: FloatArray
    prevalence: float
    prevalence_given: bool
    strength: float
    chance: float
    skew: float
    duplicates: tuple[tuple[str, str], ...]
    solver: str
    n_iter: int
    converged: bool
    certificate: float | None

    @property
    def has_signal(self) -> bool:
        """Whether the methods agree more than chance would make them."""
        return self.strength > self.chance

    def leaderboard(self) -> dict[str, Any]:
        """Give the columns of the leaderboard, best method first."""
        best_first = np.argsort(-self.auroc, kind="stable")
        return {
            "method": [self.methods[i] for i in best_first],
            "auroc": self.auroc[best_first],
            "weight": self.weights[best_first],
            "coverage": self.coverage[best_first],
        }

    def to_dict(self) -> dict[str, Any]:
        """Give the evaluation as plain Python values."""
        return asdict(self, dict_factory=_plain)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Build an evaluation from what `to_dict` gave."""
        return _restored(cls, values)

    def to_json(self) -> str:
        """Give the evaluation as JSON text."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Build an evaluation from what `to_json` gave."""
        return cls.from_dict(json.loads(text))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Evaluation) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __str__(self) -> str:
        board = self.leaderboard()
        width = max(6, *map(len, board["method"]))
        lines = [f"{'method':<{width}}  AUROC  weight  coverage"]
        lines += [
            f"{method:<{width}}  {auroc:.3f}  {weight:6.3f}  {coverage:8.0%}"
            for method, auroc, weight, coverage in zip(*board.values(), strict=True)
        ]
        return "\n".join([self._summary(), "", *lines])

    def _summary(self) -> str:
        """Say in words what was found, and what stands in the way of believing it."""
        source = "given" if self.prevalence_given else "estimated"
        sentences = [
            f"{len(self.methods)} methods on {self.n_samples} samples, judged without labels.",
            f"Prevalence of the positive class: {self.prevalence:.3f} ({source}).",
            "The figures hold if the methods err independently within each class, and most are better than chance.",
        ]
        if not self.has_signal:
            sentences.append("The methods agree no more than chance: do not rely on these figures.")
        if self.duplicates:
            pairs = ", ".join(" = ".join(pair) for pair in self.duplicates)
            sentences.append(f"Identical rankings, which are not independent: {pairs}.")
        if not self.converged:
            sentences.append(f"The fit did not settle within {self.n_iter} steps.")
        return " ".join(sentences)


def _plain(items: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in items}


def _restored(kind: Any, value: Any) -> Any:
    """Build a value of a type from its plain form: arrays, tuples, frozen objects, or what is plain already."""
    if value is None:
        return None
    if hasattr(kind, "__dataclass_fields__"):
        hints = get_type_hints(kind)
        return kind(**{name: _restored(hints[name], part) for name, part in value.items()})
    if get_origin(kind) is np.ndarray:
        return np.array(value)
    if get_origin(kind) is tuple:
        return tuple(_restored(get_args(kind)[0], part) for part in value)
    options = [option for option in get_args(kind) if option is not type(None)]
    return _restored(options[0], value) if options else value
