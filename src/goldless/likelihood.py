"""Refinement of the estimate by maximum likelihood, with the parameters' own uncertainty taken into account.

The maximum-entropy posterior of a method (lem:prob) is a density in disguise: where `log P_i(1|z)/P_i(0|z)` is
`a_i + Σ_j b_ij φ_j(z)` and the mean of P_i is ρ, `P_i/ρ` and `(1-P_i)/(1-ρ)` are the densities of z in the two classes.
So the mixture has a likelihood, and EM on it never falls. φ_j are orthonormal Legendre polynomials: one of them is the
form of the paper (Fermi-Dirac), three allow classes that differ in more than location.

Three things keep it from fitting noise, none of them a switch on N or M: a normal prior on b, its spread learnt from
the methods; ρ integrated on a grid unless it is known well; and labels softened by the uncertainty of b.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from goldless.ranks import FloatArray
from goldless.rows import Rows, Sums

#: Numbers of polynomials that are tried: location only, and location with two terms of shape.
SHAPES = (1, 3)
#: The standard error of logit ρ below which averaging over ρ would change nothing that matters.
WELL_KNOWN = 0.1
#: Log evidence by which one answer must lie behind another to be left out.
FAR_BEHIND = 8.0
GRID = 13
MOST_ZOOMS = 5
MOST_STEPS = 400
PRIOR_EVERY = 6
LARGEST_SLOPE = 12.0
SMALLEST_SPREAD = 1e-4

#: Levels (L, M) of each method's z, and their shares.
Margin = tuple[FloatArray, FloatArray]


def polynomials(z: FloatArray, J: int) -> list[FloatArray]:
    """Orthonormal Legendre polynomials of order 1 to J on (-1/2, 1/2)."""
    x = 2 * z
    return [np.sqrt(3) * x, np.sqrt(5) / 2 * (3 * x**2 - 1), np.sqrt(7) / 2 * x * (5 * x**2 - 3)][:J]


def _derivatives(z: FloatArray, J: int) -> list[FloatArray]:
    x = 2 * z
    return [np.full_like(x, 2 * np.sqrt(3)), 6 * np.sqrt(5) * x, np.sqrt(7) * (15 * x**2 - 3)][:J]


def _integrals(z: FloatArray, J: int) -> list[FloatArray]:
    """Integrals of the polynomials from -1/2 to z."""
    x = 2 * z
    P = [np.ones_like(x), x, (3 * x**2 - 1) / 2, (5 * x**3 - 3 * x) / 2, (35 * x**4 - 30 * x**2 + 3) / 8]
    return [(P[j + 1] - P[j - 1]) / (2 * np.sqrt(2 * j + 1)) for j in range(1, J + 1)]


@dataclass(frozen=True)
class Curve:
    """The posteriors of all methods at prevalence ρ: a (M,), b (J, M); and the levels and shares of z, (L, M)."""

    rho: float
    a: FloatArray
    b: FloatArray
    levels: FloatArray
    shares: FloatArray

    @property
    def p(self) -> float:
        """ρ(1-ρ)."""
        return self.rho * (1 - self.rho)

    @property
    def phi(self) -> FloatArray:
        """The polynomials at the levels, (J, L, M)."""
        return np.stack(polynomials(self.levels, len(self.b)))

    @property
    def own_log_odds(self) -> FloatArray:
        """Log P_i(1|z)/P_i(0|z) at the levels, (L, M)."""
        return self.a + np.einsum("jlm,jm->lm", self.phi, self.b)

    def moments(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """E[P(1-P)] (M,), E[P(1-P) φ_j] (J, M) and E[P(1-P) φ_j φ_l] (M, J, J)."""
        P, phi = expit(self.own_log_odds), self.phi
        s = P * (1 - P) * self.shares
        weighted = phi * s
        return s.sum(axis=0), weighted.sum(axis=1), np.einsum("jlm,klm->mjk", weighted, phi, optimize=True)

    def log_odds(self, scored: FloatArray, phi: list[FloatArray]) -> FloatArray:
        """Log-odds of each row: products only, and no exponential of N M numbers."""
        kappa = logit(self.rho)
        return kappa + scored @ (self.a - kappa) + sum(f @ b for f, b in zip(phi, self.b, strict=True))

    def by_parameters(self, scored: FloatArray, phi: list[FloatArray]) -> FloatArray:
        """Differentiate each row's log-odds by (logit ρ, b), (n, 1 + J M); a follows from ρ and b."""
        S0, S1, _ = self.moments()
        by_kappa = 1 + scored @ (self.p / S0 - 1)
        return np.column_stack([by_kappa, *(f - scored * (s / S0) for f, s in zip(phi, S1, strict=True))])


