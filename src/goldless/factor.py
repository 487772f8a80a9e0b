"""The latent factor's distribution: AUROCs that hold where methods share more than the label.

Two readings of the same data, neither of which assumes conditional independence.

*Humps.* In normal scores, the methods' weighted sum is a score whose distribution is looked at: two Gaussians of equal
variance, a family of two parameters (prevalence, AUROC of the consensus) on a grid. Its posterior labels every sample
softly, method by method with that method left out; the AUROC is the soft Mann-Whitney statistic.

*Agreement.* The calls of each other method, its top ρ, stand in for the label.

The first is right when the consensus has two humps, and errs upwards as they merge; the second errs downwards, as
calls are no labels. How far to go from one to the other follows from the spread of the factor (diagnosis).
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy.special import expit, ndtri

from goldless.ensemble import log_odds, max_entropy_posterior
from goldless.moments import SecondMoments, second_moments
from goldless.rank_one import iterative
from goldless.ranks import FloatArray
from goldless.result import Consensus
from goldless.rows import Rows, Sums

BINS = 512
EDGE = 5.0
#: Points of the grid over prevalence, and over the AUROC of the consensus.
GRID = 40
#: How far the shape of the consensus is to be trusted is not known: it counts as from this many samples to all of them.
LEAST_EVIDENCE = 50
POWERS = 12
LARGEST_LOADING = 0.99

CENTRES = (np.arange(BINS) + 0.5) / BINS * 2 * EDGE - EDGE


@dataclass(frozen=True)
class ScoreSums(Sums):
    """Sums of the consensus without each method (and, last, with all), and of its squares."""

    n: int
    first: FloatArray
    second: FloatArray


@dataclass(frozen=True)
class Histograms(Sums):
    """By bin of the consensus without method i: rows, rows that i scored, and their sum of z_i."""

    rows: FloatArray
    scored: FloatArray
    z: FloatArray


@dataclass(frozen=True)
class Calls(Sums):
    """Sums over the samples that a pair shares: of 1, of the call of j, of z_i, and of z_i times the call of j."""

    n: FloatArray
    calls: FloatArray
    z: FloatArray
    z_calls: FloatArray


@dataclass(frozen=True)
class Reading:
    """δ and ρ by one reading of the data, and their variances over what the data leave open."""

    delta: FloatArray
    variance: FloatArray
    rho: float
    rho_variance: float


@dataclass(frozen=True)
class Yardstick:
    """What turns a row into factor scores: weights of the normal scores, and the scores' centres and scales.

    Scores without each method come first, the score with all methods last.
    """

    loading: FloatArray
    deviation: FloatArray
    weight: FloatArray
    precision: FloatArray
    centre: FloatArray
    scale: FloatArray

    def bins(self, z: FloatArray) -> npt.NDArray[np.intp]:
        """Bins of the standardised scores without each method, (n, M); what lies beyond goes to the last."""
        M = z.shape[1]
        S = (consensus_scores(z, self.weight, self.precision)[:, :M] - self.centre[:M]) / self.scale[:M]
        return np.clip((S + EDGE) * (BINS / (2 * EDGE)), 0, BINS - 1).astype(np.intp)


@dataclass(frozen=True)
class Belief:
    """What turns a row into the probability of class 1: each method's curve, and how far to go to the consensus."""

    a: FloatArray
    b: FloatArray
    rho: float
    consensus: Consensus | None
    share: float


def yardstick(rows: Rows) -> Yardstick:
    """Weigh the methods by their loadings on the common factor of their normal scores."""
    normal = rows.sum(normal_moments)
    deviation = np.sqrt(np.diag(normal.Q))
    correlation = normal.Q / np.outer(deviation, deviation)
    return read_by(rows, iterative(correlation, normal.counts, bound=LARGEST_LOADING).q, deviation)


def read_by(rows: Rows, loading: FloatArray, deviation: FloatArray) -> Yardstick:
    """Weigh the methods by given loadings; `deviation` is that of their normal scores."""
    ratio = loading / (1 - loading**2)
    weight, precision = ratio / deviation, loading * ratio
    sums = rows.sum(score_sums, weight, precision)
    centre = sums.first / sums.n
    scale = np.sqrt(np.maximum(sums.second / sums.n - centre**2, np.finfo(float).tiny))
    return Yardstick(loading, deviation, weight, precision, centre, scale)


