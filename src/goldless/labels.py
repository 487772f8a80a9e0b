"""A few labels: each is used where it helps most, from none to all.

The label-free answer is a prior. Labels first choose among the two-parameter posteriors of the consensus (the logistic
curves that its mixtures of two humps give): that settles scale and prevalence for all methods at once. What the labels
then say beyond, Σ (y - p)(1, z) over labelled rows, is the rest that each method is owed, weighed against the prior by
one Kalman step. Labelled rows count with their labels, the others with their posterior and that rest; so the answer
becomes the plain AUROC as all rows are labelled.

Before all that they tell which class the methods point to: where the combined score orders labelled samples the wrong
way round, beyond chance, everything is done for the other class, and turned in the end.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import logit, ndtri
from scipy.stats import norm

from goldless.answers import Answer, sampling_variance
from goldless.ensemble import combined
from goldless.factor import (
    BINS,
    LARGEST_LOADING,
    Yardstick,
    consensus,
    histograms,
    mixtures,
    read_by,
    soft_delta,
    yardstick,
)
from goldless.ranks import FloatArray
from goldless.result import Consensus
from goldless.rows import Rows, Sums

#: Standard deviation of the logit of a prevalence that was found without independence.
PREVALENCE_ERROR = 1.0
#: Share of a method's error that follows what the methods have in common; the rest is its own.
ALIKE = 0.9
#: Rows that the prior on the overdispersion counts for.
PRIOR_ROWS = 10
#: Standard errors by which labels must contradict the combined score before it is turned.
TURNING_POINT = float(norm.isf(0.01))


@dataclass(frozen=True)
class LabelCounts(Sums):
    """Labelled rows by the bin of their factor score, a mean over methods; class 0, then class 1."""

    counts: FloatArray


@dataclass(frozen=True)
class Sides(Sums):
    """The combined score of labelled rows by class, 0 and 1: how many, and their sum; and the squares over all rows."""

    n: FloatArray
    score: FloatArray
    all_n: int
    all_squares: float

    @property
    def turned(self) -> bool:
        """Whether class 1 scores lower than class 0 by more than chance; the mean score of all rows is zero."""
        if self.n.min() == 0:
            return False
        difference = self.score[1] / self.n[1] - self.score[0] / self.n[0]
        error = np.sqrt(self.all_squares / self.all_n * (1 / self.n).sum())
        return bool(difference < -TURNING_POINT * error)


@dataclass(frozen=True)
class SoftSums(Sums):
    """Sums under a posterior p by bin: over all rows, and over those that are not labelled ("open").

    Columns are the methods, over what they scored; p is a method's posterior without itself, v = p̄(1-p̄) with the mean
    p̄ over methods, and x = (1, z).
    """

    n: int
    scored: FloatArray
    p: FloatArray
    p_z: FloatArray
    v_xx: FloatArray
    open_n: int
    open_scored: FloatArray
    open_p: FloatArray
    open_p_z: FloatArray
    open_mean_p: float
    open_v_x: FloatArray
    open_v_xx: FloatArray


@dataclass(frozen=True)
class LabelledSums(Sums):
    """Sums over labelled rows: of the residual y - p and its products with z; of v x xᵀ with x = (1, z); by class."""

    n: int
    scored: FloatArray
    residual: FloatArray
    squares: float
    v_xx: FloatArray
    positives: FloatArray
    negatives: FloatArray
    y_z: FloatArray
    y: float


def label_counts(z: FloatArray, y: FloatArray, stick: Yardstick) -> LabelCounts:
    """Count labelled rows by the bin of their factor score."""
    cells = [stick.bins(z[y == label]).ravel() for label in (0, 1)]
    return LabelCounts(np.array([np.bincount(cell, minlength=BINS) for cell in cells]) / z.shape[1])


def sides(z: FloatArray, y: FloatArray, weights: FloatArray, equal: float) -> Sides:
    """Sum the combined score by class."""
    score = combined(z, weights, equal)
    by_class = [score[y == label] for label in (0, 1)]
    return Sides(
        np.array([float(len(part)) for part in by_class]),
        np.array([part.sum() for part in by_class]),
        len(z),
        float(score @ score),
    )


def soft_sums(z: FloatArray, y: FloatArray, stick: Yardstick, posterior: FloatArray) -> SoftSums:
    """Sum what the posterior says of all rows, and of those without a label."""
    scored, filled, p, mean, v = _posteriors(z, stick, posterior)
    p_scored, p_z, free = p * scored, p * filled, y < 0
    x = np.column_stack([np.ones(len(z)), filled])
    return SoftSums(
        len(z),
        scored.sum(axis=0),
        p_scored.sum(axis=0),
        p_z.sum(axis=0),
        (x * v[:, None]).T @ x,
        int(free.sum()),
        scored[free].sum(axis=0),
        p_scored[free].sum(axis=0),
        p_z[free].sum(axis=0),
        float(mean[free].sum()),
        v[free] @ x[free],
        v[free] @ x[free] ** 2,
    )


def labelled_sums(z: FloatArray, y: FloatArray, stick: Yardstick, posterior: FloatArray) -> LabelledSums:
    """Sum what the labels say beyond the posterior."""
    known = y >= 0
    scored, filled, p, mean, v = _posteriors(z[known], stick, posterior)
    y = y[known]
    x = np.column_stack([np.ones(len(y)), filled])
    residual = y - mean
    return LabelledSums(
        len(y),
        scored.sum(axis=0),
        np.append(residual.sum(), ((y[:, None] - p) * filled).sum(axis=0)),
        float(residual @ residual),
        (x * v[:, None]).T @ x,
        y @ scored,
        (1 - y) @ scored,
        y @ filled,
        float(y.sum()),
    )


def row_posterior(z: FloatArray, stick: Yardstick, posterior: FloatArray) -> FloatArray:
    """Posterior of each row: the mean over its methods, each left out in turn."""
    return _posteriors(z, stick, posterior)[3]


def _posteriors(
    z: FloatArray, stick: Yardstick, posterior: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Give what is scored, z without NaN, p by method, its mean over the scored, and that mean's p(1-p)."""
    scored = ~np.isnan(z)
    p = posterior[stick.bins(z)]
    mean = (p * scored).sum(axis=1) / np.maximum(scored.sum(axis=1), 1)
    return scored.astype(float), np.where(scored, z, 0.0), p, mean, mean * (1 - mean)