def _features(z: FloatArray, J: int) -> tuple[FloatArray, list[FloatArray]]:
    """Which entries are scored (1 or 0), and the polynomials, 0 where they are not."""
    scored = ~np.isnan(z)
    return scored.astype(float), [np.where(scored, f, 0.0) for f in polynomials(np.where(scored, z, 0.0), J)]


# ---- statistics


@dataclass(frozen=True)
class Expectation(Sums):
    """Sums of the E step: w is the posterior probability of class 1."""

    n: int
    scored: FloatArray
    softplus: float
    w: float
    w_scored: FloatArray
    w_phi: FloatArray


@dataclass(frozen=True)
class Matrix(Sums):
    """A sum of outer products."""

    total: FloatArray


@dataclass(frozen=True)
class SoftLabels(Sums):
    """Sums over the scored rows of softened labels w, and of w z."""

    w: FloatArray
    w_z: FloatArray


@dataclass(frozen=True)
class Squares(Sums):
    """Sums and sums of squares of the rows' influences."""

    first: FloatArray
    second: FloatArray


def expectation(z: FloatArray, curve: Curve) -> Expectation:
    """Sum what the M step needs; O(n M)."""
    scored, phi = _features(z, len(curve.b))
    eta = curve.log_odds(scored, phi)
    w = expit(eta)
    return Expectation(
        len(z),
        scored.sum(axis=0),
        float(np.logaddexp(0, eta).sum()),
        float(w.sum()),
        w @ scored,
        np.array([w @ f for f in phi]),
    )


def doubt(z: FloatArray, curve: Curve) -> Matrix:
    """Sum w(1-w) y yᵀ, y the derivative of the log-odds: what unknown labels take away; O(n J² M²)."""
    scored, phi = _features(z, len(curve.b))
    w = expit(curve.log_odds(scored, phi))
    y = curve.by_parameters(scored, phi)
    return Matrix((y * (w * (1 - w))[:, None]).T @ y)


def soft_labels(z: FloatArray, curve: Curve, covariance: FloatArray) -> SoftLabels:
    """Sum labels that are softened by the covariance of b (MacKay's approximation of their posterior mean)."""
    scored, phi = _features(z, len(curve.b))
    y = curve.by_parameters(scored, phi)[:, 1:]
    variance = np.einsum("kx,kx->k", y @ covariance, y)
    w = expit(curve.log_odds(scored, phi) / np.sqrt(1 + np.pi / 8 * variance))
    return SoftLabels(w @ scored, w @ np.where(np.isnan(z), 0.0, z))


def _direct(scored: FloatArray, phi: list[FloatArray], curve: Curve, delta: FloatArray, n: FloatArray) -> FloatArray:
    """Give what a row with label 1 adds to n times (δ_1, ..., δ_M, ρ), less what one with label 0 does."""
    by_class = (phi[0] / np.sqrt(12) - scored * (delta * (1 - 2 * curve.rho))) / curve.p
    return np.column_stack([by_class * n, np.ones(len(scored))])


def cross(z: FloatArray, curve: Curve, delta: FloatArray, n: FloatArray) -> Matrix:
    """Sum w(1-w) d yᵀ, d the direct part of a row's influence: how the answer moves with the parameters."""
    scored, phi = _features(z, len(curve.b))
    w = expit(curve.log_odds(scored, phi))
    d = _direct(scored, phi, curve, delta, n)
    return Matrix((d * (w * (1 - w))[:, None]).T @ curve.by_parameters(scored, phi))


def influence_squares(
    z: FloatArray, curve: Curve, delta: FloatArray, n: FloatArray, C: FloatArray, B: FloatArray, centre: FloatArray
) -> Squares:
    """Add up squares of the rows' influences: direct, through the parameters (C), through the ranks of others (B).

    `centre` is what they are on average over the rows that a method scored, and nothing over the others.
    """
    scored, phi = _features(z, len(curve.b))
    w = expit(curve.log_odds(scored, phi))
    psi = w[:, None] * (_direct(scored, phi, curve, delta, n) + curve.by_parameters(scored, phi) @ C.T)
    psi += np.column_stack(phi) @ B.T - scored @ centre
    return Squares(psi.sum(axis=0), (psi**2).sum(axis=0))


