"""What an evaluation found: one frozen object, readable, and the same after a trip through JSON."""

import html
import json
import platform
import textwrap
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self, get_args, get_origin, get_type_hints

import numpy as np
import scipy

import goldless
from goldless.drafts import whole
from goldless.ranks import FloatArray

#: Overstatement of the AUROCs that is worth a figure of two decimals.
NOTABLE = 0.005


class Frozen:
    """Base of results: their arrays are as frozen as they are."""

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)


@dataclass(frozen=True, eq=False)
class Consensus(Frozen):
    """How likely a sample is positive, as a function of its methods' normal scores, by the "shared" model.

    Attributes
    ----------
    weights, precision : ndarray of shape (n_methods,)
        Weight of each method's normal score, and what it adds to the precision of the sum.
    centre, scale : float
        By which the sum is standardised.
    posterior : ndarray
        Probability of the positive class in bins of the standardised sum from -5 to 5.
    """

    weights: FloatArray
    precision: FloatArray
    centre: float
    scale: float
    posterior: FloatArray


@dataclass(frozen=True, eq=False)
class Agreement(Frozen):
    """How the methods agree, beside what the fit explains of it.

    Attributes
    ----------
    shown : tuple of int
        Columns of the methods that are shown: all, or of many those that play the largest part.
    covariance : ndarray of shape (n_shown, n_shown)
        Second moments of their normalised ranks; NaN where two methods share no sample.
    common : ndarray of shape (n_shown,)
        The fit: its product with itself is the rank-one part.
    """

    shown: tuple[int, ...]
    covariance: FloatArray
    common: FloatArray


@dataclass(frozen=True, eq=False)
class ScoreDistribution(Frozen):
    """The combined score, and how much of it belongs to the positive class.

    Attributes
    ----------
    edges : ndarray of shape (n_bins + 1,)
        Edges of the bins.
    share, positive : ndarray of shape (n_bins,)
        Share of the samples in each bin, and of those that are positive, by the posterior.
    """

    edges: FloatArray
    share: FloatArray
    positive: FloatArray


@dataclass(frozen=True, eq=False)
class Growth(Frozen):
    """What the best methods reach together, by their number.

    Attributes
    ----------
    n_methods : tuple of int
        How many methods, the best first, are combined.
    auroc : ndarray
        AUROC of their combined score.
    """

    n_methods: tuple[int, ...]
    auroc: FloatArray


@dataclass(frozen=True, eq=False)
class Pictures(Frozen):
    """What figures show of the rows.

    Attributes
    ----------
    agreement : Agreement
        How the methods agree.
    scores : ScoreDistribution
        The combined score by class.
    growth : Growth
        AUROC that the best methods are expected to reach together, by their number.
    """

    agreement: Agreement
    scores: ScoreDistribution
    growth: Growth


@dataclass(frozen=True, eq=False)
class Calibration(Frozen):
    """The posterior beside the labels, in bins of equally many samples.

    Attributes
    ----------
    predicted, observed : ndarray
        Mean posterior, and share of positive samples.
    n_samples : ndarray
        Samples in each bin.
    """

    predicted: FloatArray
    observed: FloatArray
    n_samples: FloatArray


@dataclass(frozen=True, eq=False)
class Truth(Frozen):
    """What labels say of the methods, beside what was found.

    Attributes
    ----------
    n_samples : int
        Number of labelled samples.
    prevalence : float
        Share of positive samples among them.
    auroc : ndarray of shape (n_methods,)
        AUROC of each method; NaN where a method scored no sample of a class.
    mean_rank : float
        AUROC of the plain average of the ranks.
    growth : Growth
        AUROC of the best methods (as found) together, by their number; the last is that of the combined score.
    calibration : Calibration
        The posterior beside the labels.
    """

    n_samples: int
    prevalence: float
    auroc: FloatArray
    mean_rank: float
    growth: Growth
    calibration: Calibration

    @property
    def ensemble(self) -> float:
        """AUROC of the combined score."""
        return float(self.growth.auroc[-1])

    @property
    def best_single(self) -> float:
        """AUROC of the best method."""
        return float(np.nanmax(self.auroc))


