"""The models: each answers with δ and ρ, and their intervals, by what it assumes."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import norm

from goldless.factor import Reading
from goldless.intervals import Errors, auroc_intervals, prevalence_interval
from goldless.likelihood import Margin, refine
from goldless.moments import class_sums
from goldless.prevalence import Prevalence
from goldless.ranks import FloatArray
from goldless.rows import Rows


@dataclass(frozen=True)
class Answer:
    """δ and ρ, with their intervals."""

    delta: FloatArray
    rho: float
    delta_interval: FloatArray
    rho_interval: FloatArray


@dataclass(frozen=True)
class Settling:
    """Steps that a fit took, whether it settled, and whether it is an average over prevalences."""

    n_iter: int
    converged: bool
    averaged: bool = False


def independent(delta: FloatArray, rho: float, errors: Errors, scored: FloatArray, level: float) -> Answer:
    """Answer by moments, under conditional independence; no interval is narrower than what one sample decides."""
    low, high = auroc_intervals(errors, level).T - 0.5
    least = 0.5 / scored
    interval = np.stack([np.minimum(low, delta - least), np.maximum(high, delta + least)], axis=1)
    low, high = prevalence_interval(errors, level)
    rho_interval = np.array([min(low, rho), max(high, rho)])
    return Answer(delta, rho, np.clip(interval, -0.5, 0.5), rho_interval)


def without_signal(answer: Answer, *, given: bool) -> Answer:
    """Widen the intervals to all there is: where methods agree no more than chance, nothing is identified."""
    everything = np.tile([-0.5, 0.5], (len(answer.delta), 1))
    rho_interval = answer.rho_interval if given else np.array([0.0, 1.0])
    return replace(answer, delta_interval=everything, rho_interval=rho_interval)


def refined(
    rows: Rows, q: FloatArray, answer: Answer, margin: Margin, level: float, *, given: bool
) -> tuple[Answer, Settling]:
    """Answer by likelihood, under conditional independence."""
    found = refine(rows, q, answer.rho, margin, level, given=given)
    answer = Answer(found.delta, found.rho, found.auroc_interval - 0.5, found.prevalence_interval)
    return answer, Settling(found.n_iter, found.converged, found.averaged)


def cautious(answer: Answer, other: Reading, caution: float, scored: FloatArray, level: float) -> Answer:
    """Move from the answer under independence (caution 0) to the one without (1).

    The interval holds both. B tells that there is dependence, not how much of the AUROCs it explains, so past half-way
    their difference stays in it.
    """
    crit = norm.ppf(0.5 + level / 2)
    apart = min(caution, 0.5) * (1 - min(caution, 0.5))
    delta = (1 - caution) * answer.delta + caution * other.delta
    rho = (1 - caution) * answer.rho + caution * other.rho
    first = (np.diff(answer.delta_interval)[:, 0] / 2 / crit) ** 2
    second = other.variance + sampling_variance(other.delta, other.rho, scored)
    between = apart * (answer.delta - other.delta) ** 2
    half = crit * np.sqrt((1 - caution) * first + caution * second + between)
    rho_first = (np.diff(answer.rho_interval)[0] / 2 / crit) ** 2
    rho_between = apart * (answer.rho - other.rho) ** 2
    rho_half = crit * np.sqrt((1 - caution) * rho_first + caution * other.rho_variance + rho_between)
    return Answer(delta, rho, _within(delta, half, 0.5), np.clip([rho - rho_half, rho + rho_half], 0, 1))


def calibrated(rows: Rows, probability: FloatArray, answer: Answer, level: float, *, given: bool) -> Answer:
    """Answer as if the median score were the probability of class 1; how far it is from the other is its error."""
    sums = rows.with_(probability).sum(class_sums)
    rho = answer.rho if given else sums.total / rows.n_samples
    variance = sampling_variance(sums.delta, rho, sums.scored) + (sums.delta - answer.delta) ** 2
    half = norm.ppf(0.5 + level / 2) * np.sqrt(variance)
    rho_error = np.hypot(np.sqrt(rho * (1 - rho) / rows.n_samples), rho - answer.rho)
    rho_half = 0.0 if given else norm.ppf(0.5 + level / 2) * rho_error
    return Answer(sums.delta, rho, _within(sums.delta, half, 0.5), np.clip([rho - rho_half, rho + rho_half], 0, 1))


def sampling_variance(delta: FloatArray, rho: float, scored: FloatArray) -> FloatArray:
    """Variance of δ by sampling alone, the classes being known: of z within them, over n p."""
    p = max(Prevalence(rho).p, 1 / float(scored.max()))
    return np.maximum(1 / 12 - p * delta**2, 0.05 / 12) / (scored * p)


def _within(centre: FloatArray, half: FloatArray, bound: float) -> FloatArray:
    return np.clip(np.stack([centre - half, centre + half], axis=1), -bound, bound)
