"""Scores to centred, normalised midranks z, and the distributions that place new scores among them.

Higher scores mean "more likely positive". The paper ranks from the other end (rank 1 is the most
positive), so `z = (mean rank - rank) / N` rises with the score, lies in (-1/2, 1/2) and sums to zero
in every column, ties included. NaN means "not scored": such entries stay NaN, and the others of the
column are ranked among themselves.
"""

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from goldless import cores, order

FloatArray = npt.NDArray[np.floating[Any]]

#: Above this many samples a column's distribution is kept as this many of its quantiles:
#: a new score is then placed to within 2**-15, a small part of what sampling itself leaves open.
MOST_KNOTS = 2**15

#: Columns go to the cores in panels of at least this many numbers.
PANEL_SIZE = 2**18


@dataclass(frozen=True)
class Distribution:
    """The empirical distribution of every method's scores: sorted, thinned where there are many."""

    knots: tuple[npt.NDArray[np.generic], ...]

    def place(self, scores: npt.NDArray[np.generic]) -> FloatArray:
        """Place new scores among the known ones: z as if each had been one of them, and never beyond their z."""
        z = np.empty(scores.shape, order="F")
        for i, knots in enumerate(self.knots):
            # In their order, scores are looked up several times as fast, which more than pays for the sort.
            by = np.argsort(scores[:, i])
            ordered = scores[by, i]
            below = np.searchsorted(knots, ordered, side="left")
            upto = np.searchsorted(knots, ordered, side="right")
            # Beyond all knots is where the last one is: at 1/2 itself a normal score would be infinite.
            place = np.clip(below + upto, 1, 2 * len(knots) - 1)
            z[by, i] = place / (2 * len(knots)) - 0.5
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

    Each column costs one sort. z, stored by columns, is the only array of the size of the input.
    """
    N, M = scores.shape
    z = np.empty((N, M), order="F")
    ladder = _ladder(N)
    # A cache line holds eight scores of a row. A panel that wide reads it once; one of few numbers is worth no thread.
    width = max(min(8, -(-M // cores.count())), PANEL_SIZE // N)
    panels = [slice(start, start + width) for start in range(0, M, width)]
    knots = cores.each(lambda panel: _rank_panel(scores[:, panel], z[:, panel], ladder), panels)
    return z, Distribution(tuple(chain.from_iterable(knots)))


def _rank_panel(scores: npt.NDArray[np.generic], z: FloatArray, ladder: FloatArray) -> list[npt.NDArray[np.generic]]:
    """Write the z of some columns, and give their knots."""
    # The room of the result holds the scores until they are ranked.
    room = z.view(np.int64) if order.holds_keys(scores.dtype) else z
    for rows in order.blocks(len(z), max(1, order.BLOCK_SIZE // z.shape[1])):
        room[rows] = scores[rows]
    packed = np.empty(len(z), np.uint64)
    return [_rank_column(column, packed, scores.dtype, ladder) for column in z.T]


def _rank_column(
    column: FloatArray, packed: npt.NDArray[np.uint64], dtype: np.dtype[np.generic], ladder: FloatArray
) -> npt.NDArray[np.generic]:
    """Put z in the place of the scores of a column, and give its knots; `ladder` is that of a column with no gaps."""
    scored = None
    if dtype.kind == "f" and (missing := np.isnan(column)).any():
        scored = np.flatnonzero(~missing)
        column[: len(scored)] = column[scored]
        ladder = _ladder(len(scored))
    n = len(ladder)
    keys = order.to_keys(column[:n], dtype)
    by, tied = order.sort(keys, packed[:n])
    knots = order.from_keys(keys[by[thin(n)]], dtype)
    if scored is not None:
        column[:] = np.nan
        by = scored[by]
    column[by] = _level(ladder, tied) if len(tied) else ladder
    return knots


def _ladder(n: int) -> FloatArray:
    """Give the z of n samples in rising order."""
    ladder = np.arange(1.0 - n, n, 2)
    ladder /= 2 * n
    return ladder


def _missing(scores: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    """Say which entries are NaN; whole numbers and truth values never are."""
    if scores.dtype.kind == "f":
        return np.isnan(scores)
    return np.zeros(scores.shape, dtype=bool)


def _level(ladder: FloatArray, tied: order.IntArray) -> FloatArray:
    """Give each run of equal scores the mean z of its places."""
    ends = np.append(np.flatnonzero(np.diff(tied) > 1), len(tied) - 1)
    count = np.diff(ends, prepend=-1)
    # A run of `count` ties is one place longer than that.
    last = tied[ends] + 1
    shared = np.repeat((ladder[last] + ladder[last - count]) / 2, count)
    level = ladder.copy()
    level[tied] = level[tied + 1] = shared
    return level


def _distinct(ordered: npt.NDArray[np.generic]) -> tuple[FloatArray, FloatArray]:
    """Give the z of each distinct score of a sorted column, and how often it occurs."""
    n = len(ordered)
    starts = np.flatnonzero(np.concatenate([[n > 0], ordered[1:] != ordered[:-1]]))
    ends = np.concatenate([starts[1:], [n]])
    return (starts + ends - n) / (2 * n), (ends - starts).astype(float)


def thin(n: int) -> order.IntArray:
    """Choose at most MOST_KNOTS evenly spaced places out of n."""
    if n <= MOST_KNOTS:
        return np.arange(n)
    return ((np.arange(MOST_KNOTS) + 0.5) * (n / MOST_KNOTS)).astype(int)
