"""Standard errors and intervals, from the influence that each sample has on the estimate.

The estimate solves equations that are sums over rows, so a row moves it by a known small amount: through its place
in those sums, and through the ranks, since a sample shifts the ranks of all others. One pass over the rows adds up
the outer products of these influences; nothing is fitted again.

The moments determine q and the skew s = τ/λ^1.5 = (1-2ρ)/sqrt(p); from there logit ρ = -2 asinh(s/2) and
δ = 2 q cosh(½ logit ρ). Intervals are taken where the estimate is nearly normal, in (q, logit ρ), and carried over as
ranges: they stay within [0, 1], and where the prevalence is not identified they become wide.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from goldless.moments import SecondMoments, ThirdMoment, contraction, e3, known
from goldless.ranks import FloatArray
from goldless.rows import Rows, Sums

#: Eigenvalues of the fit's equations below this share of λ count as this: no signal, no precision.
LEAST_CURVATURE = 1e-3
NO_SIGNAL = 1e-12
#: Mean e3 of q² below which, as a share of λ³, no three methods tell the prevalence.
LEAST_TRIPLES = 1e-6
#: logit ρ beyond which a class has fewer than one sample in three million.
FARTHEST_LOGIT = 15.0


@dataclass(frozen=True)
class OuterProducts(Sums):
    """Sums of the rows' influences and of their outer products."""

    n: int
    first: FloatArray
    second: FloatArray

    @property
    def covariance(self) -> FloatArray:
        """Covariance of the estimate."""
        return (self.second - np.outer(self.first, self.first) / self.n) / self.n**2


@dataclass(frozen=True)
class Equations:
    """What a row's influence on (q, s) is computed from; small arrays, from sums over all rows.

    Attributes
    ----------
    q, s
        The estimate.
    J_inv : ndarray (M, M)
        Inverse of the derivative of the completion's equations.
    triples : ndarray (M,)
        Mean of q_i e2 of the squares of the other methods' q.
    slope : ndarray (M,)
        Derivative of the third moment's equation by q.
    scale : float
        Mean e3 of q².
    coverage : ndarray (M,)
        Share of rows that a method scored.
    """

    q: FloatArray
    s: float
    J_inv: FloatArray
    triples: FloatArray
    slope: FloatArray
    scale: float
    coverage: FloatArray


@dataclass(frozen=True)
class Errors:
    """Covariance of (q, logit ρ) about the estimate."""

    q: FloatArray
    logit: float
    covariance: FloatArray

    def given(self, rho: float) -> "Errors":
        """Take the prevalence as known."""
        kept = np.append(np.ones(len(self.q)), 0.0)
        return Errors(self.q, float(logit(rho)), self.covariance * np.outer(kept, kept))


def moment_errors(
    rows: Rows, n_samples: int, second: SecondMoments, q: FloatArray, third: ThirdMoment, ridge: float = 0.0
) -> Errors:
    """Covariance of the moment estimate from n_samples, of which `rows` are enough to average over."""
    lam = float(q @ q)
    s = third.tau / lam**1.5 if lam > 0 else 0.0
    equations = _equations(rows, n_samples, second, q, s, ridge / n_samples)
    products = rows.sum(influence_products, equations)
    to_logit = np.append(np.ones(len(q)), -2 / np.sqrt(s**2 + 4))
    C = products.covariance * rows.n_samples / n_samples
    return Errors(q, float(-2 * np.arcsinh(s / 2)), C * np.outer(to_logit, to_logit))


def _equations(rows: Rows, n_samples: int, second: SecondMoments, q: FloatArray, s: float, ridge: float) -> Equations:
    n, M = rows.n_samples, len(q)
    share = second.counts / n_samples
    off = ~np.eye(M, dtype=bool)
    # The observed derivative: it holds the residuals, without which intervals of few samples are too narrow.
    J = np.where(off, share * (2 * np.outer(q, q) - second.Q), 0.0) + np.diag(
        np.where(off, share * q**2, 0.0).sum(axis=1)
    )
    J += ridge * (np.eye(M) - 1 / M)
    third = rows.sum(contraction, q)
    lam = max(float(q @ q), NO_SIGNAL)
    return Equations(
        q=q,
        s=s,
        J_inv=_bounded_inverse(J, LEAST_CURVATURE * lam),
        triples=third.model / (2 * n),
        slope=third.data / (2 * n) - s * third.model / n,
        scale=max(float(third.model @ q) / (6 * n), LEAST_TRIPLES * lam**3),
        coverage=np.diag(share),
    )


