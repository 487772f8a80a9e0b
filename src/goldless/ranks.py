"""Scores to centred, normalised midranks z, and the distributions that place new scores among them.

Higher scores mean "more likely positive". The paper ranks from the other end (rank 1 is the most
positive), so `z = (mean rank - rank) / N` rises with the score, lies in (-1/2, 1/2) and sums to zero
in every column, ties included. NaN means "not scored": such entries stay NaN, and the others of the
column are ranked among themselves.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.floating[Any]]

#: Above this many samples a column's distribution is kept as this many of its quantiles:
#: a new score is then placed to within 2**-16, a small part of what sampling itself leaves open.
MOST_KNOTS = 2**16


@dataclass(frozen=True)
class Distribution:
    """The empirical distribution of every method's scores: sorted, thinned where there are many."""

    knots: tuple[npt.NDArray[np.generic], ...]

    def place(self, scores: npt.NDArray[np.generic]) -> FloatArray:
        """Place new scores among the known ones: z as if each had been one of them."""
        z = np.empty(scores.shape)
        for i, knots in enumerate(self.knots):
            below = np.searchsorted(knots, scores[:, i], side="left")
            upto = np.searchsorted(knots, scores[:, i], side="right")
            z[:, i] = (below + upto) / (2 * len(knots)) - 0.5
        z[_missing(scores)] = np.nan
        return z

    def levels(self, most: int = 256) -> tuple[FloatArray, FloatArray]:
        """Give the values that z takes and their shares, method by method.

        Two arrays (n_methods, most). A column of few distinct scores is described exactly, any other
        by `most` slices of equal share.
        """
        z, share = np.zeros((2, len(self.knots), most))
        for i, knots in enumerate(self.knots):
            value, count = _distinct(knots)
            if len(value) > most:
                edges = np.linspace(0, 1, most + 1)
                value, count = (edges[:-1] + edges[1:]) / 2 - 0.5, np.ones(most)
            z[i, : len(value)] = value
            share[i, : len(value)] = count / count.sum()
        return z, share


def rank(scores: npt.NDArray[np.generic]) -> tuple[FloatArray, Distribution]:
    """Turn scores (n_samples, n_methods) into z and keep each column's distribution.

    Each column costs one sort; z is the only array of the size of the input.
    """
    z = np.full(scores.shape, np.nan)
    knots = []
    for i in range(scores.shape[1]):
        scored = ~_missing(scores[:, i])
        column = scores[scored, i]
        order = np.argsort(column)
        ordered = column[order]
        z[np.flatnonzero(scored)[order], i] = _midranks(ordered)
        knots.append(_thin(ordered))
    return z, Distribution(tuple(knots))


def _missing(scores: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    """Say which entries are NaN; whole numbers and truth values never are."""
    if scores.dtype.kind == "f":
        return np.isnan(scores)
    return np.zeros(scores.shape, dtype=bool)


def _midranks(ordered: npt.NDArray[np.generic]) -> FloatArray:
    """Give the z of sorted scores; equal scores share the mean of their places."""
    value, count = _distinct(ordered)
    return np.repeat(value, count.astype(int))


def _distinct(ordered: npt.NDArray[np.generic]) -> tuple[FloatArray, FloatArray]:
    """Give the z of each distinct score of a sorted column, and how often it occurs."""
    n = len(ordered)
    starts = np.flatnonzero(np.concatenate([[n > 0], ordered[1:] != ordered[:-1]]))
    ends = np.concatenate([starts[1:], [n]])
    return (starts + ends - n) / (2 * n), (ends - starts).astype(float)


def _thin(ordered: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """Keep at most MOST_KNOTS evenly spaced order statistics."""
    n = len(ordered)
    if n <= MOST_KNOTS:
        return ordered
    return ordered[((np.arange(MOST_KNOTS) + 0.5) * (n / MOST_KNOTS)).astype(int)]
