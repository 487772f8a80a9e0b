"""z in row blocks. After ranking, everything is a sum over rows.

A *statistic* is a pure function of a block of z (n_rows, n_methods) and small parameters that returns
`Sums`: a small frozen object that adds with `+`. `Rows.sum` cuts z into blocks that fit the cache and adds;
`Rows.map` writes output that has a row per sample. Whatever offers these two verbs can be evaluated.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import reduce
from operator import add
from typing import Any, Self, TypeVar

import numpy as np

from goldless.ranks import FloatArray


@dataclass(frozen=True)
class Sums:
    """Base of what a statistic returns: objects of a kind add field by field."""

    def __add__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


S = TypeVar("S", bound=Sums)

#: Numbers in a block: a block and its temporaries stay in the second-level cache.
BLOCK_SIZE = 2**16


@dataclass(frozen=True)
class Rows:
    """z held in memory, read a block of rows at a time."""

    z: FloatArray

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.z)

    @property
    def n_methods(self) -> int:
        """Number of columns."""
        return self.z.shape[1]

    def sum(self, statistic: Callable[..., S], *parameters: Any) -> S:
        """Add up a statistic over all rows."""
        return reduce(add, (statistic(block, *parameters) for block in self._blocks()))

    def map(self, function: Callable[..., FloatArray], *parameters: Any) -> FloatArray:
        """Apply a function that gives a row of output for each row of z."""
        return np.concatenate([function(block, *parameters) for block in self._blocks()])

    def _blocks(self) -> list[FloatArray]:
        size = max(1, BLOCK_SIZE // self.n_methods)
        return [self.z[start : start + size] for start in range(0, self.n_samples, size)]