def influence_products(z: FloatArray, equations: Equations) -> OuterProducts:
    """Add up the outer products of the rows' influences; O(n M²)."""
    psi = influence(z, equations)
    return OuterProducts(len(z), psi.sum(axis=0), psi.T @ psi)


def influence(z: FloatArray, equations: Equations) -> FloatArray:
    """Give the influence of each row on (q, s), up to constants: n rows, M + 1 columns.

    The terms in h are the ranks': under conditional independence, and with the posterior to first order, a row at z
    shifts the others' z_i so that their moments change by h = 1/2 - 6 z² times those moments. There, methods are taken
    to miss samples independently of each other.
    """
    e, J_inv = equations, equations.J_inv
    z, scored = known(z)
    z2, squares = z * z, e.q**2
    expected = e.coverage * squares
    # Every term is a product with a small matrix; h = 1/2 - 6 z², where the method scored, is taken apart.
    by_h = (np.diag(e.q * (expected.sum() - 2 * expected)) + np.outer(squares, e.q * e.coverage)) @ J_inv
    own = e.q[:, None] * J_inv
    dq = (z * (z @ e.q)[:, None]) @ J_inv - z2 @ (own + 6 * by_h)
    dq += scored @ (squares[:, None] * own + by_h / 2) - (scored * (scored @ squares)[:, None]) @ own
    triples = e.triples / e.coverage
    third = e3(z, e.q) - e.s * e3(scored, squares)
    ranks = e.s * e.q * triples
    ds = (third + (scored @ ranks) / 2 - 6 * (z2 @ ranks) - z @ triples + dq @ e.slope) / e.scale
    return np.column_stack([dq, ds])


def auroc_intervals(errors: Errors, level: float) -> FloatArray:
    """Intervals of the AUROCs (M, 2): the range of 1/2 + δ over the joint ellipse of q_i and logit ρ."""
    M = len(errors.q)
    se = np.sqrt(np.diag(errors.covariance))
    both = se[:M] * se[M]
    correlation = np.clip(np.divide(errors.covariance[:M, M], both, out=np.zeros(M), where=both > 0), -1, 1)
    angle = np.linspace(0, 2 * np.pi, 144, endpoint=False)[:, None]
    crit = _critical(level)
    kappa = np.clip(errors.logit + crit * se[M] * np.cos(angle), -FARTHEST_LOGIT, FARTHEST_LOGIT)
    q = errors.q + crit * se[:M] * (correlation * np.cos(angle) + np.sqrt(1 - correlation**2) * np.sin(angle))
    delta = np.clip(2 * q * np.cosh(kappa / 2), -0.5, 0.5)
    return 0.5 + np.stack([delta.min(axis=0), delta.max(axis=0)], axis=1)


def prevalence_interval(errors: Errors, level: float) -> FloatArray:
    """Interval of the prevalence, taken on the scale of its logit."""
    half = _critical(level) * np.sqrt(errors.covariance[-1, -1])
    return expit(np.array([errors.logit - half, errors.logit + half]))


def weight_intervals(errors: Errors, weights: FloatArray, equal: float, level: float, *, known: bool) -> FloatArray:
    """Intervals of the weights (M, 2), of which `equal` goes to the mean rank and has no error.

    They are as wide as moments make them, also where refinement or labels have made the weights more certain, and
    hold all there is where without signal nothing is `known`.
    """
    if not known:
        return np.tile([-1.0, 1.0], (len(weights), 1))
    own = weights - equal / len(weights)
    size, length = np.abs(own).sum(), np.abs(errors.q).sum()
    # q keeps its sum of absolute values as it turns, then the weights keep their length.
    turn = size * np.eye(len(weights)) - np.outer(own, np.sign(own))
    D = (turn - np.outer(weights, weights @ turn)) / length
    variance = np.einsum("ij,jk,ik->i", D, errors.covariance[:-1, :-1], D, optimize=True)
    half = _critical(level) * np.sqrt(np.maximum(variance, 0))
    return np.clip(np.stack([weights - half, weights + half], axis=1), -1, 1)


def _critical(level: float) -> float:
    return float(norm.ppf(0.5 + level / 2))


def _bounded_inverse(A: FloatArray, least: float) -> FloatArray:
    """Inverse of a symmetric matrix whose eigenvalues count as no smaller than `least`."""
    A = (A + A.T) / 2
    if _definite(A - least * np.eye(len(A))):
        return np.linalg.inv(A)
    values, vectors = np.linalg.eigh(A)
    return (vectors / np.maximum(values, least)) @ vectors.T


def _definite(A: FloatArray) -> bool:
    """Say whether all eigenvalues are positive, at the price of a Cholesky factor."""
    try:
        np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        return False
    return True
