"""How good a method is when the labels are known.

Scikit-learn's order of arguments: the truth first, then what the method said. `y_score` may have several
columns, one per method, and NaN where a method gave no score; it is judged on the samples that it scored. The answer
is NaN for a method that scored no sample of one class.

Examples
--------
>>> from goldless import metrics
>>> metrics.auroc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
0.75
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from goldless.checks import check_labels, check_numbers, check_predictions
from goldless.frames import as_array
from goldless.ranks import FloatArray, rank

__all__ = ["auroc", "balanced_accuracy", "delta", "mann_whitney_u"]


def delta(y_true: npt.ArrayLike, y_score: npt.ArrayLike) -> Any:
    """Difference of the mean normalised rank between the classes, δ = Δ/N (def:delta).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, 0 or 1.
    y_score : array-like of shape (n_samples,) or (n_samples, n_methods)
        Scores, higher for samples that are more likely positive.

    Returns
    -------
    float or ndarray of shape (n_methods,)
        δ in [-1/2, 1/2]; 0 for a method that guesses.

    Examples
    --------
    >>> delta([0, 0, 1, 1], [1, 2, 3, 4])
    0.5
    """
    z, positive = _ranked(y_true, y_score)
    difference = np.array([_class_mean(z, positive, 1), _class_mean(z, positive, 0)])
    return _scalar(difference[0] - difference[1], y_score)


def auroc(y_true: npt.ArrayLike, y_score: npt.ArrayLike) -> Any:
    """Area under the receiver operating characteristic, ties counted half: 1/2 + δ (thm:auc).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, 0 or 1.
    y_score : array-like of shape (n_samples,) or (n_samples, n_methods)
        Scores, higher for samples that are more likely positive.

    Returns
    -------
    float or ndarray of shape (n_methods,)
        The AUROC.

    Examples
    --------
    >>> auroc([0, 1, 0, 1], [0.2, 0.8, 0.2, 0.2])
    0.75
    """
    return delta(y_true, y_score) + 0.5


def mann_whitney_u(y_true: npt.ArrayLike, y_score: npt.ArrayLike) -> Any:
    """Mann-Whitney U: pairs of a positive and a negative sample in the right order, ties half (lem:mwu).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, 0 or 1.
    y_score : array-like of shape (n_samples,) or (n_samples, n_methods)
        Scores, higher for samples that are more likely positive.

    Returns
    -------
    float or ndarray of shape (n_methods,)
        U between 0 and N₀N₁.

    Examples
    --------
    >>> mann_whitney_u([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    3.0
    """
    z, positive = _ranked(y_true, y_score)
    scored = ~np.isnan(z)
    n1 = (scored & positive[:, None]).sum(axis=0)
    n0 = scored.sum(axis=0) - n1
    return _scalar(n0 * n1 * np.atleast_1d(auroc(y_true, y_score)), y_score)


def balanced_accuracy(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> Any:
    """Mean of sensitivity and specificity of 0/1 predictions; NaN means no prediction.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, 0 or 1.
    y_pred : array-like of shape (n_samples,) or (n_samples, n_methods)
        Predicted labels, 0 or 1.

    Returns
    -------
    float or ndarray of shape (n_methods,)
        The balanced accuracy.

    Examples
    --------
    >>> balanced_accuracy([0, 0, 1, 1], [0, 1, 1, 1])
    0.75
    """
    y, votes = _labels_and_columns(y_true, y_pred)
    check_predictions(votes)
    positive = y == 1
    sensitivity = _class_mean(votes, positive, 1)
    specificity = 1 - _class_mean(votes, positive, 0)
    return _scalar((sensitivity + specificity) / 2, y_pred)


def _labels_and_columns(y_true: npt.ArrayLike, y_score: npt.ArrayLike) -> tuple[Any, FloatArray]:
    y = np.asarray(y_true)
    columns = check_numbers(as_array(y_score), "Scores").astype(float)
    columns = columns[:, None] if columns.ndim == 1 else columns
    check_labels(y, len(columns))
    return y, columns


def _ranked(y_true: npt.ArrayLike, y_score: npt.ArrayLike) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    y, scores = _labels_and_columns(y_true, y_score)
    z, judged = np.full(scores.shape, np.nan), ~np.isnan(scores).all(axis=0)
    z[:, judged], _ = rank(scores[:, judged])
    return z, y == 1


def _class_mean(values: FloatArray, positive: npt.NDArray[np.bool_], label: int) -> FloatArray:
    """Mean of each column over the scored samples of a class; NaN where there is none."""
    within = positive[:, None] == label
    counted = within & ~np.isnan(values)
    n = counted.sum(axis=0)
    mean: FloatArray = np.where(n > 0, np.where(counted, values, 0.0).sum(axis=0) / np.maximum(n, 1), np.nan)
    return mean


def _scalar(values: FloatArray, y_score: npt.ArrayLike) -> Any:
    return float(values[0]) if np.ndim(y_score) == 1 else values
