"""z in row blocks. After ranking, everything is a sum over rows.

A *statistic* is a pure function of a block of z (n_rows, n_methods) and small parameters that returns
`Sums`: a small frozen object that adds with `+`. `Rows.sum` cuts z into blocks, runs them on the cores and adds in
their order; `Rows.map` writes output that has a row per sample. Whatever offers these two verbs can be evaluated: above
this room, and `blocks`, nothing looks at z itself.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import reduce
from operator import add
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from goldless import cores
from goldless.ranks import Distribution, FloatArray, rank


@dataclass(frozen=True)
class Sums:
    """Base of what a statistic returns: objects of a kind add field by field."""

    def __add__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


S = TypeVar("S", bound=Sums)

#: Numbers in a block: it stays in the cache, and the calls that work on it cost little beside the work.
BLOCK_SIZE = 2**18
#: Numbers, and rows, that give standard errors to within one per cent.
ENOUGH = 1_000_000
ENOUGH_ROWS = 10_000


@dataclass(frozen=True)
class Rows:
    """z, or scores that are to become z, held in memory and read a block of rows at a time.

    `beside` is a number for each row that goes along with it, such as a label: where it is there, a statistic gets
    its block after that of z. `rank_error` is how far z may be from the exact ranks, as a share of the samples.
    """

    z: Any
    beside: Any = None
    rank_error: float = 0.0

    #: Whether they can be had as an array.
    in_memory: ClassVar[bool] = True

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.z)

    @property
    def n_methods(self) -> int:
        """Number of columns."""
        return self.z.shape[1]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return self.n_samples, self.n_methods

    def with_(self, beside: Any) -> Self:
        """Give the same rows with a number beside each, or (None) with none."""
        return replace(self, beside=beside)

    def some(self) -> "Rows":
        """Give some rows where there are many, as averages need no more."""
        step = min(self.z.size // ENOUGH, self.n_samples // ENOUGH_ROWS)
        if step < 2:
            return self
        chosen = one_of_each(self.n_samples, step)
        # Side by side in memory: a stride would make every pass over them several times as long.
        return Rows(np.take(self.z.T, chosen, axis=1).T, None if self.beside is None else self.beside[chosen])

    def spaced(self) -> tuple["Rows", npt.NDArray[np.int64]]:
        """Give evenly spaced rows that one can hold a number of each of, and which they are: here, all."""
        return self, np.arange(self.n_samples)

    def column(self, values: Any) -> Any:
        """Give values, one for each row, as an array that goes along with the rows."""
        return np.asarray(values)

    def ranked(self) -> tuple["Rows", Distribution]:
        """Rank the scores that are held: give rows of z, and the distribution of each column."""
        z, distribution = rank(self.z)
        return Rows(z), distribution

    def apply(self, function: Callable[..., FloatArray], *parameters: Any) -> "Rows":
        """Give the rows that a function makes of these."""
        return Rows(function(self.z, *parameters))

    def sum(self, statistic: Callable[..., S], *parameters: Any) -> S:
        """Add up a statistic over all rows."""
        return reduce(add, cores.each(lambda block: statistic(*block, *parameters), self.blocks()))

    def map(self, function: Callable[..., FloatArray], *parameters: Any) -> FloatArray:
        """Apply a function that gives a row of output for each row of z."""
        return np.concatenate(list(cores.each(lambda block: function(*block, *parameters), self.blocks())))

    def blocks(self) -> list[tuple[FloatArray, ...]]:
        """Cut the rows into blocks that stay in the cache, each with what is beside it."""
        # As many rows as columns at least: sums may be M x M, and should cost little beside the block.
        size = max(BLOCK_SIZE // self.n_methods, self.n_methods)
        columns = [self.z] if self.beside is None else [self.z, self.beside]
        return [tuple(column[start : start + size] for column in columns) for start in range(0, self.n_samples, size)]


@dataclass(frozen=True)
class SparseRows(Rows):
    """Rows in a SciPy sparse array, where what is not stored is missing: one block, since there is so little in it."""

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.z.shape[0]

    def map(self, function: Callable[..., Any], *parameters: Any) -> Any:
        """Apply a function that gives a row of output, dense or sparse, for each row of z."""
        return function(self.z, *parameters)

    def blocks(self) -> list[tuple[Any, ...]]:
        """Give all rows as one block."""
        return [(self.z,) if self.beside is None else (self.z, self.beside)]


def one_of_each(n_samples: int, step: int) -> npt.NDArray[np.int64]:
    """Choose one row of each run of `step` rows, at random but always the same: rows may come in periods."""
    starts = np.arange(0, n_samples - step + 1, step)
    return starts + np.random.default_rng(0).integers(step, size=len(starts))


def beside(_z: FloatArray, number: FloatArray) -> FloatArray:
    """Give the number that goes along with each row."""
    return number


def hold(z: Any, beside: FloatArray | None = None) -> Rows:
    """Hold an array, dense or sparse, as rows; what is held already stays as it is."""
    if isinstance(z, Rows):
        return z
    return SparseRows(z, beside) if issparse(z) else Rows(z, beside)