# ---- the EM step


@dataclass(frozen=True)
class Prior:
    """b_ij ~ N(centre_ij, spread_j)."""

    centre: FloatArray
    spread: FloatArray


def maximised(curve: Curve, target: FloatArray, prior: Prior, scored: FloatArray, steps: int = 4) -> Curve:
    """M step: E P_i = ρ and E[φ_j P_i] + (b - centre)/(spread N_i) = target, by damped Newton for all methods."""
    J, M = curve.b.shape
    phi = curve.phi
    precision = 1 / (prior.spread[:, None] * scored)
    diagonal = np.arange(J) + 1
    for _ in range(steps):
        P = expit(curve.own_log_odds) * curve.shares
        S0, S1, S2 = curve.moments()
        system = np.empty((M, J + 1, J + 1))
        system[:, 0, 0], system[:, 0, 1:], system[:, 1:, 0], system[:, 1:, 1:] = S0, S1.T, S1.T, S2
        system[:, diagonal, diagonal] += precision.T + 1e-9
        gap = target - np.einsum("jlm,lm->jm", phi, P) - (curve.b - prior.centre) * precision
        residual = np.column_stack([curve.rho - P.sum(axis=0), gap.T])
        step = np.linalg.solve(system, residual[..., None])[..., 0]
        step *= np.minimum(1, 1.5 / np.maximum(np.abs(step).max(axis=1), 1e-12))[:, None]
        b = np.clip(curve.b + step[:, 1:].T, -LARGEST_SLOPE, LARGEST_SLOPE)
        curve = replace(curve, a=curve.a + step[:, 0], b=b)
        if np.abs(step).max() < 1e-6:
            break
    return curve


def _start(rho: float, q: FloatArray, J: int, margin: Margin) -> tuple[Curve, Prior]:
    """Start at the moment estimate."""
    M = len(q)
    b = np.zeros((J, M))
    b[0] = np.sqrt(12) * np.clip(q / np.sqrt(rho * (1 - rho)), -0.45, 0.45)
    tight = Prior(b, np.full(J, 1e-6))
    curve = Curve(rho, np.full(M, logit(rho)), b, *margin)
    curve = maximised(curve, np.zeros((J, M)), tight, np.ones(M), steps=25)
    centre = np.zeros((J, M))
    centre[0] = b[0].mean()
    return curve, Prior(centre, np.append(max(b[0].var(), 0.02), np.full(J - 1, 0.03)))


def _relearnt(prior: Prior, b: FloatArray, information: FloatArray) -> Prior:
    """Learn the prior from the methods: a common slope; shapes that go with the slope."""
    J, M = b.shape
    root = np.repeat(np.sqrt(prior.spread), M)
    V = _bounded_inverse(np.eye(J * M) + information * np.outer(root, root), 1.0) * np.outer(root, root)
    centre = np.empty_like(b)
    centre[0] = b[0].mean()
    X = np.column_stack([np.ones(M), b[0]])
    for j in range(1, J):
        centre[j] = X @ _shape_law(X, b[j], prior.spread[j])
    spread = ((b - centre) ** 2).sum(axis=1) / (M - 1) + np.diag(V).reshape(J, M).mean(axis=1)
    return Prior(centre, np.maximum(spread, SMALLEST_SPREAD))


def _shape_law(X: FloatArray, b: FloatArray, spread: float) -> FloatArray:
    """Ridge fit of a shape coefficient by the slope; its own prior is N(0, 1/4)."""
    return np.linalg.solve(X.T @ X + 4 * spread * np.eye(2), X.T @ b)


def _information(sums: Expectation, missing: FloatArray, curve: Curve) -> FloatArray:
    """Observed information on (logit ρ, b): that of known labels less what is missing (Louis)."""
    J, M = curve.b.shape
    S0, _, _ = curve.moments()
    H = -missing
    H[0, 0] += curve.p * (sums.n + sums.scored @ (curve.p / S0 - 1))
    own = np.arange(M)
    H[1:, 1:].reshape(J, M, J, M)[:, own, :, own] += sums.scored[:, None, None] * _complete(curve)
    return (H + H.T) / 2


def _complete(curve: Curve) -> FloatArray:
    """Information of a row with a known label on b of each method, (M, J, J)."""
    S0, S1, S2 = curve.moments()
    return S2 - np.einsum("jm,lm->mjl", S1, S1) / S0[:, None, None]


