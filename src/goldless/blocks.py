"""Dask: the two verbs of `rows`, a partition at a time, and ranks over all partitions.

A table in Dask, or in Parquet files, is read lazily. Its columns are ranked once, `exact` or by `sketch`, and z is left
with the cluster, or, where there is none, in files. From there on all is `sum` and `map`.
"""

import logging
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar
from uuid import uuid4

import dask.array as da
import dask.dataframe as dd
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from dask import delayed
from dask.base import tokenize
from pyarrow import parquet

from goldless import checks, cluster, frames, global_ranks
from goldless.cluster import connect
from goldless.drafts import whole
from goldless.errors import InputError
from goldless.partition import applied, mapped, picked, probe, summed
from goldless.ranks import Distribution, FloatArray
from goldless.rows import ENOUGH, ENOUGH_ROWS, Rows, S, one_of_each
from goldless.shelf import Shelf, at_hand

__all__ = ["connect", "read", "write"]

#: Numbers up to which a table is ranked exactly, unless something else is asked for.
EXACT = 2**30

RANKS = (None, *global_ranks.WAYS)
_log = logging.getLogger("goldless")


@dataclass(frozen=True)
class Plan:
    """How a table is ranked: in which way, where z rests (None: with the cluster), and whether a bar is shown."""

    ranks: str | None = None
    shelf: Shelf | None = None
    show: bool = False


