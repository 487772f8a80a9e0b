"""Rows to an Evaluation: the whole method."""

from collections.abc import Callable, Sequence

import numpy as np

from goldless.moments import SecondMoments, second_moments, third_moment
from goldless.prevalence import Prevalence, auroc, delta, prevalence
from goldless.rank_one import LARGEST_Q, RankOne, chance_level, iterative, sdp
from goldless.result import Evaluation
from goldless.rows import Rows

#: Prior on how far AUROCs lie from their common mean, a standard deviation. Samples enter with their weight: the
#: mean of z_i z_j over n of them has variance 1/(144 n). So the prior steadies few, noisy samples and fades as 1/n.
SPREAD = 0.1
RIDGE = 1 / (144 * (SPREAD / 2) ** 2)

#: The share of the common variance from which two rankings count as identical.
IDENTICAL = 1 - 1e-12


def evaluate(
    rows: Rows, methods: Sequence[str], *, given: float | None = None, solver: str = "iterative"
) -> Evaluation:
    """Judge the methods under conditional independence: SUMMA."""
    second = rows.sum(second_moments)
    bound = LARGEST_Q if given is None else np.sqrt(Prevalence(given).p) / 2
    fit = SOLVERS[solver](second, bound)
    third = rows.sum(third_moment, fit.v)
    found = (
        Prevalence(given) if given is not None else prevalence(fit.lam, third.tau, third.variance, 1 / rows.n_samples)
    )
    return Evaluation(
        methods=tuple(methods),
        n_samples=rows.n_samples,
        auroc=auroc(delta(fit.q, found.p)),
        weights=fit.v,
        coverage=np.diag(second.counts) / rows.n_samples,
        prevalence=found.rho,
        prevalence_given=given is not None,
        strength=fit.lam,
        chance=chance_level(second.counts),
        skew=third.tau,
        duplicates=_duplicates(second, methods),
        solver=solver,
        n_iter=fit.n_iter,
        converged=fit.converged,
        certificate=fit.certificate,
    )


SOLVERS: dict[str, Callable[[SecondMoments, float], RankOne]] = {
    "iterative": lambda second, bound: iterative(second.Q, second.counts, bound=bound, ridge=RIDGE),
    "sdp": lambda second, bound: sdp(second.Q, second.counts, bound=bound),
}


def _duplicates(second: SecondMoments, methods: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Pairs of methods whose rankings of the samples they share are the same."""
    variance = np.diag(second.Q)
    same = IDENTICAL * np.sqrt(np.outer(variance, variance)) <= second.Q
    same &= second.counts == np.diag(second.counts)
    pairs = np.argwhere(np.triu(same & same.T, 1))
    return tuple((methods[i], methods[j]) for i, j in pairs)