@dataclass(frozen=True)
class Fit:
    """Where EM settled, and what is known about it there."""

    curve: Curve
    prior: Prior
    n: int
    scored: FloatArray
    delta: FloatArray
    delta_error: FloatArray
    logit_error: float
    evidence: float
    information: FloatArray
    missing: FloatArray
    n_iter: int
    converged: bool


def em(rows: Rows, q: FloatArray, rho: float, J: int, margin: Margin, *, free: bool) -> Fit:
    """EM from the moment estimate, at fixed ρ or (free) with ρ under a Beta(2, 2) prior."""
    curve, prior = _start(rho, q, J, margin)
    converged = False
    for n_iter in range(1, MOST_STEPS + 1):
        sums = rows.sum(expectation, curve)
        moved = 0.0
        if n_iter % PRIOR_EVERY == 0:
            information = _information(sums, rows.sum(doubt, curve).total, curve)[1:, 1:]
            before, prior = prior, _relearnt(prior, curve.b, information)
            moved = float(np.abs(np.log(prior.spread / before.spread)).max())
        if free:
            rho, target = (sums.w + 1) / (sums.n + 2), sums.w_phi / sums.scored
        else:
            # a follows b so that the mean of P stays ρ, which the mean of w need not be.
            S0, S1, _ = curve.moments()
            target = (sums.w_phi - S1 / S0 * (sums.w_scored - sums.scored * rho)) / sums.scored
        last, curve = curve, maximised(replace(curve, rho=rho), target, prior, sums.scored)
        step = max(np.abs(curve.b - last.b).max(), abs(logit(curve.rho) - logit(last.rho)))
        converged = bool(step < 1e-3 and moved < 0.1 and n_iter >= PRIOR_EVERY)
        if converged:
            break
    return _settled(rows, curve, prior, n_iter, converged)


def _settled(rows: Rows, curve: Curve, prior: Prior, n_iter: int, converged: bool) -> Fit:
    J, M = curve.b.shape
    sums, missing = rows.sum(expectation, curve), rows.sum(doubt, curve).total
    H = _information(sums, missing, curve)
    precision = np.append(2 * curve.p, np.repeat(1 / prior.spread, M))
    K = H + np.diag(precision)
    definite = np.linalg.eigvalsh(K)[0] > 1e-8
    V = _bounded_inverse(H[1:, 1:] + np.diag(precision[1:]), 0.2 / prior.spread.max())
    slope = _complete(curve)[:, 0, :] / (np.sqrt(12) * curve.p)  # d δ_i / d b_i, where δ_i = E[z P_i]/p
    own = V.reshape(J, M, J, M)[:, np.arange(M), :, np.arange(M)]
    soft = rows.sum(soft_labels, curve, V)
    w = soft.w / sums.scored
    return Fit(
        curve=curve,
        prior=prior,
        n=sums.n,
        scored=sums.scored,
        delta=np.clip(soft.w_z / sums.scored / np.maximum(w * (1 - w), 1e-4), -0.5, 0.5),
        delta_error=np.sqrt(np.einsum("mj,mjl,ml->m", slope, own, slope)),
        logit_error=float(np.sqrt(np.linalg.inv(K)[0, 0])) if definite else np.inf,
        evidence=_evidence(sums, curve, prior, H),
        information=H,
        missing=missing,
        n_iter=n_iter,
        converged=converged,
    )


def log_likelihood(sums: Expectation, curve: Curve) -> float:
    """Log-likelihood of the mixture."""
    normaliser = np.sum(curve.shares * np.logaddexp(0, curve.own_log_odds), axis=0) + np.log1p(-curve.rho)
    return float(sums.softplus + sums.n * np.log1p(-curve.rho) - sums.scored @ normaliser)


def _evidence(sums: Expectation, curve: Curve, prior: Prior, H: FloatArray) -> float:
    """Log evidence at this ρ: b integrated by Laplace, the law of the shapes too."""
    J, M = curve.b.shape
    root = np.repeat(np.sqrt(prior.spread), M)
    gains = np.maximum(np.linalg.eigvalsh(H[1:, 1:] * np.outer(root, root)), 0)
    value = log_likelihood(sums, curve) - 0.5 * np.log1p(gains).sum()
    value -= 0.5 * ((curve.b - prior.centre) ** 2 / prior.spread[:, None]).sum()
    X = np.column_stack([np.ones(M), curve.b[0]])
    information = np.maximum(np.diag(H)[1:].reshape(J, M), 1e-9)
    for j in range(1, J):
        law = _shape_law(X, curve.b[j], prior.spread[j])
        weight = 1 / (prior.spread[j] + 1 / information[j])
        value -= 0.5 * np.linalg.slogdet(np.eye(2) + (X * weight[:, None]).T @ X / 4)[1] + 2 * law @ law
    return float(value)


