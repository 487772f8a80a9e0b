"""What figures show of the rows, in arrays small enough to travel with an evaluation.

The methods' agreement, the combined score by class, and what each further method adds.
"""

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from goldless.ensemble import combined
from goldless.moments import SecondMoments
from goldless.ranks import FloatArray
from goldless.result import Agreement, Calibration, Growth, ScoreDistribution
from goldless.rows import Rows

#: Most methods whose agreement is shown, those of the largest part in the fit.
MOST_SHOWN = 100
#: Bins of the combined score.
SCORE_BINS = 40
#: Bins of equally many samples that the posterior is compared with labels in.
CALIBRATION_BINS = 10
#: Numbers of methods that the gain by further ones is shown for.
STEPS = 10
#: Decimals that a picture needs.
DECIMALS = 6


def agreement(second: SecondMoments, q: FloatArray) -> Agreement:
    """Show the second moments beside the fit; of many methods, those that play the largest part."""
    shown = np.sort(np.argsort(-np.abs(q), kind="stable")[:MOST_SHOWN])
    covariance = np.where(second.counts > 0, second.Q, np.nan)[np.ix_(shown, shown)]
    return Agreement(tuple(shown.tolist()), covariance.round(DECIMALS), q[shown].round(DECIMALS))


def score_distribution(score: FloatArray, positive: FloatArray) -> ScoreDistribution:
    """Share of samples by bin of the combined score, and of those expected to be positive."""
    share, edges = np.histogram(score, SCORE_BINS)
    expected, _ = np.histogram(score, edges, weights=positive)
    n = len(score)
    return ScoreDistribution(edges.round(DECIMALS), (share / n).round(DECIMALS), (expected / n).round(DECIMALS))


def expected_growth(second: SecondMoments, n_samples: int, delta: FloatArray, p: float, weights: FloatArray) -> Growth:
    """AUROC that the best methods are expected to reach together, by their number.

    Their scores are taken for Gaussian within the classes, where they vary by what the second moments hold beyond the
    difference of the classes. So what the methods share within a class counts as well. What is missing counts as 0.
    """
    best = np.argsort(-delta, kind="stable")
    share = second.counts / n_samples
    mean = np.diag(share) * delta
    within = (share * second.Q - p * np.outer(mean, mean))[np.ix_(best, best)]
    w, mean = weights[best], mean[best]
    sizes = steps(len(best))
    variance = np.array([max(w[:n] @ within[:n, :n] @ w[:n], np.finfo(float).tiny) for n in sizes])
    between = np.array([w[:n] @ mean[:n] for n in sizes])
    return Growth(sizes, ndtr(between / np.sqrt(2 * variance)).round(DECIMALS))


def calibration(predicted: FloatArray, label: FloatArray) -> Calibration:
    """Mean posterior and share of positives in bins of equally many samples."""
    parts = np.array_split(np.argsort(predicted, kind="stable"), min(CALIBRATION_BINS, len(label)))
    mean, share = ([float(x[part].mean()) for part in parts] for x in (predicted, label))
    return Calibration(np.array(mean), np.array(share), np.array([float(len(part)) for part in parts]))


def steps(n_methods: int) -> tuple[int, ...]:
    """Numbers of methods from one to all, closer together where there are few."""
    return tuple(np.unique(np.geomspace(1, n_methods, STEPS).round().astype(int)).tolist())


def together(rows: Rows, delta: FloatArray, weights: FloatArray, equal: float, sizes: tuple[int, ...]) -> FloatArray:
    """Combine the best n methods, for each n of `sizes`: scores of shape (n_samples, sizes)."""
    best = np.argsort(-delta, kind="stable")
    return rows.map(_together, weights[best], equal / len(best), best, sizes)


def _together(
    z: FloatArray, weights: FloatArray, each: float, best: npt.NDArray[np.intp], sizes: tuple[int, ...]
) -> FloatArray:
    ordered = z[:, best]
    return np.column_stack([combined(ordered[:, :n], weights[:n], each * n) for n in sizes])