@dataclass(frozen=True)
class Blocks(Rows):
    """Rows in a Dask array: each partition is a block, read by whichever worker is free."""

    z: da.Array
    beside: da.Array | None = None
    rank_error: float = 0.0
    plan: Plan = Plan()

    in_memory: ClassVar[bool] = False

    def with_(self, beside: Any) -> "Blocks":
        """Give the same rows with a number beside each, or (None) with none."""
        if beside is not None and cluster.client() is not None:
            beside = cluster.persist([beside], show=self.plan.show)[0]
        return replace(self, beside=beside)

    def some(self) -> Rows:
        """Give evenly spaced rows where there are many, the same as in memory; they are in memory then."""
        return self.spaced()[0]

    def spaced(self) -> tuple[Rows, npt.NDArray[np.int64]]:
        """Give the same rows, and which they are."""
        step = max(1, min(self.z.size // ENOUGH, self.n_samples // ENOUGH_ROWS))
        chosen = one_of_each(self.n_samples, step)
        starts = np.cumsum([0, *self.z.chunks[0]])
        by_part = np.split(chosen, np.searchsorted(chosen, starts[1:-1]))
        mine = [rows - start for rows, start in zip(by_part, starts[:-1], strict=True)]
        parts = [delayed(picked)(part, rows) for part, rows in zip(self._parts(), mine, strict=True)]
        z, beside = zip(*cluster.compute(parts, show=self.plan.show), strict=True)
        held = None if self.beside is None else np.concatenate(beside)
        return Rows(np.asfortranarray(np.concatenate(z)), held), chosen

    def column(self, values: Any) -> Any:
        """Give values, one for each row, as an array in the same partitions."""
        if isinstance(values, dd.Series):
            parts = _partitions(values)
            sizes = zip(parts, _lengths(parts, self.plan), strict=True)
            columns = [da.from_delayed(delayed(np.asarray)(part), (n,), values.dtype) for part, n in sizes]
            values = da.concatenate(columns)
        if not isinstance(values, da.Array):
            values = da.from_array(np.asarray(values))
        return values.rechunk(self.z.chunks[:1]) if values.shape == self.z.shape[:1] else values

    def ranked(self) -> tuple["Blocks", Distribution]:
        """Rank the scores over all partitions: give rows of z, and the distribution of each column."""
        ranks = self.plan.ranks or ("exact" if self.z.size <= EXACT else "sketch")
        self._say(ranks)
        shelf = self.plan.shelf
        if shelf is not None:
            shelf = Shelf(shelf.folder / f"{ranks}-{tokenize(self.z)}")
        elif not cluster.reaches((shelf := Shelf.temporary()).folder):
            shelf = None
        parts = [part for part, _ in self._parts()]
        work = global_ranks.Work(parts, self.z.chunks[0], self.n_methods, shelf, self.plan.show)
        found = global_ranks.rank(ranks, work)
        z = da.concatenate(
            [
                da.from_delayed(delayed(at_hand)(part), (n, self.n_methods), float)
                for part, n in zip(found.parts, self.z.chunks[0], strict=True)
            ]
        )
        return Blocks(z, rank_error=found.error, plan=replace(self.plan, shelf=shelf)), found.distribution

    def _say(self, ranks: str) -> None:
        """Say once how the ranks are made: aloud where sketches were not asked for."""
        chosen = self.plan.ranks is None and ranks == "sketch"
        _log.log(
            logging.WARNING if chosen else logging.INFO,
            "%d samples of %d methods in %d partitions: %s",
            self.n_samples,
            self.n_methods,
            self.z.numblocks[0],
            f"ranks come from sketches, to within {global_ranks.sketch_error():.1g}; ranks='exact' takes longer"
            if ranks == "sketch"
            else "ranks are exact",
        )

    def apply(self, function: Callable[..., FloatArray], *parameters: Any) -> "Blocks":
        """Give the rows that a function makes of these, when they are looked at."""
        z = da.blockwise(
            *(applied, "ij", self.z, "ij"),
            function=function,
            parameters=delayed(parameters, traverse=False),
            dtype=float,
        )
        return replace(self, z=z, beside=None)

    def sum(self, statistic: Callable[..., S], *parameters: Any) -> S:
        """Add up a statistic over all rows: within partitions, then over more and more of them, in their order."""
        shared = delayed(parameters, traverse=False)
        parts = [delayed(summed)(part, statistic, shared) for part in self._parts()]
        total: S = cluster.total(parts, show=self.plan.show)
        return total

    def map(self, function: Callable[..., FloatArray], *parameters: Any) -> Any:
        """Give a lazy array of what a function gives for each row of z."""
        like = function(*probe(self.n_methods, self.beside is not None), *parameters)
        beside = () if self.beside is None else (self.beside, "i")
        return da.blockwise(
            *(mapped, "ik"[: like.ndim], self.z, "ij", *beside),
            function=function,
            parameters=delayed(parameters, traverse=False),
            new_axes={"k": like.shape[1]} if like.ndim > 1 else None,
            concatenate=True,
            meta=like[:0],
        )

    def _parts(self) -> list[Any]:
        """Give the partitions, each with what is beside it."""
        z = self.z.to_delayed().ravel()
        beside = [None] * len(z) if self.beside is None else self.beside.to_delayed().ravel()
        return list(zip(z, beside, strict=True))


# ---- the door


def read(
    X: Any,
    *,
    columns: Sequence[str] | None = None,
    ranks: str | None = None,
    folder: str | Path | None = None,
    progress: bool = False,
) -> frames.Table:
    """Read a table in Dask, or in Parquet files, and say how it is to be ranked.

    Every estimator takes a Dask array or data frame as it is; this is for Parquet files, and for choosing.

    Parameters
    ----------
    X : dask array, dask data frame, path or str
        Scores, rows are samples, columns are methods. A path, or a pattern such as "scores/*.parquet", is that of
        Parquet files.
    columns : sequence of str, optional
        Columns of a data frame or of files to take as methods; all unless given.
    ranks : {None, "exact", "sketch"}
        Whether ranks are exact or taken from sketches of each column's distribution, which need one pass less and no
        exchange between workers; `Evaluation.rank_error` says how far they are off. None takes the exact ones up to
        a thousand million scores.
    folder : path, optional
        Where z is kept, in a folder that all workers can reach. Ranks that are found there are used again. Unless
        given, z stays with the cluster; without a cluster it is in a temporary folder.
    progress : bool
        Whether a bar shows how far it has come.

    Returns
    -------
    Table
        For `fit`, `evaluate` and whatever else takes a table.

    Examples
    --------
    >>> import dask.array as da
    >>> import goldless as gl
    >>> scores = da.from_array(gl.simulate(random_state=0).scores, chunks=(250, -1))
    >>> model = gl.Summa().fit(gl.blocks.read(scores, ranks="exact"))
    >>> model.decision_function(scores)
    dask.array<mapped, shape=(1000,), dtype=float64, chunksize=(250,), chunktype=numpy.ndarray>
    """
    checks.check_choice("ranks", ranks, RANKS)
    if isinstance(X, str | Path):
        X = dd.read_parquet(X)
    if columns is not None:
        X = X[list(columns)]
    plan = Plan(ranks, None if folder is None else Shelf(Path(folder)), progress)
    if isinstance(X, da.Array):
        return _from_array(X, plan)
    if isinstance(X, dd.DataFrame):
        return _from_frame(X, plan)
    raise InputError(f"A table in Dask is an array or a data frame; found {type(X).__name__}. Turn it into one.")


def _from_array(X: da.Array, plan: Plan) -> frames.Table:
    checks.check_two_dimensions(X.ndim)
    names = frames.method_names(X.shape[1])
    checks.check_numeric(names, [X.dtype.kind in "biuf"] * len(names))
    if np.isnan(X.shape[0]):
        lengths = _lengths(X.to_delayed()[:, 0], plan)
        X = X.copy()
        X._chunks = (lengths, *X.chunks[1:])
    return frames.Table(Blocks(X.rechunk({1: -1}), plan=plan), names, None)


def _from_frame(X: dd.DataFrame, plan: Plan) -> frames.Table:
    like = frames.read(X._meta)
    lengths = _lengths(_partitions(X[list(X.columns[:1])]), plan)
    blocks = [
        da.from_delayed(delayed(_scores)(partition, b, like.names), (n, len(like.names)), like.scores.dtype)
        for b, (partition, n) in enumerate(zip(_partitions(X), lengths, strict=True))
    ]
    return replace(like, scores=Blocks(da.concatenate(blocks), plan=plan))


def _lengths(partitions: Iterable[Any], plan: Plan) -> tuple[int, ...]:
    """Count the rows of each partition; of Parquet files one column is read for it."""
    return tuple(cluster.compute([delayed(len)(partition) for partition in partitions], show=plan.show))


def _partitions(X: Any) -> list[Any]:
    """Give the partitions of a frame, a series or an array as they are; Dask would put small ones together."""
    if isinstance(X, da.Array):
        return list(np.ravel(X.to_delayed()))
    return list(X.simplify().to_delayed(optimize_graph=False))


def _scores(partition: Any, number: int, names: tuple[str, ...]) -> Any:
    """Read a partition, which need not hold what the table says that it holds."""
    try:
        table = frames.read(partition)
        checks.check_same_names(table.names, names)
    except InputError as error:
        raise InputError(f"In partition {number}, counted from 0: {error}", method=error.method) from None
    return table.scores


def write(columns: Mapping[str, Any], path: str | Path) -> None:
    """Write columns, such as combined scores, to Parquet files in a folder: a file for each partition, all or nothing.

    Parameters
    ----------
    columns : mapping of str to dask array or series
        Names and values, in the same partitions.
    path : path
        The folder. It must not exist; it is there only once it is complete.

    Examples
    --------
    >>> import dask.array as da
    >>> import goldless as gl
    >>> scores = da.from_array(gl.simulate(random_state=0).scores, chunks=(250, -1))
    >>> model = gl.Summa().fit(scores)
    >>> gl.blocks.write({"score": model.decision_function(scores)}, "combined.parquet")  # doctest: +SKIP
    """
    path = Path(path)
    checks.check_absent(path)
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    draft.mkdir(parents=True)
    parts = zip(*map(_partitions, columns.values()), strict=True)
    files = [delayed(_write)(draft / f"part.{b:05d}.parquet", list(columns), part) for b, part in enumerate(parts)]
    try:
        cluster.compute(files, show=sys.stderr.isatty())
        draft.rename(path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _write(path: Path, names: list[str], values: Iterable[Any]) -> None:
    table = pa.table({name: np.asarray(x) for name, x in zip(names, values, strict=True)})
    with whole(path) as draft:
        parquet.write_table(table, draft)