# ---- the refined estimate


@dataclass(frozen=True)
class Refined:
    """δ, ρ and their intervals; `averaged` where ρ was too uncertain for a single answer."""

    delta: FloatArray
    rho: float
    auroc_interval: FloatArray
    prevalence_interval: FloatArray
    averaged: bool
    n_iter: int
    converged: bool


def refine(rows: Rows, q: FloatArray, rho: float, margin: Margin, level: float, *, given: bool = False) -> Refined:
    """Refine the moment estimate (q, ρ), given the levels and shares of each method's z."""
    if given:
        fits = [em(rows, q, rho, J, margin, free=False) for J in SHAPES]
        return _average(fits, np.array([fit.evidence for fit in fits]), level)
    start = float(np.clip(rho, 0.03, 0.97))
    modes = [em(rows, q, start, J, margin, free=True) for J in SHAPES]
    best = max(modes, key=lambda fit: fit.evidence)
    rivals = [fit for fit in modes if fit.evidence > best.evidence - FAR_BEHIND]
    if all(fit.logit_error < WELL_KNOWN for fit in rivals):
        return _at_mode(rows, best, level)
    return _over_prevalences(rows, q, margin, level)


def _over_prevalences(rows: Rows, q: FloatArray, margin: Margin, level: float) -> Refined:
    """Average over a grid of logit ρ, narrowed to where the evidence lies."""
    limit = min(3.5, float(np.log(max(rows.n_samples - 1, 2))))
    grid = np.linspace(-limit, limit, GRID)
    for _ in range(MOST_ZOOMS):
        fits = [em(rows, q, float(expit(kappa)), J, margin, free=False) for J in SHAPES for kappa in grid]
        rho = np.array([fit.curve.rho for fit in fits])
        # Beta(2, 2) prior of ρ, on the scale of the logit
        evidence = np.array([fit.evidence for fit in fits]) + 2 * np.log(rho * (1 - rho))
        best = evidence.reshape(len(SHAPES), GRID).max(axis=0)
        weight = np.exp(best - best.max())
        if weight.sum() ** 2 / (weight @ weight) > 3:
            break
        near = np.flatnonzero(best > best.max() - FAR_BEHIND)
        grid = np.linspace(grid[max(near[0] - 1, 0)], grid[min(near[-1] + 1, GRID - 1)], GRID)
    return _average(fits, evidence, level)


def _average(fits: Sequence[Fit], evidence: FloatArray, level: float) -> Refined:
    """Mean and quantiles of the mixture of the fits' answers."""
    weight = np.exp(evidence - evidence.max())
    weight /= weight.sum()
    delta = np.array([fit.delta for fit in fits])
    rho = np.array([fit.curve.rho for fit in fits])
    tails = np.array([0.5 - level / 2, 0.5 + level / 2])
    bounds = [_mixture_quantile(tail, weight, delta, np.array([fit.delta_error for fit in fits])) for tail in tails]
    return Refined(
        delta=weight @ delta,
        rho=float(weight @ rho),
        auroc_interval=np.clip(0.5 + np.stack(bounds, axis=1), 0, 1),
        prevalence_interval=_grid_quantiles(tails, weight, rho),
        averaged=True,
        n_iter=max(fit.n_iter for fit in fits),
        converged=all(fit.converged for fit in fits),
    )


def _mixture_quantile(tail: float, weight: FloatArray, centre: FloatArray, error: FloatArray) -> FloatArray:
    """Quantile of a mixture of normals, method by method, by bisection."""
    low, high = (centre - 8 * error).min(axis=0), (centre + 8 * error).max(axis=0)
    for _ in range(50):
        middle = (low + high) / 2
        below = weight @ norm.cdf((middle - centre) / error) < tail
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