def shared(rows: Rows, spread: float, given: float | None = None) -> tuple[Reading, Consensus]:
    """Judge the methods without independence; `spread` (0 to 1) is that of the factor.

    Also gives the consensus, as a function that new samples can be put through.
    """
    stick = yardstick(rows)
    humps, posterior = _humps(rows, stick, given)
    agreed = agreement(rows.sum(calls, humps.rho), np.maximum(stick.loading, 0))
    # From the humps half-way to the agreement as the spread becomes even.
    share = spread / 2
    delta = (1 - share) * humps.delta + share * agreed
    between = (1 - share) * (humps.delta - delta) ** 2 + share * (agreed - delta) ** 2
    return Reading(delta, humps.variance + between, humps.rho, humps.rho_variance), consensus(stick, posterior)


def consensus(stick: Yardstick, posterior: FloatArray) -> Consensus:
    """Put what new samples need into one object."""
    return Consensus(stick.weight, stick.precision, float(stick.centre[-1]), float(stick.scale[-1]), posterior)


# ---- statistics


def normal_moments(z: FloatArray) -> SecondMoments:
    """Second moments of the normal scores."""
    return second_moments(ndtri(z + 0.5))


def consensus_scores(z: FloatArray, weight: FloatArray, precision: FloatArray) -> FloatArray:
    """Factor scores of each row: M columns with a method left out each, and one with all."""
    scored = ~np.isnan(z)
    # New samples may lie beyond all of the fit, at z = ±1/2.
    normal = np.clip(ndtri(np.where(scored, z, 0.0) + 0.5), -EDGE, EDGE)
    parts = np.where(scored, normal * weight, 0.0)
    known = scored * precision
    parts, known = np.column_stack([parts, np.zeros(len(z))]), np.column_stack([known, np.zeros(len(z))])
    total, all_known = parts.sum(axis=1, keepdims=True), known.sum(axis=1, keepdims=True)
    return (total - parts) / (1 + np.maximum(all_known - known, 0))


def score_sums(z: FloatArray, weight: FloatArray, precision: FloatArray) -> ScoreSums:
    """Sum the factor scores and their squares."""
    S = consensus_scores(z, weight, precision)
    return ScoreSums(len(z), S.sum(axis=0), (S**2).sum(axis=0))


def histograms(z: FloatArray, stick: Yardstick) -> Histograms:
    """Count rows and sum z in the bins of the factor score without each method."""
    M = z.shape[1]
    cell = (stick.bins(z) + BINS * np.arange(M)).ravel()
    scored = ~np.isnan(z)

    def count(weights: FloatArray | None) -> FloatArray:
        flat = weights if weights is None else weights.ravel()
        return np.bincount(cell, flat, BINS * M).reshape(M, BINS).astype(float)

    return Histograms(count(None), count(scored.astype(float)), count(np.where(scored, z, 0.0)))


def calls(z: FloatArray, rho: float) -> Calls:
    """Sum over pairs; a method calls its top ρ."""
    scored = ~np.isnan(z)
    seen, filled = scored.astype(float), np.where(scored, z, 0.0)
    called = (filled > 0.5 - rho) * seen
    return Calls(seen.T @ seen, seen.T @ called, filled.T @ seen, filled.T @ called)


# ---- small algebra


@dataclass(frozen=True)
class Mixtures:
    """Standardised mixtures of two humps: prevalence (G,), log density and posterior of the upper hump (G, BINS)."""

    prevalence: FloatArray
    log_density: FloatArray
    upper: FloatArray


