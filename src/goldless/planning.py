"""How many samples a wanted interval needs, by simulation."""

from dataclasses import dataclass

import numpy as np

from goldless import checks
from goldless.estimators import evaluate
from goldless.simulation import simulate

#: Numbers of samples that are tried, in turn.
SAMPLES = tuple(100 * 2**k for k in range(7))


@dataclass(frozen=True)
class Study:
    """What is planned for.

    Attributes
    ----------
    width : float
        Wanted mean width of the intervals of the AUROCs.
    auroc : tuple of float
        Bounds of the methods' AUROCs.
    prevalence : float
        Share of positive samples.
    correlation : float
        Correlation of the methods within the classes: 0 if they err independently.
    level : float
        Level of the intervals.
    repeats : int
        Simulated data sets for each size.
    seed : int
        Seed of the first of them.
    """

    width: float
    auroc: tuple[float, float] = (0.6, 0.8)
    prevalence: float = 0.5
    correlation: float = 0.0
    level: float = 0.95
    repeats: int = 5
    seed: int = 0


@dataclass(frozen=True)
class Need:
    """What so many methods and labels need.

    Attributes
    ----------
    n_methods, n_labels : int
        Methods, and labelled samples.
    n_samples : int
        The fewest samples, labelled ones included, of those tried that reach the wanted width; else the most tried.
    width : float
        Mean width of the intervals there.
    error : float
        Root mean square error of the AUROCs there.
    reached : bool
        Whether the width was reached.
    """

    n_methods: int
    n_labels: int
    n_samples: int
    width: float
    error: float
    reached: bool


def need(study: Study, n_methods: int, n_labels: int) -> Need:
    """Find how many samples so many methods and labels need."""
    checks.check_at_least("width", study.width, 0.001)
    for n_samples in SAMPLES:
        if n_samples <= n_labels:
            continue
        figures = [_figures(study, n_samples, n_methods, n_labels, study.seed + k) for k in range(study.repeats)]
        width, error = np.mean(figures, axis=0).tolist()
        if width <= study.width:
            break
    return Need(n_methods, n_labels, n_samples, width, error, width <= study.width)


def _figures(study: Study, n_samples: int, n_methods: int, n_labels: int, seed: int) -> tuple[float, float]:
    """Simulate once: mean width of the intervals, and error of the AUROCs."""
    data = simulate(
        n_samples,
        n_methods,
        study.prevalence,
        study.auroc,
        groups=[range(n_methods)] if study.correlation else None,
        correlation=study.correlation,
        random_state=seed,
    )
    known = np.random.default_rng(seed).permutation(n_samples) < n_labels
    found = evaluate(data.scores, np.where(known, data.labels, -1), level=study.level)
    error = np.sqrt(np.mean((found.auroc - data.auroc) ** 2))
    return float(np.ptp(found.auroc_interval, axis=1).mean()), float(error)
