"""The door: every test of what users hand in, and its sentence. Below it, input is trusted."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from goldless import cores
from goldless.errors import (
    DuplicateMethodsWarning,
    InputError,
    NoSignalWarning,
    NotConvergedWarning,
    SmallSampleWarning,
)
from goldless.result import Evaluation
from goldless.rows import BLOCK_SIZE

Names = Sequence[str]


def check_scores(scores: npt.NDArray[Any], names: Names, *, fewest: int = 3) -> None:
    """Refuse a table of scores that methods cannot be judged by."""
    if len(scores) < 2:
        raise InputError(
            f"Found {len(scores)} sample(s): methods order samples, so at least 2 are needed. Add samples."
        )
    if scores.shape[1] < fewest:
        raise InputError(
            f"Found {scores.shape[1]} method(s) (columns): at least {fewest} are needed, because fewer cannot be told "
            "apart without labels. Add methods."
        )
    low, high = _extremes(scores)
    _refuse_columns(names, np.isnan(low), "has no scores at all. Leave it out")
    _refuse_infinite(scores, names, low, high)
    _refuse_columns(
        names,
        low == high,
        "gives every sample the same score, so it does not order the samples and its AUROC is 0.5. Leave it out",
    )
    empty = np.flatnonzero(np.isnan(scores[:, 0]))
    empty = empty[np.isnan(scores[empty]).all(axis=1)]
    if len(empty):
        raise InputError(
            f"{len(empty)} sample(s) have no score from any method (rows {_some(empty)}, counted from 0). "
            "Leave these rows out."
        )


def check_finite(scores: npt.NDArray[Any], names: Names) -> None:
    """Refuse infinite scores; NaN is fine, it means "not scored"."""
    _refuse_infinite(scores, names, *_extremes(scores))


def _refuse_infinite(scores: npt.NDArray[Any], names: Names, low: npt.NDArray[Any], high: npt.NDArray[Any]) -> None:
    for i in np.flatnonzero((low == -np.inf) | (high == np.inf)):
        rows = np.flatnonzero(np.isinf(scores[:, i]))
        raise InputError(
            f"{_where(names, i)} contains inf (rows {_some(rows)}, counted from 0). "
            "Use a finite score, or NaN where there is none."
        )


def _extremes(scores: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Give the lowest and the highest score of each column, NaN where it has none, in one pass."""
    size = max(1, BLOCK_SIZE // scores.shape[1])
    blocks = [scores[start : start + size] for start in range(0, len(scores), size)]
    low, high = zip(*cores.each(lambda block: (np.fmin.reduce(block), np.fmax.reduce(block)), blocks), strict=True)
    return np.fmin.reduce(low), np.fmax.reduce(high)


def check_numeric(names: Names, numeric: Sequence[bool]) -> None:
    """Refuse columns that hold anything but numbers."""
    _refuse_columns(names, ~np.array(numeric, dtype=bool), "does not hold numbers. Leave it out, or convert it")


def check_prevalence(prevalence: float | None) -> None:
    """Refuse a prevalence outside (0, 1)."""
    if prevalence is not None and not 0 < prevalence < 1:
        raise InputError(
            f"prevalence={prevalence} is outside (0, 1): give the share of positive samples, or None to estimate it."
        )


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Refuse a parameter that is not one of its choices."""
    if value not in choices:
        raise InputError(f"{name}={value!r} is not one of {', '.join(map(repr, choices))}.")


def check_level(level: float) -> None:
    """Refuse a level of intervals outside (0, 1)."""
    if not 0 < level < 1:
        raise InputError(
            f"level={level} is outside (0, 1): give the share of intervals that are to hold, such as 0.95."
        )


def are_probabilities(scores: npt.NDArray[Any]) -> bool:
    """Say whether all scores could be probabilities: within [0, 1], and not just votes."""
    low, high = np.fmin.reduce(scores, axis=None), np.fmax.reduce(scores, axis=None)
    return bool(low >= 0 and high <= 1 and np.any((scores > 0) & (scores < 1)))


def check_probabilities(scores: npt.NDArray[Any], names: Names) -> None:
    """Refuse scores outside [0, 1] where they are to be probabilities."""
    beyond = (np.fmin.reduce(scores, axis=0) < 0) | (np.fmax.reduce(scores, axis=0) > 1)
    _refuse_columns(names, beyond, "has scores outside [0, 1], which are no probabilities. Use another model")


def check_interval(name: str, low: float, high: float) -> None:
    """Refuse bounds that are not ordered within [0, 1]."""
    if not 0 <= low <= high <= 1:
        raise InputError(f"{name}=({low}, {high}) must be a pair of bounds with 0 <= low <= high <= 1.")


def check_some_labels(labels: Any, n_samples: int) -> npt.NDArray[np.float64] | None:
    """Refuse labels other than one 0, 1 or -1 (unknown) for each sample; give None where none is known."""
    found = np.asarray(labels)
    if found.shape != (n_samples,):
        raise InputError(
            f"There are {n_samples} samples, but y has shape {found.shape}. Give one label for each: 0, 1, or -1 "
            "where it is not known."
        )
    strange = [value for value in np.unique(found).tolist() if value not in (0, 1, -1)]
    if strange:
        raise InputError(
            f"Labels in y must be 0, 1, or -1 (not known); found {', '.join(map(repr, strange[:3]))}. Recode them."
        )
    return found.astype(float) if np.any(found >= 0) else None


def check_labels(labels: npt.NDArray[Any], n_samples: int) -> None:
    """Refuse labels that are not one 0 or 1 for each sample, with both classes present."""
    if labels.shape != (n_samples,):
        raise InputError(f"There are {n_samples} samples, but the labels have shape {labels.shape}. Give one each.")
    found = np.unique(labels)
    strange = [value for value in found.tolist() if value not in (0, 1)]
    if strange:
        raise InputError(f"Labels must be 0 or 1; found {', '.join(map(repr, strange[:3]))}. Recode them.")
    if len(found) < 2:
        raise InputError(
            f"Every label is {found[0]}: a method can be judged only where both classes occur. Add the other class."
        )


def warn_about(found: Evaluation) -> None:
    """Warn of what an evaluation says about itself."""
    if found.n_samples < 2 * len(found.methods):
        _warn(
            SmallSampleWarning,
            f"{found.n_samples} samples are few for {len(found.methods)} methods: expect errors of the AUROC near 0.1. "
            "Add samples, or drop the methods that you trust least.",
        )
    if found.diagnosis.duplicates:
        pairs = ", ".join(" = ".join(pair) for pair in found.diagnosis.duplicates[:5])
        _warn(
            DuplicateMethodsWarning,
            f"Some methods rank the samples identically ({pairs}), so they are not independent and their AUROCs come "
            "out too high. Keep one of each.",
        )
    if not found.has_signal:
        _warn(
            NoSignalWarning,
            f"The methods agree no more than chance (signal {found.strength:.2g}, chance {found.chance:.2g}): "
            "their AUROCs are not identified. Add methods or samples, and do not rely on the figures.",
        )
    if not found.converged:
        _warn(
            NotConvergedWarning,
            f"The fit did not settle within {found.n_iter} steps. Check for near-identical methods.",
        )


def _warn(category: type[Warning], message: str) -> None:
    # The line that users see is that of their own call to fit.
    warnings.warn(message, category, stacklevel=4)


def _refuse_columns(names: Names, bad: npt.NDArray[np.bool_], what: str) -> None:
    for i in np.flatnonzero(bad):
        raise InputError(f"{_where(names, i)} {what}.")


def _where(names: Names, i: Any) -> str:
    return f"Method {names[i]!r} (column {i}, counted from 0)"


def _some(rows: npt.NDArray[np.intp]) -> str:
    return ", ".join(map(str, rows[:5])) + (", ..." if len(rows) > 5 else "")