@dataclass(frozen=True, eq=False)
class Residual(Frozen):
    """What the fit leaves of the agreement of two methods.

    Attributes
    ----------
    methods : tuple of two str
        The methods.
    correlation : float
        Their correlation within the classes, as the fit leaves it; negative where they agree less than it says.
    z : float
        In standard errors.
    """

    methods: tuple[str, ...]
    correlation: float
    z: float


@dataclass(frozen=True, eq=False)
class Diagnosis(Frozen):
    """Whether the methods err independently within the classes, judged without labels; `str()` says it in words.

    Attributes
    ----------
    finding : str
        "plausible", "doubtful" or "violated"; "unknown" where the methods agree no more than chance.
    binary_factor : float or None
        B = κ - s²: 1 where methods agree through the label alone, larger where they share more. None for fewer
        than 5 methods, and where they agree no more than chance.
    binary_factor_error : float or None
        Its standard error.
    p_value : float
        Probability of so large a B under independence.
    pairs_p_value : float
        Probability, under independence, of a pair that stands out of the fit as the largest does.
    pairs : tuple of pairs of str
        Methods that agree significantly more than the fit allows, the strongest first, ten at most.
    residuals : tuple of Residual
        The largest residuals of the fit in standard errors, of either sign, ten at most.
    groups : tuple of tuples of str
        Clusters of such methods.
    duplicates : tuple of pairs of str
        Methods that rank all samples identically.
    near_duplicates : tuple of pairs of str
        Other methods whose rankings correlate at .99 or more.
    reversed : tuple of str
        Methods whose AUROC lies below 1/2 with its whole interval.
    dominant : str or None
        The method that outdoes all others together (eq:perf), if there is one.
    effective_methods : float
        Number of independent methods that would be worth as much.
    prevalence_identified : bool
        Whether the interval of the prevalence is narrower than 1/2.
    overstatement : float
        By how much the mean AUROC found under independence exceeds the one without; 0 where it is plausible.
    caution : float
        How far model "auto" moves from the independent answer, 0 to 1.
    second_opinion : float or None
        Mean difference of the AUROCs from those that follow if the scores are calibrated probabilities; None
        where they are no probabilities.
    """

    finding: str
    binary_factor: float | None
    binary_factor_error: float | None
    p_value: float
    pairs_p_value: float
    pairs: tuple[tuple[str, str], ...]
    residuals: tuple[Residual, ...]
    groups: tuple[tuple[str, ...], ...]
    duplicates: tuple[tuple[str, str], ...]
    near_duplicates: tuple[tuple[str, str], ...]
    reversed: tuple[str, ...]
    dominant: str | None
    effective_methods: float
    prevalence_identified: bool
    overstatement: float
    caution: float
    second_opinion: float | None

    @property
    def verdict(self) -> str:
        """The finding in words."""
        if self.finding == "violated" and self.overstatement < NOTABLE:
            return "violated, though AUROCs found under independence are hardly overstated on average"
        if self.finding == "violated":
            return f"violated: AUROCs found under independence are overstated by about {self.overstatement:.2f}"
        return {
            "plausible": "independence plausible",
            "doubtful": "doubtful",
            "unknown": "not known, as the methods agree no more than chance",
        }[self.finding]

    @property
    def advice(self) -> str:
        """What to do about it."""
        if self.finding == "plausible":
            return "The AUROCs can be taken with their intervals."
        if self.finding == "unknown":
            return "Add methods or samples."
        if self.finding == "doubtful":
            return 'Compare with model="shared"; label a few samples if the decision is important.'
        advice = 'model="auto" allows for it. Label some samples: ten help already.'
        return advice + (" Keep one method of each group." if self.groups else "")

    def __str__(self) -> str:
        sentences = [f"Independence of the methods within the classes: {self.verdict}."]
        if self.binary_factor is not None:
            sentences.append(
                f"The factor that the methods share has B = {self.binary_factor:.2f} ± {self.binary_factor_error:.2f} "
                f"(1 if it is the label alone; p = {self.p_value:.2g})."
            )
        sentences += self._oddities()
        sentences.append(
            f"For combining they are worth about {self.effective_methods:.1f} independent methods. {self.advice}"
        )
        return " ".join(sentences)

    def _alike(self) -> list[str]:
        """Say which methods agree more than the others."""
        said = []
        if self.groups:
            said.append("Agree among themselves: " + "; ".join(_listed(group) for group in self.groups) + ".")
        elif self.pairs:
            left = {residual.methods: f" (correlation {residual.correlation:.2f})" for residual in self.residuals}
            pairs = [" and ".join(pair) + left.get(pair, "") for pair in self.pairs[:3]]
            said.append("Agree more than the rest: " + "; ".join(pairs) + ".")
        if self.duplicates:
            said.append("Identical rankings: " + ", ".join(" = ".join(pair) for pair in self.duplicates) + ".")
        if self.near_duplicates:
            nearly = ", ".join(" and ".join(pair) for pair in self.near_duplicates[:3])
            said.append(f"Nearly the same rankings: {nearly}.")
        return said

    def _oddities(self) -> list[str]:
        """Say what else stands out."""
        said = self._alike()
        if self.reversed:
            said.append(f"Worse than chance, perhaps reversed: {_listed(self.reversed)}.")
        if self.dominant is not None:
            said.append(f"{self.dominant} outdoes all others together, so its own AUROC is hardly tested by them.")
        if not self.prevalence_identified:
            said.append("The prevalence is not identified: give it, if you know it.")
        if self.second_opinion is not None:
            said.append(
                'All scores lie in [0, 1]. If they are calibrated probabilities (model="calibrated"), the AUROCs '
                f"differ by {self.second_opinion:.2f} on average."
            )
        return said


