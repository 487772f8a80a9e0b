"""The paper's Gaussian classifiers, with the truth attached."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import norm
from sklearn.utils import check_random_state

from goldless.checks import (
    check_aurocs,
    check_count,
    check_groups,
    check_interval,
    check_numbers,
    check_prevalence,
    check_variances,
)
from goldless.ranks import FloatArray


@dataclass(frozen=True, eq=False)
class Simulation:
    """Simulated scores and the truth behind them.

    Attributes
    ----------
    scores : ndarray of shape (n_samples, n_methods)
        What the methods gave.
    labels : ndarray of shape (n_samples,)
        The true classes, 0 or 1.
    auroc : ndarray of shape (n_methods,)
        AUROC of each method in the population.
    """

    scores: FloatArray
    labels: npt.NDArray[np.int64]
    auroc: FloatArray


def simulate(
    n_samples: int = 1000,
    n_methods: int = 30,
    prevalence: float = 0.5,
    auroc: Any = (0.4, 0.8),
    groups: Sequence[int] | Sequence[Sequence[int]] | None = None,
    random_state: Any = None,
    *,
    correlation: float = 0.5,
    variances: tuple[float, float] = (1.0, 1.0),
) -> Simulation:
    """Simulate Gaussian classifiers as in the paper's section on synthetic data.

    Within a class each method's scores are Gaussian, and independent of those of the other methods unless
    `groups` says otherwise.

    Parameters
    ----------
    n_samples, n_methods : int
        Size of the table.
    prevalence : float
        Share of positive samples; their number is this share, rounded.
    auroc : pair of float or array of shape (n_methods,)
        Bounds between which the population AUROCs are drawn uniformly, or the AUROCs themselves.
    groups : sequence, optional
        Which methods share a Gaussian factor within the classes: a group number for each method
        (negative: alone), or a list of lists of column numbers.
    random_state : int, RandomState instance or None
        Seed.
    correlation : float
        Within-class correlation of two methods of a group.
    variances : pair of float
        Variance of the scores in class 0 and in class 1.

    Returns
    -------
    Simulation
        `.scores`, `.labels` and `.auroc`, the population values.

    Examples
    --------
    >>> import goldless as gl
    >>> data = gl.simulate(n_samples=200, n_methods=5, random_state=0)
    >>> data.scores.shape, int(data.labels.sum())
    ((200, 5), 100)
    """
    auroc, spreads = check_numbers(np.asarray(auroc), "auroc"), check_numbers(np.asarray(variances), "variances")
    check_count("n_samples", n_samples, 1)
    check_count("n_methods", n_methods, 1)
    check_prevalence(prevalence)
    check_interval("correlation", correlation, 1)
    check_variances(spreads)
    check_groups([-1] * n_methods if groups is None else groups, n_methods)
    random = check_random_state(random_state)
    labels = (np.arange(n_samples) < round(n_samples * prevalence)).astype(int)
    random.shuffle(labels)
    if auroc.shape == (2,) and n_methods != 2:
        check_interval("auroc", *auroc)
        auroc = random.uniform(*auroc, size=n_methods)
    check_aurocs(auroc, n_methods)
    auroc = auroc.astype(float)
    noise = _noise(random, n_samples, _membership(groups, n_methods), correlation)
    spread = np.sqrt(spreads)[labels, None]
    separation = norm.ppf(auroc) * np.sqrt(np.sum(spreads))
    return Simulation(spread * noise + labels[:, None] * separation, labels, auroc)


def _membership(groups: Any, n_methods: int) -> npt.NDArray[np.int64]:
    """Give the group of each method, -1 for those alone."""
    membership = np.full(n_methods, -1)
    if groups is None:
        return membership
    if np.ndim(groups[0]) == 0:
        membership[:] = groups
    else:
        for number, members in enumerate(groups):
            membership[list(members)] = number
    return membership


def _noise(
    random: np.random.RandomState, n_samples: int, membership: npt.NDArray[np.int64], correlation: float
) -> FloatArray:
    noise: FloatArray = random.standard_normal((n_samples, len(membership)))
    for group in np.unique(membership[membership >= 0]):
        inside = membership == group
        shared = random.standard_normal((n_samples, 1))
        noise[:, inside] = np.sqrt(1 - correlation) * noise[:, inside] + np.sqrt(correlation) * shared
    return noise