@dataclass(frozen=True)
class Curves:
    """The posteriors that labels choose among, and their weights before and after."""

    delta: FloatArray
    share: FloatArray
    before: FloatArray
    after: FloatArray

    @property
    def posterior(self) -> FloatArray:
        """Posterior by bin, the labels taken into account."""
        return self.after @ mixtures().upper


def chosen_curves(rows: Rows, stick: Yardstick, answer: Answer, error: FloatArray, rho_error: float) -> Curves:
    """Weigh the curves by the label-free answer, its mean AUROC and prevalence, and by the labels."""
    upper = mixtures().upper
    histogram = rows.with_(None).sum(histograms, stick)
    delta = soft_delta(histogram, upper)
    share = upper @ (histogram.rows.mean(axis=0) / rows.n_samples)
    mean, log_odds = delta.mean(axis=0), logit(np.clip(share, 1e-6, 1 - 1e-6))
    prior = _log_jacobian(log_odds, mean)
    prior -= 0.5 * ((mean - answer.delta.mean()) / error.mean()) ** 2
    prior -= 0.5 * ((log_odds - logit(np.clip(answer.rho, 0.01, 0.99))) / rho_error) ** 2
    negative, positive = rows.sum(label_counts, stick).counts
    said = np.log(np.maximum(upper, 1e-9)) @ positive + np.log(np.maximum(1 - upper, 1e-9)) @ negative
    return Curves(delta, share, _normalised(prior), _normalised(prior + said))


def _log_jacobian(log_odds: FloatArray, mean: FloatArray) -> FloatArray:
    """Log area of each cell of the grid on the scale that the prior is on."""
    side = int(np.sqrt(len(mean)))
    (a, b), (c, d) = (np.gradient(x.reshape(side, side)) for x in (log_odds, mean))
    return np.log(np.abs(a * d - b * c).ravel() + np.finfo(float).tiny)


def _normalised(log_weight: FloatArray) -> FloatArray:
    weight = np.exp(log_weight - log_weight.max())
    return weight / weight.sum()


