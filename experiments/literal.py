"""SUMMA to the letter of the paper: none of what goldless adds for few samples, few methods and noisy third moments.

alg:iter by its fixed point, the least squares of eq. matrix_completion, without bounds and without a prior; alg:iter_t
for the third order; AUROCs as they come, beyond 0 and 1 too; turned so that most methods are better than chance.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from goldless.moments import second_moments
from goldless.prevalence import prevalence
from goldless.rank_one import iterative, tensor_iteration
from goldless.ranks import rank
from goldless.rows import Rows


@dataclass(frozen=True)
class Found:
    """AUROC of each method, the prevalence, and the combined score of each sample."""

    auroc: Any
    prevalence: float
    score: Any


def summa(scores: Any) -> Found:
    """Judge and combine methods as the paper prints it, with the erratum D1 on the sign of the third order."""
    rows = _ranked(scores)
    q = _completed(rows)
    direction, sigma = tensor_iteration(rows, q)
    rho = prevalence(q @ q, np.sign(direction.q @ q) * sigma)
    return Found(0.5 + q / np.sqrt(rho.p), rho.rho, rows.z @ q)


def combined(scores: Any) -> Any:
    """Combine methods, which takes the second order alone."""
    rows = _ranked(scores)
    return rows.z @ _completed(rows)


def _ranked(scores: Any) -> Rows:
    return Rows(rank(np.asarray(scores, dtype=float))[0])


def _completed(rows: Rows) -> Any:
    q = iterative(rows.sum(second_moments).Q, bound=np.inf).q
    return q if np.sum(q > 0) >= len(q) / 2 else -q
