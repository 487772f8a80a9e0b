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

import numpy as np
from scipy.special import ndtri

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


def shared(rows: Rows, spread: float, given: float | None = None) -> tuple[Reading, Consensus]:
    """Judge the methods without independence; `spread` (0 to 1) is that of the factor.

    Also gives the consensus, as a function that new samples can be put through.
    """
    normal = rows.sum(normal_moments)
    deviation = np.sqrt(np.diag(normal.Q))
    correlation = normal.Q / np.outer(deviation, deviation)
    loading = iterative(correlation, normal.counts, bound=LARGEST_LOADING).q
    weight = loading / (1 - loading**2)
    humps, consensus = _humps(rows, weight / deviation, loading * weight, given)
    agreed = agreement(rows.sum(calls, humps.rho), np.maximum(loading, 0))
    # From the humps half-way to the agreement as the spread becomes even.
    share = spread / 2
    delta = (1 - share) * humps.delta + share * agreed
    between = (1 - share) * (humps.delta - delta) ** 2 + share * (agreed - delta) ** 2
    return Reading(delta, humps.variance + between, humps.rho, humps.rho_variance), consensus


# ---- statistics


def normal_moments(z: FloatArray) -> SecondMoments:
    """Second moments of the normal scores."""
    return second_moments(ndtri(z + 0.5))


def consensus_scores(z: FloatArray, weight: FloatArray, precision: FloatArray) -> FloatArray:
    """Factor scores of each row: M columns with a method left out each, and one with all."""
    scored = ~np.isnan(z)
    parts = np.where(scored, ndtri(np.where(scored, z, 0.0) + 0.5) * weight, 0.0)
    known = scored * precision
    parts, known = np.column_stack([parts, np.zeros(len(z))]), np.column_stack([known, np.zeros(len(z))])
    total, all_known = parts.sum(axis=1, keepdims=True), known.sum(axis=1, keepdims=True)
    return (total - parts) / (1 + np.maximum(all_known - known, 0))


def score_sums(z: FloatArray, weight: FloatArray, precision: FloatArray) -> ScoreSums:
    """Sum the factor scores and their squares."""
    S = consensus_scores(z, weight, precision)
    return ScoreSums(len(z), S.sum(axis=0), (S**2).sum(axis=0))


def histograms(
    z: FloatArray, weight: FloatArray, precision: FloatArray, centre: FloatArray, scale: FloatArray
) -> Histograms:
    """Count rows and sum z in the bins of the standardised factor score without each method."""
    M = z.shape[1]
    S = (consensus_scores(z, weight, precision)[:, :M] - centre[:M]) / scale[:M]
    cell = bins(S) + BINS * np.arange(M)
    scored = ~np.isnan(z)

    def count(weights: FloatArray | None) -> FloatArray:
        flat = weights if weights is None else weights.ravel()
        return np.bincount(cell.ravel(), flat, BINS * M).reshape(M, BINS).astype(float)

    return Histograms(count(None), count(scored.astype(float)), count(np.where(scored, z, 0.0)))


def bins(S: FloatArray) -> FloatArray:
    """Bin of each standardised score; what lies beyond the edges goes to the last."""
    return np.clip((S + EDGE) * (BINS / (2 * EDGE)), 0, BINS - 1).astype(int)


def calls(z: FloatArray, rho: float) -> Calls:
    """Sum over pairs; a method calls its top ρ."""
    scored = ~np.isnan(z)
    seen, filled = scored.astype(float), np.where(scored, z, 0.0)
    called = (filled > 0.5 - rho) * seen
    return Calls(seen.T @ seen, seen.T @ called, filled.T @ seen, filled.T @ called)


# ---- small algebra


def _mixtures(given: float | None) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Standardised mixtures: prevalence (G,), log density (G, BINS), posterior of the upper hump (G, BINS)."""
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
    return prevalence, total, np.exp(upper - total)


def _humps(rows: Rows, weight: FloatArray, precision: FloatArray, given: float | None) -> tuple[Reading, Consensus]:
    sums = rows.sum(score_sums, weight, precision)
    centre = sums.first / sums.n
    scale = np.sqrt(np.maximum(sums.second / sums.n - centre**2, np.finfo(float).tiny))
    histogram = rows.sum(histograms, weight, precision, centre, scale)
    prevalence, log_density, upper = _mixtures(given)
    evidence = log_density @ histogram.rows.mean(axis=0)
    trusted, full = _trusted((evidence - evidence.max()) / sums.n, sums.n)
    n = np.maximum(histogram.scored.sum(axis=1, keepdims=True), 1)
    share = histogram.scored @ upper.T / n
    # soft Mann-Whitney statistic of each method under each mixture, (M, G)
    delta = histogram.z @ upper.T / n / np.maximum(share * (1 - share), np.finfo(float).tiny)
    delta = np.clip(delta, -0.5, 0.5)
    mean = delta @ trusted
    rho = float(full @ prevalence)
    reading = Reading(mean, np.maximum(delta**2 @ trusted - mean**2, 0), rho, float(trusted @ (prevalence - rho) ** 2))
    return reading, Consensus(weight, precision, float(centre[-1]), float(scale[-1]), trusted @ upper)


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


def consensus_posterior(z: FloatArray, consensus: Consensus) -> FloatArray:
    """Posterior probability of class 1 of each row, by its consensus."""
    S = consensus_scores(z, consensus.weights, consensus.precision)[:, -1]
    return np.interp((S - consensus.centre) / consensus.scale, CENTRES, consensus.posterior)