def _grid_quantiles(tails: FloatArray, weight: FloatArray, rho: FloatArray) -> FloatArray:
    """Quantiles of ρ, its mass spread evenly over the cells of the grid."""
    kappa, cell = np.unique(np.round(logit(rho), 9), return_inverse=True)
    if len(kappa) == 1:
        return np.full(2, rho[0])
    half = (kappa[1] - kappa[0]) / 2
    mass = np.append(0, np.cumsum(np.bincount(cell, weight)))
    return expit(np.interp(tails, mass, np.append(kappa - half, kappa[-1] + half)))


def _at_mode(rows: Rows, fit: Fit, level: float) -> Refined:
    """Answer by the mode, with intervals from the influence of each row."""
    weight = fit.n / fit.scored
    moved = rows.sum(cross, fit.curve, fit.delta, weight).total
    M = len(fit.delta)
    K = fit.information + np.diag(np.append(2 * fit.curve.p, np.repeat(1 / fit.prior.spread, M)))
    C = np.linalg.solve(K, moved.T).T
    B, centre = _rank_influence(fit, moved, C, weight), _centre(rows.sum(expectation, fit.curve), fit, C, weight)
    squares = rows.sum(influence_squares, fit.curve, fit.delta, weight, C, B, centre)
    error = np.sqrt(squares.second - squares.first**2 / fit.n) / fit.n
    centre = np.clip(np.append(0.5 + fit.delta, fit.curve.rho), 1e-6, 1 - 1e-6)
    half = norm.ppf(0.5 + level / 2) * error / (centre * (1 - centre))
    interval = expit(np.stack([logit(centre) - half, logit(centre) + half], axis=1))
    return Refined(fit.delta, fit.curve.rho, interval[:-1], interval[-1], False, fit.n_iter, fit.converged)


def _centre(sums: Expectation, fit: Fit, C: FloatArray, weight: FloatArray) -> FloatArray:
    """Mean of each method's part in a row's influence, over the rows that it scored, (M, M + 1)."""
    curve, own = fit.curve, np.arange(len(weight))
    S0, S1, _ = curve.moments()
    w, w_phi = sums.w_scored / sums.scored, sums.w_phi / sums.scored
    direct = np.zeros((len(weight), len(weight) + 1))
    direct[own, own] = weight / curve.p * (w_phi[0] / np.sqrt(12) - w * fit.delta * (1 - 2 * curve.rho))
    slopes = np.zeros((len(weight), *curve.b.shape))
    slopes[own, :, own] = (w_phi - w * S1 / S0).T
    by_parameters = np.column_stack([w * (curve.p / S0 - 1), slopes.reshape(len(weight), -1)])
    return direct + by_parameters @ C.T


def _rank_influence(fit: Fit, moved: FloatArray, C: FloatArray, weight: FloatArray) -> FloatArray:
    """B such that a row moves (δ_1, ..., δ_M, ρ) by B φ(z)/n, constants aside, through the ranks of the others.

    That is E[dψ_c/dz_i | z_i], at the levels of z_i, integrated against each polynomial. The sums over rows that the
    expectation needs are those of `doubt` and `cross`, taken back from derivatives to polynomials.
    """
    curve = fit.curve
    J, M = curve.b.shape
    S0, S1, _ = curve.moments()
    T = np.eye(1 + J * M)
    T[0, 0] = 1 + np.sum(curve.p / S0 - 1)
    T[1:, 0] = -(S1 / S0).ravel()
    f = np.linalg.solve(T, (moved + C @ fit.missing).T).T / fit.n
    by_phi = C[:, 1:].reshape(M + 1, J, M).copy()
    by_phi[np.arange(M), 0, np.arange(M)] += weight / (np.sqrt(12) * curve.p)
    slopes = np.stack(_derivatives(curve.levels, J))
    expected = f[:, :1] + np.einsum("jlm,cjm->lcm", curve.phi, f[:, 1:].reshape(M + 1, J, M), optimize=True)
    D = expected * np.einsum("jlm,jm->lm", slopes, curve.b)[:, None, :]
    D += np.einsum("jlm,cjm->lcm", slopes, by_phi, optimize=True) * expit(curve.own_log_odds)[:, None, :]
    integrals = np.stack(_integrals(curve.levels, J)) * curve.shares
    return np.einsum("lcm,jlm->cjm", D, integrals, optimize=True).reshape(M + 1, J * M)


def _bounded_inverse(A: FloatArray, least: float) -> FloatArray:
    values, vectors = np.linalg.eigh(A)
    return (vectors / np.maximum(values, least)) @ vectors.T
