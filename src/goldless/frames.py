"""Any table in, the same kind of table out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from goldless.checks import check_long, check_numeric, check_scored_once

#: The share of scores up to which a table made from a long one is held sparse.
SPARSE = 0.1


@dataclass(frozen=True)
class Table:
    """Scores, the names of the columns, and the library that they came in (None: an array).

    Attributes
    ----------
    scores : ndarray or csr_array of shape (n_samples, n_methods)
        The scores. In a sparse array what is stored is a score, zeros too, and what is not stored is missing.
    names : tuple of str
        Names of the methods.
    backend : object
        The library of the table.
    samples : ndarray of shape (n_samples,), optional
        Names of the samples, where the table was made from a long one.
    """

    scores: Any
    names: tuple[str, ...]
    backend: Any
    samples: npt.NDArray[Any] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples and of methods."""
        return self.scores.shape


def read(X: Any) -> Table:
    """Read a pandas, polars or Arrow table, or anything that NumPy makes an array of."""
    if isinstance(X, Table):
        return X
    if issparse(X):
        return Table(X, method_names(X.shape[1]), None)
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        scores = np.asarray(X)
        return Table(scores, method_names(scores.shape[-1] if scores.ndim else 0), None)
    names = tuple(map(str, frame.columns))
    _refuse_text(frame)
    return Table(frame.to_numpy(), names, frame.implementation)


def from_long(frame: Any, *, sample: str, method: str, value: str) -> Any:
    """Turn a long table (task, worker, label), a row for each score, into a wide one, a column for each method.

    Parameters
    ----------
    frame : table
        A pandas, polars or Arrow table.
    sample, method, value : str
        The columns that hold the sample (task, item), the method (worker, annotator) and the score or vote. A
        missing value is no score; no sample may have two scores by a method.

    Returns
    -------
    table
        Samples and methods in the order in which they first appear, NaN where a method did not score a sample. A
        table of the library that the long one came in (pandas: the samples are the index). Where more than 90 % is
        missing it is a `Table` that holds the scores as a SciPy sparse array (`.scores`, `.names`, `.samples`), which
        every estimator takes as it is.

    Examples
    --------
    >>> import goldless as gl
    >>> import pandas as pd
    >>> votes = pd.DataFrame({"task": ["a", "a", "b"], "worker": ["Ann", "Bob", "Ann"], "label": [1, 0, 1]})
    >>> gl.from_long(votes, sample="task", method="worker", value="label")
          Ann  Bob
    task
    a       1  0.0
    b       1  NaN
    """
    long = nw.from_native(frame, pass_through=True)
    if isinstance(long, nw.LazyFrame):
        long = long.collect()
    check_long(long, (sample, method), value)
    _refuse_text(long.select(value))
    rows, samples = _numbered(long[sample])
    columns, methods = _numbered(long[method])
    names = tuple(map(str, methods))
    check_scored_once(rows, columns, samples, names)
    values = long[value].to_numpy()
    if values.dtype == object:
        values = values.astype(float)
    scored = ~np.isnan(values)
    shape = len(samples), len(names)
    if scored.sum() <= SPARSE * shape[0] * shape[1]:
        stored = (values[scored], (rows[scored], columns[scored]))
        return Table(csr_array(stored, shape=shape), names, long.implementation, samples)
    wide = {}
    by_method = np.argsort(columns, kind="stable")
    for name, mine in zip(names, np.split(by_method, np.cumsum(np.bincount(columns))[:-1]), strict=True):
        complete = len(mine) == len(samples)
        wide[name] = np.empty(len(samples), values.dtype) if complete else np.full(len(samples), np.nan)
        wide[name][rows[mine]] = values[mine]
    table = nw.from_dict(wide, backend=long.implementation)
    index = nw.new_series(sample, samples, backend=long.implementation)
    return nw.maybe_set_index(table, index=index).to_native()


def dense(scores: Any) -> npt.NDArray[Any]:
    """Give scores as a plain array, NaN where a sparse one stores nothing."""
    if not issparse(scores):
        return scores
    filled = np.full(scores.shape, np.nan)
    entries = scores.tocoo()
    filled[entries.coords] = entries.data
    return filled


def _refuse_text(frame: Any) -> None:
    names = tuple(map(str, frame.columns))
    check_numeric(names, [kind.is_numeric() or kind == nw.Boolean for kind in frame.schema.dtypes()])


def _numbered(series: Any) -> tuple[npt.NDArray[np.intp], npt.NDArray[Any]]:
    """Give each entry the number of its kind, and the kinds in the order in which they first appear."""
    distinct, first, code = np.unique(series.to_numpy(), return_index=True, return_inverse=True)
    order = np.argsort(first)
    return np.argsort(order)[code], distinct[order]


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
