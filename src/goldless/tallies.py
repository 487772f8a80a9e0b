"""Ranks of a column that comes in parts: each part's distinct scores and how often they occur, a *tally*.

Tallies of the same range of scores, one from each part, are enough to give every distinct score its z; no part needs to
see another, and no one the whole column. Ties, however many, are one entry.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from goldless import order
from goldless.ranks import FloatArray, thin

Scores = npt.NDArray[Any]
Counts = npt.NDArray[np.int32]


def tally(column: Scores) -> tuple[Scores, Counts]:
    """Give the distinct scores in rising order, and how often each occurs; NaN is none."""
    ordered = np.sort(column[~np.isnan(column)])
    starts = np.flatnonzero(np.append(len(ordered) > 0, ordered[1:] != ordered[:-1])[: len(ordered)])
    return ordered[starts], np.diff(starts, append=len(ordered)).astype(np.int32)


def splitters(sample: Scores, weight: FloatArray, ranges: int) -> Scores:
    """Give scores that cut a column into at most so many ranges of about equal size, from some of its scores."""
    by = np.argsort(sample)[: np.count_nonzero(~np.isnan(sample))]
    share = np.cumsum(weight[by])
    if ranges == 1 or not len(by):
        return sample[:0]
    return np.unique(sample[by][np.searchsorted(share, np.arange(1, ranges) / ranges * share[-1])])


def cut(values: Scores, at: Scores) -> list[int]:
    """Give the places at which the ranges of a tally begin, and its end."""
    return [0, *np.searchsorted(values, at).tolist(), len(values)]


def midranks(values: Scores, counts: Counts, below: int, n: int) -> tuple[FloatArray, Scores]:
    """Give the z of each entry of some tallies, laid end to end; and the knots that fall among them.

    `below` scores of the column's n lie below the range.
    """
    by, first = _runs(values)
    totals = np.add.reduceat(counts[by], first, dtype=np.int64)
    ends = below + np.cumsum(totals)
    z = np.empty(len(by))
    z[by] = np.repeat((2 * ends - totals - n) / (2 * n), np.diff(first, append=len(by)))
    wanted = thin(n)
    wanted = wanted[(wanted >= below) & (wanted < ends[-1])]
    return z, values[by[first[np.searchsorted(ends, wanted, side="right")]]]


def spread(column: Scores, z: FloatArray) -> FloatArray:
    """Give each row of a column the z of its score; `z` is that of its distinct scores in rising order."""
    rows = np.full(len(column), np.nan)
    scored = np.flatnonzero(~np.isnan(column))
    if len(scored):
        by, first = _runs(column[scored])
        rows[scored[by]] = np.repeat(z, np.diff(first, append=len(by)))
    return rows


def _runs(scores: Scores) -> tuple[order.IntArray, order.IntArray]:
    """Give the order of scores, and the places in it where a run of equal ones begins."""
    room = np.empty(len(scores), np.int64 if order.holds_keys(scores.dtype) else np.float64)
    room[:] = scores
    by, tied = order.sort(order.to_keys(room.view(np.float64), scores.dtype), np.empty(len(room), np.uint64))
    first = np.ones(len(by), dtype=bool)
    first[tied + 1] = False
    return by, np.flatnonzero(first)
