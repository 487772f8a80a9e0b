"""Any table in, the same kind of table out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from goldless.checks import check_numeric


@dataclass(frozen=True)
class Table:
    """Scores as an array, the names of the columns, and the library that they came in (None: an array)."""

    scores: npt.NDArray[Any]
    names: tuple[str, ...]
    backend: Any


def read(X: Any) -> Table:
    """Read a pandas, polars or Arrow table, or anything that NumPy makes an array of."""
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        scores = np.asarray(X)
        return Table(scores, method_names(scores.shape[-1] if scores.ndim else 0), None)
    names = tuple(map(str, frame.columns))
    check_numeric(names, [kind.is_numeric() or kind == nw.Boolean for kind in frame.schema.dtypes()])
    return Table(frame.to_numpy(), names, frame.implementation)


def build(columns: Mapping[str, Any], backend: Any) -> Any:
    """Make a table in the given library; a structured array where there is none."""
    if backend is not None:
        return nw.from_dict(dict(columns), backend=backend).to_native()
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    kinds = [(name, object if array.dtype.kind == "U" else array.dtype) for name, array in arrays.items()]
    return np.array(list(zip(*(array.tolist() for array in arrays.values()), strict=True)), dtype=kinds)


def method_names(n_methods: int) -> tuple[str, ...]:
    """Name the columns of a plain array."""
    return tuple(f"method{i}" for i in range(n_methods))
