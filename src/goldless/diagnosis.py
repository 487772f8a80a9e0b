"""Is it believable? Tests of conditional independence that need no labels.

Two signs of dependence. If methods agree through more than the label, the factor that they share takes more than two
values: then its moments along v violate `λ m4 = m3² + λ³` (Pearson's inequality, an equality for two values). If some
methods agree among themselves, their pairs stand out of the rank-one fit. Neither sees what the other sees.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.linalg import eigvalsh
from scipy.spatial.distance import squareform
from scipy.stats import norm

from goldless.moments import SecondMoments, elementary, known, power_sums
from goldless.rank_one import LARGEST_Q, iterative
from goldless.ranks import FloatArray
from goldless.rows import Rows, Sums

#: Levels at which a test speaks of violation, and of doubt.
VIOLATED = {"factor": 0.025, "pairs": 0.01, "edge": 0.0}
DOUBTFUL = {"factor": 0.10, "pairs": 0.10, "edge": -1.0}
#: Fewest samples that a pair must share to be tested.
FEWEST_SHARED = 30
#: Fewest methods that the fourth moment is worth looking at for.
FEWEST_METHODS = 5
#: Mean e4 of v² from which enough samples are scored by four methods.
LEAST_SHARED = 1e-9
#: Residual correlation below which methods are no group, however many samples prove it.
LEAST_CORRELATION = 0.1
#: Curvature of the fit in a method's own direction, as a share of λ, below which it counts as this.
LEAST_CURVATURE = 1e-3
#: Residual, in standard errors, from which a pair's weight falls (Huber).
HUBER = 1.345
#: B - 1 of a factor spread evenly (kurtosis 9/5): the far end from a factor of two values.
EVEN_SPREAD = 0.8


@dataclass(frozen=True)
class FactorSums(Sums):
    """Sums of e2, e3, e4 of z * v, of their products, and of what fitting v to the same rows did to them."""

    n: int
    e: FloatArray
    products: FloatArray
    shift: FloatArray
    drift: FloatArray
    model: FloatArray


@dataclass(frozen=True)
class PairSums(Sums):
    """Sums of z_i² z_j² over the samples that a pair shares."""

    squares: FloatArray
    counts: FloatArray


@dataclass(frozen=True)
class FactorTest:
    """B = κ - s² of the latent factor (1: two values), its standard error, and the test of B = 1."""

    B: float
    error: float
    z: float

    @property
    def p_value(self) -> float:
        """Probability of so large a B under conditional independence."""
        return float(norm.sf(self.z))

    @property
    def spread(self) -> float:
        """How far the factor is from two values (0) towards an even spread (1)."""
        return float(np.clip((self.B - 1) / EVEN_SPREAD, 0, 1))

    @property
    def caution(self) -> float:
        """How far to move from the independent answer: 0 while two values are believable, then with the least B."""
        if self.p_value > 0.005:
            return 0.0
        return float(np.clip((self.B - 1.96 * self.error - 1) / (EVEN_SPREAD / 2), 0, 1))


@dataclass(frozen=True)
class Residuals:
    """What the rank-one fit leaves of each pair: as a correlation, and in standard errors (0: not tested)."""

    correlation: FloatArray
    z: FloatArray
    tested: npt.NDArray[np.bool_]
    p_value: float
    edge: float
    least_z: float
    critical: float


def factor_test(rows: Rows, second: SecondMoments, q: FloatArray) -> FactorTest | None:
    """Test that the factor takes two values, by the Hankel determinant H = λ m4 - m3² - λ³; B = 1 + H/λ³.

    v was fitted to the same rows, which makes H too large; each row's own part in that is taken off.
    """
    lam, M = float(q @ q), len(q)
    if M < FEWEST_METHODS or np.count_nonzero(q) < FEWEST_METHODS:
        return None
    v = q / np.sqrt(lam)
    off = second.Q - np.diag(np.diag(second.Q))
    # The inverse of the fit's equations, diagonal + q qᵀ (Sherman and Morrison), and its part that turns v.
    own = 1 / np.maximum(lam - 2 * q**2, LEAST_CURVATURE * lam)
    inverse = np.diag(own) - np.outer(own * q, own * q) / (1 + q @ (own * q))
    to_v = (inverse - np.outer(inverse @ v, v)) / np.sqrt(lam)
    sums = rows.sum(factor_sums, q, v, off @ q, to_v, _normal_slopes(v))
    scale = sums.model / sums.n
    if scale.min() < LEAST_SHARED:
        return None
    fitted = (sums.shift / scale - sums.drift / scale**2) / sums.n / second.counts.max()
    lam, m3, m4 = sums.e / sums.n / scale - fitted
    mean = sums.e / sums.n
    C = (sums.products / sums.n - np.outer(mean, mean)) / np.outer(scale, scale) / sums.n
    if lam <= 0:
        return None
    H = lam * m4 - m3**2 - lam**3
    by_moments = np.array([m4 - 3 * lam**2, -2 * m3, lam])
    B_by_moments = np.array([-2 * m4 / lam**3 + 3 * m3**2 / lam**4, -2 * m3 / lam**3, 1 / lam**2])
    return FactorTest(
        B=float(1 + H / lam**3),
        error=float(np.sqrt(B_by_moments @ C @ B_by_moments)),
        z=float(H / np.sqrt(max(by_moments @ C @ by_moments, np.finfo(float).tiny))),
    )


def factor_sums(
    z: FloatArray, q: FloatArray, v: FloatArray, off_q: FloatArray, to_v: FloatArray, normal_slopes: FloatArray
) -> FactorSums:
    """Sum the elementary symmetric sums and the leave-one-out terms; O(n M²), two products."""
    filled, scored = known(z)
    e = elementary(power_sums(filled, v, 4))
    dv = (filled * (filled @ q)[:, None]) @ to_v - (filled * filled) @ (q[:, None] * to_v) - off_q @ to_v
    # A change of v changes e_j by Σ_i z_i dv_i e_{j-1} without i, which is Σ_m (-a_i)^m e_{j-1-m}.
    turned = filled * dv
    turns = [turned.sum(axis=1)]
    for m in (1, 2, 3):
        turned *= filled
        turns.append(turned @ v**m)
    model = np.array(elementary(power_sums(scored, v**2, 4))[2:]).sum(axis=1)
    return FactorSums(
        len(z),
        np.sum(e[2:], axis=1),
        e[2:] @ np.transpose(e[2:]),
        np.array([sum((-1) ** m * (e[j - 1 - m] @ turns[m]) for m in range(j)) for j in (2, 3, 4)]),
        np.array([e_j @ (dv @ slope) for e_j, slope in zip(e[2:], normal_slopes, strict=True)]),
        model * len(z) / len(scored),
    )


def _normal_slopes(v: FloatArray) -> FloatArray:
    """Give the slopes of e2, e3, e4 of v * v by v, (3, M): e_{j-1} without each entry, from the order below."""
    a = v * v
    e = elementary(power_sums(a[None], np.ones(len(a)), 3))
    without = [np.ones(len(a))]
    for e_j in e[1:]:
        without.append(e_j - a * without[-1])
    return 2 * v * np.stack(without[1:])


def pair_sums(z: FloatArray) -> PairSums:
    """Sum z_i² z_j²; one product."""
    filled, scored = known(z)
    squares = filled * filled
    return PairSums(squares.T @ squares, len(z) / len(scored) * (scored.T @ scored))


def pair_variance(rows: Rows, second: SecondMoments) -> FloatArray:
    """Variance of z_i z_j of each pair."""
    sums = rows.sum(pair_sums)
    return sums.squares / np.maximum(sums.counts, 1) - second.Q**2


def residuals(second: SecondMoments, variance: FloatArray, q: FloatArray) -> Residuals:
    """Standardise what the fit leaves of each pair; test the largest, and the leading eigenvalue (Johnstone's edge)."""
    M = len(q)
    tested = (second.counts >= FEWEST_SHARED) & ~np.eye(M, dtype=bool) & (variance > 0)
    left = np.where(tested, second.Q - np.outer(q, q), 0.0)
    z = left / np.sqrt(np.where(tested, variance / np.maximum(second.counts, 1), 1.0))
    within = np.maximum(np.diag(second.Q) - q**2, 0.05 * np.diag(second.Q))
    pairs = int(tested.sum() // 2)
    n = float(np.median(second.counts[tested])) if pairs else 1.0
    least_z = float(norm.isf(VIOLATED["pairs"] / max(pairs, 1)))
    return Residuals(
        correlation=np.clip(left / np.sqrt(np.outer(within, within)), -1, 1),
        z=z,
        tested=tested,
        p_value=float(min(1.0, pairs * norm.sf(z.max()))),
        edge=_beyond_edge(z, n) if pairs >= M else -np.inf,
        least_z=least_z,
        critical=max(LEAST_CORRELATION, least_z / np.sqrt(n)),
    )


def _beyond_edge(z: FloatArray, n: float) -> float:
    """How far the leading eigenvalue lies beyond that of noise, in its own standard deviations (Johnstone 2001)."""
    M = len(z)
    roots = np.sqrt(n - 1), np.sqrt(M - 1)
    centre = (roots[0] + roots[1]) ** 2
    scale = (roots[0] + roots[1]) * (1 / roots[0] + 1 / roots[1]) ** (1 / 3)
    leading = eigvalsh(z, subset_by_index=[M - 1, M - 1])[0]
    return float(((leading / np.sqrt(n) + 1) * n - centre) / scale)


def standing_out(left: Residuals, most: int = 10) -> list[tuple[int, int]]:
    """Pairs whose residual is beyond the critical correlation and beyond chance, the strongest first."""
    strength = np.triu(np.where(left.tested, left.correlation, 0.0), 1)
    significant = (strength > left.critical) & (left.z > left.least_z)
    first, second = np.nonzero(significant)
    order = np.argsort(-strength[first, second], kind="stable")[:most]
    return [(int(first[k]), int(second[k])) for k in order]


def largest(left: Residuals, most: int = 10) -> list[tuple[int, int]]:
    """Pairs of the largest residuals in standard errors, of either sign."""
    size = np.triu(np.where(left.tested, np.abs(left.z), 0.0), 1)
    first, second = np.nonzero(size)
    order = np.argsort(-size[first, second], kind="stable")[:most]
    return [(int(first[k]), int(second[k])) for k in order]


def groups(second: SecondMoments, variance: FloatArray) -> tuple[list[list[int]], FloatArray]:
    """Find methods that agree among themselves more than the fit allows, and q by the pairs between them.

    Least squares hand q to a tight cluster and then find nothing inside it, so the fit starts robust; then the pairs
    within clusters are left out, and clusters looked for again.
    """
    found: list[list[int]] = []
    labels = np.arange(len(second.Q))
    q = _robust_q(second, variance)
    for _ in range(3):
        left = residuals(second, variance, q)
        distance = 1 - (left.correlation + left.correlation.T) / 2
        np.fill_diagonal(distance, 0)
        tree = linkage(squareform(distance, checks=False), "average")
        before, labels = labels, fcluster(tree, 1 - left.critical, "distance")
        found = [np.flatnonzero(labels == label).tolist() for label in np.unique(labels)]
        between = np.where(labels[:, None] == labels, 0.0, second.counts)
        if np.array_equal(before, labels) or np.any((between > 0).sum(axis=1) < 2) or len(found) < 3:
            break
        q = iterative(second.Q, between).q
    return sorted(group for group in found if len(group) > 1), q


def _robust_q(second: SecondMoments, variance: FloatArray) -> FloatArray:
    """Fit q so that a few pairs that agree for their own reasons cannot pull it: row medians, then Huber weights."""
    known = (second.counts > 0) & ~np.eye(len(second.Q), dtype=bool)
    # The median of a method that shares no sample with another is that of nothing: zero.
    median = np.array(
        [np.median(Q[others]) if others.any() else 0.0 for Q, others in zip(second.Q, known, strict=True)]
    )
    product = np.outer(median, median)
    large = known & (np.abs(product) >= np.median(np.abs(product[known]))) & (product != 0)
    scale = np.median(second.Q[large] / product[large]) if large.any() else 0.0
    q = np.clip(median * np.sqrt(max(scale, 0.0)), -LARGEST_Q, LARGEST_Q)
    error = np.sqrt(np.maximum(variance, np.finfo(float).tiny) / np.maximum(second.counts, 1))
    for _ in range(5):
        weights = second.counts / np.maximum(np.abs(second.Q - np.outer(q, q)) / (HUBER * error), 1)
        q = iterative(second.Q, weights).q
    return q


def effective_methods(second: SecondMoments, delta: FloatArray, p: float) -> float:
    """Count the independent methods that are worth as much: M² over the sum of within-class correlations."""
    within = second.Q - p * np.outer(delta, delta)
    variance = np.maximum(np.diag(within), 1e-3)
    correlation = np.clip(within / np.sqrt(np.outer(variance, variance)), 0, 1)
    correlation[second.counts == 0] = 0
    np.fill_diagonal(correlation, 1)
    return float(len(delta) ** 2 / correlation.sum())


def finding(test: FactorTest | None, left: Residuals) -> str:
    """Say "plausible", "doubtful" or "violated"."""
    p = test.p_value if test is not None else 1.0
    for word, level in (("violated", VIOLATED), ("doubtful", DOUBTFUL)):
        if p < level["factor"] or left.p_value < level["pairs"] or left.edge > level["edge"]:
            return word
    return "plausible"