@dataclass(frozen=True, eq=False)
class Evaluation(Frozen):
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
    equal_weight : float
        What of the weights goes to the mean rank of the methods that scored a sample.
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
    level : float
        Level of the intervals.
    auroc_interval, weights_interval : ndarray of shape (n_methods, 2)
        Intervals of the AUROCs and of the weights.
    prevalence_interval : ndarray of shape (2,)
        Interval of the prevalence.
    model : str
        What was assumed: "independent", "shared" or "calibrated"; "auto" lies between the first two.
    refined : bool or None
        Whether the likelihood was used; None where there were too few samples for it.
    averaged : bool
        Whether the likelihood left the prevalence so open that the answer is an average over it.
    caution : float
        How far the answer lies from the independent (0) to the shared one (1).
    n_labels : int
        Number of labels that were used.
    n_positive_labels : int
        How many of them are positive.
    supervision : float
        How far the labels have replaced the label-free answer, 0 to 1.
    turned : bool
        Whether the labels say that, taken together, the methods point to the other class.
    diagnosis : Diagnosis
        Whether independence can be believed.
    consensus : Consensus or None
        The shared model's posterior, where it or labels were used.
    consensus_share : float
        How far the posterior of a sample goes from the methods' own curves (0) to the consensus (1), if there is one.
    solver : str
        How the rank-one matrix was completed.
    n_iter : int
        Steps that the solver took, or the refinement, if it did not settle.
    converged : bool
        Whether both settled.
    certificate : float or None
        Smallest eigenvalue of the completed matrix (solver "sdp"): optimal at zero.
    pictures : Pictures
        What figures show of the rows.
    truth : Truth or None
        What labels say, where `Summa.reveal` was given some.
    versions : tuple of pairs of str
        What it was made with.
    command : str or None
        The command line that made it.
    rank_error : float
        How far a rank may be off, as a share of the samples, where sketches of Dask partitions gave it (99 of 100 are
        nearer); an AUROC by given labels is then off by twice that at most. 0 where ranks are exact.

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
    equal_weight: float
    coverage: FloatArray
    prevalence: float
    prevalence_given: bool
    strength: float
    chance: float
    skew: float
    level: float
    auroc_interval: FloatArray
    weights_interval: FloatArray
    prevalence_interval: FloatArray
    model: str
    refined: bool | None
    averaged: bool
    caution: float
    n_labels: int
    n_positive_labels: int
    supervision: float
    turned: bool
    diagnosis: Diagnosis
    consensus: Consensus | None
    consensus_share: float
    solver: str
    n_iter: int
    converged: bool
    certificate: float | None
    pictures: Pictures
    truth: Truth | None
    versions: tuple[tuple[str, str], ...]
    command: str | None
    rank_error: float

    @property
    def ensemble_auroc(self) -> float:
        """AUROC that the combined score is expected to have."""
        return float(self.pictures.growth.auroc[-1])

    @property
    def has_signal(self) -> bool:
        """Whether the methods agree more than chance would make them."""
        return self.strength > self.chance

    @property
    def trusted(self) -> bool:
        """Whether nothing forbids to rely on the figures: there is signal, the fit settled, independence may hold."""
        return self.has_signal and self.converged and self.diagnosis.finding != "violated"

    def leaderboard(self) -> dict[str, Any]:
        """Give the columns of the leaderboard, best method first."""
        best_first = np.argsort(-self.auroc, kind="stable")
        return {
            "method": [self.methods[i] for i in best_first],
            "auroc": self.auroc[best_first],
            "auroc_low": self.auroc_interval[best_first, 0],
            "auroc_high": self.auroc_interval[best_first, 1],
            "weight": self.weights[best_first],
            "coverage": self.coverage[best_first],
        } | self._revealed(best_first)

    def _revealed(self, best_first: Any) -> dict[str, Any]:
        """Give the columns that the truth adds."""
        if self.truth is None:
            return {}
        true = self.truth.auroc[best_first]
        return {"true_auroc": true, "error": self.auroc[best_first] - true}

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

    def to_html(self, path: str | Path) -> None:
        """Write a report of it: one page, that needs nothing else (extra `report`)."""
        with whole(path) as draft:
            draft.write_text(goldless.report.page(self), encoding="utf-8")

    def _repr_html_(self) -> str:
        """Show the verdict and the best methods where a notebook asks for it."""
        board = self.leaderboard()
        head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in board)
        rows = [
            f"<tr><td>{html.escape(method)}</td>" + "".join(f"<td>{value:.3f}</td>" for value in values) + "</tr>"
            for method, *values in zip(*[column[:_SHOWN] for column in board.values()], strict=True)
        ]
        left = len(self.methods) - len(rows)
        more = f"<p>{left} more: <code>leaderboard()</code> holds all.</p>" if left else ""
        return (
            f"<p>{html.escape(self.summary())}</p><table><thead><tr>{head}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>{more}"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Evaluation) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __str__(self) -> str:
        board = self.leaderboard()
        width = max(6, *map(len, board["method"]))
        lines = [f"{'method':<{width}}  AUROC  {self.level:.0%} interval  weight  coverage"]
        lines += [
            f"{method:<{width}}  {auroc:.3f}  {low:.3f} to {high:.3f}  {weight:6.3f}  {coverage:8.0%}"
            for method, auroc, low, high, weight, coverage in zip(*list(board.values())[:6], strict=True)
        ]
        if self.truth is not None:
            lines[0] += "  true AUROC   error"
            revealed = zip(board["true_auroc"], board["error"], strict=True)
            lines[1:] = [
                f"{line}  {true:10.3f}  {error:+.3f}" for line, (true, error) in zip(lines[1:], revealed, strict=True)
            ]
        return "\n".join([textwrap.fill(self.summary(), 100), "", *lines])

    def _labels(self) -> str:
        return "without labels" if self.n_labels == 0 else f"with the labels of {self.n_labels} of them"

    def summary(self) -> str:
        """Say in words what was found, and what stands in the way of believing it."""
        low, high = self.prevalence_interval
        source = "given" if self.prevalence_given else f"{self.level:.0%} interval {low:.3f} to {high:.3f}"
        sentences = [
            f"{len(self.methods)} methods on {self.n_samples} samples, judged {self._labels()}.",
            f"Prevalence of the positive class: {self.prevalence:.3f} ({source}).",
        ]
        if self.rank_error:
            sentences.append(f"Ranks come from sketches, to within {self.rank_error:.1g} of the number of samples.")
        if not self.has_signal:
            sentences.append("The methods agree no more than chance: do not rely on these figures.")
        if not self.converged:
            sentences.append(f"The fit did not settle within {self.n_iter} steps.")
        if self.refined is None:
            sentences.append("There were too few samples to refine the answer by likelihood.")
        elif self.averaged:
            sentences.append("The prevalence is left open within its interval, and the AUROCs are averages over it.")
        sentences.append(str(self.diagnosis))
        if self.has_signal:
            sentences.append(f"Combined they are expected to reach an AUROC of about {self.ensemble_auroc:.2f}.")
        if self.truth is not None:
            sentences.append(self._said_by_labels(self.truth))
        sentences.append(f"{_ASSUMED[self.model]} {self._direction()}")
        return " ".join(sentences)

    def _direction(self) -> str:
        if self.turned:
            return (
                "Taken together, the methods order the labelled samples the wrong way round, so their signs are turned."
            )
        return "Taken together, the methods are assumed to be better than chance."

    def _said_by_labels(self, true: Truth) -> str:
        error = np.sqrt(np.nanmean((self.auroc - true.auroc) ** 2))
        return (
            f"By the labels of {true.n_samples} samples the prevalence is {true.prevalence:.3f}, the AUROCs are off by "
            f"{error:.3f} (root mean square), the combined score has an AUROC of {true.ensemble:.3f}, the plain "
            f"average of the ranks {true.mean_rank:.3f} and the best single method {true.best_single:.3f}."
        )