@dataclass(frozen=True)
class Labelled:
    """The answer with labels, the consensus that they chose, and how far they have replaced the label-free answer.

    `supervision` goes from 0 to 1; `turned` says that the labels contradict the majority.
    """

    answer: Answer
    consensus: Consensus | None
    n_labels: int = 0
    n_positive: int = 0
    supervision: float = 0.0
    turned: bool = False


def labelled(
    rows: Rows,
    labels: FloatArray,
    weights: FloatArray,
    equal: float,
    answer: Answer,
    caution: float,
    level: float,
    *,
    given: bool,
) -> Labelled:
    """Update the label-free answer by labels (-1: unknown); `weights` and `equal` give its combined score."""
    by_class = rows.with_(labels).sum(sides, weights, equal)
    if by_class.turned:
        labels = np.where(labels >= 0, 1 - labels, labels)
        answer = replace(answer, rho=1 - answer.rho) if given else answer
    found, agreed, supervision = _updated_answer(rows.with_(labels), answer, caution, level, given=given)
    if by_class.turned:
        found = Answer(-found.delta, 1 - found.rho, -found.delta_interval[:, ::-1], 1 - found.rho_interval[::-1])
        agreed = replace(agreed, posterior=1 - agreed.posterior)
    n = by_class.n
    turned = bool(weights @ found.delta < 0)
    return Labelled(found, agreed, int(n.sum()), int(n[1]), supervision, turned)


def _updated_answer(
    rows: Rows, answer: Answer, caution: float, level: float, *, given: bool
) -> tuple[Answer, Consensus, float]:
    """Update the label-free answer, where class 1 is that which the methods point to."""
    crit = norm.ppf(0.5 + level / 2)
    error = np.maximum(np.diff(answer.delta_interval)[:, 0] / (2 * crit), 1e-6)
    rho_error = _prevalence_error(answer, caution, crit)
    stick = yardstick(rows.with_(None))
    curves = chosen_curves(rows, stick, answer, error, rho_error)
    posterior = curves.posterior
    soft = rows.sum(soft_sums, stick, posterior)
    said = rows.sum(labelled_sums, stick, posterior)
    share = np.clip(soft.p / soft.scored, 1e-3, 1 - 1e-3)
    contrast = share * (1 - share)
    delta = soft.p_z / soft.scored / contrast
    shift = delta * (1 - 2 * share)
    # from (prevalence, δ) to the means of (y - p)(1, z)
    J = np.diag(np.append(1.0, contrast))
    J[1:, 0] = shift
    prior = curves.delta @ curves.after + answer.delta - curves.delta @ curves.before
    rest = np.append(0.0, contrast * (np.clip(prior, -0.5, 0.5) - delta))
    rest, covariance = _updated(soft, said, rest, J, curves, error)
    found, rho = _counted(soft, said, rest)
    open_share = np.append(soft.open_n / soft.n, soft.open_scored / soft.scored)
    variance = np.maximum(np.diag(np.linalg.inv(J) @ covariance @ np.linalg.inv(J).T), 0) * open_share**2
    supervision = float(np.clip(1 - variance[1:].sum() / (error**2).sum(), 0, 1))
    # Without labels the variance is that of the population's values; what labels settle is those of the samples.
    luck = np.append(rho * (1 - rho) / soft.n, sampling_variance(found, rho, soft.scored))
    half = crit * np.sqrt(variance + supervision * luck)
    rho = answer.rho if given else rho
    rho_half = 0.0 if given else half[0]
    interval = np.clip(np.stack([found - half[1:], found + half[1:]], axis=1), -0.5, 0.5)
    updated = Answer(found, rho, interval, np.clip([rho - rho_half, rho + rho_half], 0, 1))
    stick = _supervised(rows, stick, updated, supervision)
    posterior = chosen_curves(rows, stick, answer, error, rho_error).posterior
    return updated, consensus(stick, posterior), supervision


def _supervised(rows: Rows, stick: Yardstick, answer: Answer, supervision: float) -> Yardstick:
    """Move from the loadings on the common factor to those on the label, by how much the labels have settled."""
    distance = np.sqrt(2 * answer.rho * (1 - answer.rho)) * ndtri(np.clip(0.5 + answer.delta, 1e-6, 1 - 1e-6))
    on_label = np.clip(distance / np.sqrt(1 + distance**2), -LARGEST_LOADING, LARGEST_LOADING)
    free = -stick.loading if stick.loading @ on_label < 0 else stick.loading
    return read_by(rows.with_(None), (1 - supervision) * free + supervision * on_label, stick.deviation)


