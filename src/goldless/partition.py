"""What a worker does with one partition. It loads no more than this takes, so that workers stay small."""

from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import numpy.typing as npt

from goldless.errors import InputError
from goldless.ranks import FloatArray
from goldless.rows import Rows, S


def summed(part: tuple[FloatArray, Any], statistic: Callable[..., S], parameters: Any) -> S | None:
    """Sum a statistic over a partition, in blocks that stay in the cache; on the core that runs it."""
    if not len(part[0]):
        return None
    return reduce(add, (statistic(*block, *parameters) for block in Rows(*part).blocks()))


def mapped(z: FloatArray, beside: FloatArray | None = None, *, function: Any, parameters: Any) -> FloatArray:
    """Apply a function to a partition, in blocks that stay in the cache."""
    if not len(z):
        empty: FloatArray = function(*probe(z.shape[1], beside is not None), *parameters)[:0]
        return empty
    return np.concatenate([function(*block, *parameters) for block in Rows(z, beside).blocks()])


def applied(z: FloatArray, *, function: Callable[..., FloatArray], parameters: Any) -> FloatArray:
    """Apply a function to all of a partition."""
    if not len(z):
        return np.empty(z.shape)
    try:
        return function(z, *parameters)
    except InputError as error:
        raise InputError(f"Within one partition: {error}", method=error.method) from None


def picked(part: tuple[FloatArray, Any], rows: npt.NDArray[np.int64]) -> tuple[FloatArray, Any]:
    """Give some rows of a partition."""
    z, beside = part
    return np.asarray(z[rows]), None if beside is None else np.asarray(beside[rows])


def probe(n_methods: int, beside: bool) -> tuple[FloatArray, ...]:
    """Make a row that tells what a function gives."""
    return (np.zeros((1, n_methods)), np.zeros(1))[: 1 + beside]