#: Most methods that a notebook shows.
_SHOWN = 20

_ASSUMED = {
    "independent": "The figures below assume independence.",
    "shared": "The figures below do not assume independence.",
    "auto": "The figures below assume independence as far as the data allow.",
    "calibrated": "The figures below assume that the median score is the probability of the positive class.",
}


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def made_with() -> tuple[tuple[str, str], ...]:
    """Give the versions of what an evaluation is made with."""
    return (
        ("goldless", goldless.__version__),
        ("Python", platform.python_version()),
        ("NumPy", np.__version__),
        ("SciPy", scipy.__version__),
    )


def _plain(items: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: _listed_numbers(value) if isinstance(value, np.ndarray) else value for name, value in items}


def _listed_numbers(values: FloatArray) -> list[Any]:
    """Turn an array into lists; JSON knows no NaN."""
    missing = np.isnan(values)
    if not missing.any():
        return values.tolist()
    listed = values.astype(object)
    listed[missing] = None
    return listed.tolist()


def _restored(kind: Any, value: Any) -> Any:
    """Build a value of a type from its plain form: arrays, tuples, frozen objects, or what is plain already."""
    if value is None:
        return None
    if hasattr(kind, "__dataclass_fields__"):
        hints = get_type_hints(kind)
        return kind(**{name: _restored(hints[name], part) for name, part in value.items()})
    if get_origin(kind) is np.ndarray:
        return np.array(value, dtype=float)
    if get_origin(kind) is tuple:
        return tuple(_restored(get_args(kind)[0], part) for part in value)
    options = [option for option in get_args(kind) if option is not type(None)]
    return _restored(options[0], value) if options else value
