"""Ranks over all partitions of a lazy table: exact, or by sketches.

Either way a column is never in one place. The result is the z of each partition, left at rest, and the distribution of
each column, which is small.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
from dask import delayed
from datasketches import kll_doubles_sketch

from goldless import cluster, tallies
from goldless.drafts import whole
from goldless.ranks import MOST_KNOTS, Distribution, FloatArray
from goldless.shelf import Rest, Shelf, at_hand, at_rest

#: Scores of a column that are ranked at a time.
RANGE = 2**21
#: Rows of each partition by which a column is cut into ranges.
SAMPLE = 64
#: Size of a sketch: a rank is then known to within 1e-4.
SKETCH = 2**15


@dataclass(frozen=True)
class Work:
    """A table to rank: its partitions, as lazy arrays, of so many rows and columns; and where z is to rest."""

    parts: Sequence[Any]
    rows: tuple[int, ...]
    columns: int
    shelf: Shelf | None
    show: bool

    @property
    def n(self) -> int:
        """Number of rows."""
        return sum(self.rows)

    def file(self, kind: str, number: int) -> Path | None:
        """Name a file to leave an array in; none where it stays with the cluster."""
        return None if self.shelf is None else self.shelf.file(kind, number)


@dataclass(frozen=True)
class Ranked:
    """The z of each partition, at rest; each column's distribution; and how far a rank may be off."""

    parts: list[Any]
    distribution: Distribution
    error: float


# ---- exact


def exact(work: Work) -> Ranked:
    """Rank by tallies: each partition's go to where their range of scores is merged, and z comes back."""
    splitters = _splitters(work)
    # Ranges are numbered through, column by column; `first` is the number of each column's first.
    first = np.cumsum([0, *(len(at) + 1 for at in splitters)]).tolist()
    tallied = _tallies(work, splitters)
    merged = _merge(work, tallied, first)
    z = []
    for b, part in enumerate(work.parts):
        mine = [merged.of(work, b, g) for g in range(first[-1])]
        z.append(delayed(_spread)(part, [mine[slice(*groups)] for groups in pairwise(first)], work.file("z", b)))
    knots = [np.concatenate(merged.knots[slice(*groups)]) for groups in pairwise(first)]
    return Ranked(cluster.persist(z, show=work.show), Distribution(tuple(knots)), 0.0)