@cache
def mixtures(given: float | None = None) -> Mixtures:
    """All mixtures, uniform in prevalence and in the AUROC of the consensus."""
    cell = (np.arange(GRID) + 0.5) / GRID
    shares = cell if given is None else np.array([given])
    prevalence, auroc = (x.ravel() for x in np.meshgrid(shares, 0.5 + cell / 2, indexing="ij"))
    distance = np.sqrt(2) * ndtri(auroc)
    deviation = 1 / np.sqrt(1 + prevalence * (1 - prevalence) * distance**2)

    def log_density(share: FloatArray, mean: FloatArray) -> FloatArray:
        centred = (CENTRES - (mean * deviation)[:, None]) / deviation[:, None]
        return np.log(share / deviation)[:, None] - centred**2 / 2

    upper = log_density(prevalence, (1 - prevalence) * distance)
    total = np.logaddexp(upper, log_density(1 - prevalence, -prevalence * distance))
    return Mixtures(prevalence, total, np.exp(upper - total))


def soft_delta(histogram: Histograms, upper: FloatArray) -> FloatArray:
    """Soft Mann-Whitney statistic of each method under each posterior, (M, G)."""
    n = np.maximum(histogram.scored.sum(axis=1, keepdims=True), 1)
    share = histogram.scored @ upper.T / n
    contrast = np.maximum(share * (1 - share), np.finfo(float).tiny)
    return np.clip(histogram.z @ upper.T / n / contrast, -0.5, 0.5)


def _humps(rows: Rows, stick: Yardstick, given: float | None) -> tuple[Reading, FloatArray]:
    """Read the distribution of the consensus; also gives the posterior by its bins."""
    histogram = rows.sum(histograms, stick)
    table = mixtures(given)
    evidence = table.log_density @ histogram.rows.mean(axis=0)
    n = rows.n_samples
    trusted, full = _trusted((evidence - evidence.max()) / n, n)
    delta = soft_delta(histogram, table.upper)
    mean = delta @ trusted
    rho = float(full @ table.prevalence)
    rho_variance = float(trusted @ (table.prevalence - rho) ** 2)
    reading = Reading(mean, np.maximum(delta**2 @ trusted - mean**2, 0), rho, rho_variance)
    return reading, trusted @ table.upper


def _trusted(evidence: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
    """Posterior over the grid: averaged over how many samples the evidence counts as, and as all of them."""
    power = np.geomspace(min(LEAST_EVIDENCE, n), n, POWERS)
    weight = np.exp(power[:, None] * evidence)
    weight /= weight.sum(axis=1, keepdims=True)
    return weight.mean(axis=0), weight[-1]


def agreement(sums: Calls, loading: FloatArray) -> FloatArray:
    """δ of each method against the calls of the others, averaged by how much these load on the factor."""
    n = np.maximum(sums.n, 1)
    share = sums.calls / n
    contrast = 4 * share * (1 - share)
    known = (contrast > 0) & ~np.eye(len(share), dtype=bool)
    delta = (sums.z_calls - sums.z * share) / np.where(known, n * contrast / 4, 1.0)
    weight = np.where(known, loading * sums.n * contrast, 0.0)
    total = weight.sum(axis=1)
    return (weight * np.clip(delta, -0.5, 0.5)).sum(axis=1) / np.where(total > 0, total, 1.0)


def belief(
    delta: FloatArray, rho: float, levels: tuple[FloatArray, FloatArray], consensus: Consensus | None, share: float
) -> Belief:
    """Believe the methods' curves of maximum entropy, or the consensus for a `share`, if there is one."""
    a, b = max_entropy_posterior(delta, rho, *levels)
    return Belief(a, b, rho, consensus, share if consensus is not None else 0.0)


def positive(z: FloatArray, belief: Belief) -> FloatArray:
    """Posterior probability of class 1 of each row."""
    alone = expit(log_odds(z, belief.a, belief.b, belief.rho))
    if belief.consensus is None:
        return alone
    return (1 - belief.share) * alone + belief.share * consensus_posterior(z, belief.consensus)


def consensus_posterior(z: FloatArray, consensus: Consensus) -> FloatArray:
    """Posterior probability of class 1 of each row, by its consensus."""
    S = consensus_scores(z, consensus.weights, consensus.precision)[:, -1]
    return np.interp((S - consensus.centre) / consensus.scale, CENTRES, consensus.posterior)