def _prevalence_error(answer: Answer, caution: float, crit: float) -> float:
    """Give the standard deviation of logit ρ: its own where independence holds, large where it does not."""
    low, high = logit(np.clip(answer.rho_interval, 1e-6, 1 - 1e-6))
    own = (high - low) / (2 * crit)
    return float(np.clip(np.sqrt(caution * PREVALENCE_ERROR**2 + (1 - caution) * own**2), 0.05, PREVALENCE_ERROR))


def _updated(
    soft: SoftSums,
    said: LabelledSums,
    rest: FloatArray,
    J: FloatArray,
    curves: Curves,
    error: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Kalman step from the prior mean of Σ(y - p)(1, z)/n to the labels' own; and the covariance that is left."""
    n = np.append(said.n, said.scored)
    seen = n > 0
    n = np.maximum(n, 1)
    v_xx, v = soft.v_xx / soft.n, soft.v_xx[0, 0] / soft.n
    over = max(1.0, (said.squares + PRIOR_ROWS * v) / (said.v_xx[0, 0] + PRIOR_ROWS * v))
    # Variance of the labels' means: of their own rows, and, for few, as of any rows.
    C = said.v_xx / np.outer(n, n) * said.n + v_xx / np.sqrt(np.outer(n, n)) * PRIOR_ROWS
    C = over * C / (said.n + PRIOR_ROWS) + 1e-12 * np.eye(len(n))
    V = J @ _prior_covariance(v_xx, J, error) @ J.T
    K = np.zeros_like(C)
    both = np.ix_(seen, seen)
    K[:, seen] = np.linalg.solve(V[both] + C[both], V[seen]).T
    rest = rest + K @ np.where(seen, said.residual / n - rest, 0.0)
    pooled = np.zeros_like(C)
    mean = curves.delta @ curves.after
    pooled[1:, 1:] = (curves.delta * curves.after) @ curves.delta.T - np.outer(mean, mean)
    pooled[0, 0] = curves.after @ (curves.share - curves.after @ curves.share) ** 2
    left = np.eye(len(C)) - K
    covariance = left @ (J @ pooled @ J.T + V) @ left.T + K @ C @ K.T
    # the luck of the rows that are still open
    open_n = np.maximum(np.append(soft.open_n, soft.open_scored), 1)
    luck = over * soft.open_v_x / (open_n * open_n[0])
    covariance[0, 1:] += luck[1:]
    covariance[1:, 0] += luck[1:]
    covariance[np.diag_indices(len(C))] += over * soft.open_v_xx / open_n**2
    return rest, covariance


def _prior_covariance(v_xx: FloatArray, J: FloatArray, error: FloatArray) -> FloatArray:
    """Covariance of the label-free errors of (ρ, δ): methods whose z go together err together."""
    move = np.column_stack([-J[1:, 0], np.eye(len(error))])
    alike = move @ v_xx @ move.T
    length = np.sqrt(np.maximum(np.diag(alike), np.finfo(float).tiny))
    together = alike / np.outer(length, length)
    np.fill_diagonal(together, 1)
    V = np.zeros((len(error) + 1,) * 2)
    V[0, 0] = error.mean() ** 2
    V[1:, 1:] = np.outer(error, error) * (ALIKE * together + (1 - ALIKE) * np.eye(len(error)))
    return V


def _counted(soft: SoftSums, said: LabelledSums, rest: FloatArray) -> tuple[FloatArray, float]:
    """δ and ρ: labelled rows by their labels, the others by their posterior and the rest they are owed."""
    n = soft.scored
    open_share = soft.open_scored / n
    w_z = (said.y_z + soft.open_p_z) / n + open_share * rest[1:]
    share = (said.positives + soft.open_p) / n + open_share * rest[0]
    edge = 0.5 / n * (open_share > 0)
    share = np.clip(share, said.positives / n + edge, 1 - said.negatives / n - edge)
    contrast = share * (1 - share)
    delta = np.clip(w_z / np.where(contrast > 0, contrast, np.inf), -0.5, 0.5)
    rho = (said.y + soft.open_mean_p + soft.open_n * rest[0]) / soft.n
    return delta, float(np.clip(rho, said.y / soft.n, 1 - (said.n - said.y) / soft.n))