def _splitters(work: Work) -> list[Any]:
    """Cut each column into ranges that can be ranked at a time; into one where there are few rows."""
    samples = cluster.compute([delayed(_sample)(part, work.n > RANGE) for part in work.parts], show=work.show)
    some, weight = (np.concatenate(arrays) for arrays in zip(*samples, strict=True))
    return [tallies.splitters(column, weight, -(-work.n // RANGE)) for column in some.T]


def _sample(scores: FloatArray, wanted: bool) -> tuple[FloatArray, FloatArray]:
    """Give evenly spaced rows, and how many each stands for."""
    some = np.array(scores[:: max(1, len(scores) // SAMPLE)]) if wanted else scores[:0]
    return some, np.full(len(some), len(scores) / max(1, len(some)))


@dataclass(frozen=True)
class Tallied:
    """The tallies of each partition, laid end to end: distinct scores, counts.

    `ends` (partitions, ranges + 1) says where those of each range begin, and where the last one ends; `sizes`, how many
    scores there are in each range.
    """

    values: list[Any]
    counts: list[Any]
    ends: Any
    sizes: Any

    def of(self, work: Work, b: int, g: int) -> tuple[Any, Any] | None:
        """Give the tally of a partition in a range; None where it is empty."""
        a, z = self.ends[b, g : g + 2].tolist()
        if a == z:
            return None
        return (
            _section(self.values[b], work.file("scores", b), a, z),
            _section(self.counts[b], work.file("counts", b), a, z),
        )


def _section(array: Any, path: Path | None, start: int, stop: int) -> Any:
    """Give a part of an array: of one with the cluster by a task where it is, so that no more than that is moved."""
    return delayed(_cut_out)(array, start, stop) if path is None else Rest(path, start, stop)


def _cut_out(array: FloatArray, start: int, stop: int) -> FloatArray:
    return array[start:stop]


def _tallies(work: Work, splitters: list[Any]) -> Tallied:
    """Tally each partition."""
    shared, tally = delayed(splitters, traverse=False), delayed(_tallied, nout=3)
    found = [tally(part, shared, work.file("scores", b), work.file("counts", b)) for b, part in enumerate(work.parts)]
    held = cluster.persist([x for tallied in found for x in tallied], show=work.show)
    ends, sizes = zip(*cluster.compute(held[2::3], show=False), strict=True)
    return Tallied(held[::3], held[1::3], np.stack(ends), np.sum(sizes, axis=0))


def _tallied(scores: FloatArray, splitters: list[Any], path: Path | None, beside: Path | None) -> tuple[Any, ...]:
    """Tally a partition by column and range: distinct scores, counts; where ranges begin, and how many are in each."""
    values, counts, ends = [], [], [0]
    for column, at in zip(scores.T, splitters, strict=True):
        value, count = tallies.tally(column)
        values.append(value)
        counts.append(count)
        ends += [ends[-1] + end for end in tallies.cut(value, at)[1:]]
    together = np.concatenate(counts)
    sizes = np.diff(np.append(0, np.cumsum(together, dtype=np.int64))[ends])
    return at_rest(np.concatenate(values), path), at_rest(together, beside), (np.array(ends), sizes)


@dataclass(frozen=True)
class Merged:
    """The z of the distinct scores of each range, partition after partition, and the knots among them.

    `ends` (partitions + 1, ranges) says where that of each partition begins, and where the last one ends.
    """

    z: list[Any]
    knots: list[Any]
    ends: Any

    def of(self, work: Work, b: int, g: int) -> Any:
        """Give the z of a partition's scores in a range; None where it has none."""
        a, z = self.ends[b : b + 2, g].tolist()
        return None if a == z else _section(self.z[g], work.file("ranges", g), a, z)


def _merge(work: Work, tallied: Tallied, first: list[int]) -> Merged:
    """Merge each range; what is below it is known from the sizes."""
    found = []
    for groups in pairwise(first):
        below = np.append(0, np.cumsum(tallied.sizes[slice(*groups)])).tolist()
        for g, under in zip(range(*groups), below, strict=False):
            parts = [part for b in range(len(work.parts)) if (part := tallied.of(work, b, g)) is not None]
            found.extend(delayed(_merged, nout=2)(parts, under, below[-1], work.file("ranges", g)))
    held = cluster.persist(found, show=work.show)
    widths = np.diff(tallied.ends, axis=1)
    ends = np.concatenate([np.zeros_like(widths[:1]), np.cumsum(widths, axis=0)])
    return Merged(held[::2], cluster.compute(held[1::2], show=False), ends)


def _merged(parts: list[Any], below: int, n: int, path: Path | None) -> tuple[Any, Any]:
    """Give the z of the distinct scores of a range, partition after partition, and the knots among them."""
    if not parts:
        return np.empty(0), np.empty(0)
    values, counts = (np.concatenate([at_hand(rest) for rest in rests]) for rests in zip(*parts, strict=True))
    z, knots = tallies.midranks(values, counts, below, n)
    return at_rest(z, path), knots


def _spread(scores: FloatArray, by_column: list[Any], path: Path | None) -> Any:
    """Give the z of a partition from that of its distinct scores, which comes by column and range."""
    z = np.empty(scores.shape, order="F")
    for i, ranges in enumerate(by_column):
        known = [at_hand(rest) for rest in ranges if rest is not None]
        z[:, i] = tallies.spread(scores[:, i], np.concatenate([np.empty(0), *known]))
    return at_rest(z, path)


# ---- by sketches


@dataclass(frozen=True)
class Sketches:
    """A sketch of each column's distribution, as bytes; they add by merging."""

    by_column: tuple[bytes, ...]

    def __add__(self, other: "Sketches") -> "Sketches":
        return Sketches(tuple(_both(*both) for both in zip(self.by_column, other.by_column, strict=True)))


def sketch_error() -> float:
    """How far a rank by sketch is from the exact one, as a share of the samples; less in 99 of 100 cases."""
    return float(kll_doubles_sketch.get_normalized_rank_error(SKETCH, False)) + 0.5 / MOST_KNOTS


def sketched(work: Work) -> Ranked:
    """Rank by each column's quantiles, as the merged sketches of the partitions give them."""
    merged = cluster.total([delayed(_sketches)(part) for part in work.parts], show=work.show)
    distribution = Distribution(tuple(_knots(sketch) for sketch in merged.by_column))
    shared = delayed(distribution, traverse=False)
    z = [delayed(_placed)(part, shared, work.file("z", b)) for b, part in enumerate(work.parts)]
    return Ranked(cluster.persist(z, show=work.show), distribution, sketch_error())


def _sketches(scores: FloatArray) -> Sketches:
    return Sketches(tuple(_sketch(column) for column in scores.T))


def _sketch(column: FloatArray) -> bytes:
    sketch = kll_doubles_sketch(SKETCH)
    sketch.update(np.ascontiguousarray(column[~np.isnan(column)], dtype=float))
    return cast(bytes, sketch.serialize())


def _both(one: bytes, other: bytes) -> bytes:
    sketch = kll_doubles_sketch.deserialize(one)
    sketch.merge(kll_doubles_sketch.deserialize(other))
    return cast(bytes, sketch.serialize())


def _knots(sketch: bytes) -> FloatArray:
    known = kll_doubles_sketch.deserialize(sketch)
    n = min(known.n, MOST_KNOTS)
    return np.array(known.get_quantiles((np.arange(n) + 0.5) / n))


def _placed(scores: FloatArray, distribution: Distribution, path: Path | None) -> Any:
    return at_rest(distribution.place(scores), path)


# ---- either


WAYS = {"exact": exact, "sketch": sketched}


def rank(way: str, work: Work) -> Ranked:
    """Rank, or take what was ranked before from the shelf.

    What is on the shelf is there whatever becomes of the workers, so what led to it is not needed any more.
    """
    if work.shelf is None:
        return WAYS[way](work)
    knots = work.shelf.folder / "knots.npz"
    if not knots.exists():
        work.shelf.folder.mkdir(parents=True, exist_ok=True)
        found = WAYS[way](work).distribution.knots
        with whole(knots) as draft, draft.open("wb") as file:
            np.savez(file, *found)
        work.shelf.clear("scores", "counts", "ranges")
    with np.load(knots) as saved:
        distribution = Distribution(tuple(saved.values()))
    z = [Rest(work.shelf.file("z", b)) if n else np.empty((0, work.columns)) for b, n in enumerate(work.rows)]
    return Ranked(z, distribution, sketch_error() if way == "sketch" else 0.0)
