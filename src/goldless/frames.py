"""Any table in, the same kind of table out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from goldless.checks import check_long, check_names, check_numbers, check_numeric, check_scored_once

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
    truth_values : bool
        Whether every column holds truth values.
    """

    scores: Any
    names: tuple[str, ...]
    backend: Any
    samples: npt.NDArray[Any] | None = None
    truth_values: bool = False

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
    frame = _frame(X)
    if not isinstance(frame, nw.DataFrame):
        scores = as_array(X)
        names = method_names(scores.shape[-1] if scores.ndim else 0)
        return Table(scores, names, None, truth_values=scores.dtype.kind == "b")
    check_names(frame.columns)
    names = tuple(map(str, frame.columns))
    truth_values = all(kind == nw.Boolean for kind in frame.schema.dtypes())
    return Table(_numbers(frame), names, frame.implementation, truth_values=truth_values)


def as_array(X: Any) -> npt.NDArray[Any]:
    """Make an array, in which a missing value of any kind is NaN; what else is no number is left as it is."""
    if isinstance(X, np.ma.MaskedArray):
        return np.ma.filled(X.astype(float), np.nan)
    array = np.asarray(X)
    return np.where(np.asarray(_missing(array), dtype=bool), np.nan, array) if array.dtype == object else array


_missing = np.frompyfunc(lambda value: value is None or type(value).__name__ == "NAType", 1, 1)


def _frame(X: Any) -> Any:
    """Look at a table of any library in one way; give anything else as it is."""
    try:
        frame = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError:
        check_names(list(X.columns))
        raise
    return frame.collect() if isinstance(frame, nw.LazyFrame) else frame


def _numbers(frame: Any) -> npt.NDArray[Any]:
    """Turn a table into an array of numbers; a library's own kinds of numbers and of missing values are no objects."""
    _refuse_text(frame)
    numbers = frame.to_numpy()
    if numbers.dtype != object:
        return numbers
    whole = frame.with_columns(nw.selectors.boolean().cast(nw.Int8))
    return as_array(whole.select(nw.all().cast(nw.Float64)).to_numpy()).astype(float)


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
        table of the library that the long one came in; in pandas the samples are the index, in others they are
        `long[sample].unique(maintain_order=True)`. Where more than 90 % is
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
    long = _frame(frame)
    check_long(long, (sample, method), value)
    values = _numbers(long.select(value))[:, 0]
    rows, samples = _numbered(long[sample])
    columns, methods = _numbered(long[method])
    names = tuple(map(str, methods))
    check_scored_once(rows, columns, samples, names)
    scored = ~np.isnan(values)
    shape = len(samples), len(names)
    if scored.sum() <= SPARSE * shape[0] * shape[1]:
        stored = (values[scored], (rows[scored], columns[scored]))
        truth_values = long[value].dtype == nw.Boolean
        return Table(csr_array(stored, shape=shape), names, long.implementation, samples, truth_values)
    wide = {}
    by_method = np.argsort(columns, kind="stable")
    for name, mine in zip(names, np.split(by_method, np.cumsum(np.bincount(columns))[:-1]), strict=True):
        complete = len(mine) == len(samples)
        wide[name] = np.empty(len(samples), values.dtype) if complete else np.full(len(samples), np.nan)
        wide[name][rows[mine]] = values[mine]
    table = nw.from_dict(wide, backend=long.implementation)
    index = nw.new_series(sample, samples, backend=long.implementation)
    return nw.maybe_set_index(table, index=index).to_native()


def negated(X: Any) -> Any:
    """Turn the sign of a table, and keep its kind, its names and its index."""
    table = read(X)
    ranks = check_numbers(table.scores, "Ranks")
    # The numbers of ranks are far from the limits of 64 bits, not so from those of fewer, or without a sign.
    whole = ranks.dtype.kind in "biu"
    scores = -ranks.astype(np.int64 if whole else float)
    if table.backend is None:
        return scores
    native = build(dict(zip(table.names, scores.T, strict=True)), table.backend)
    if hasattr(native, "set_axis"):
        return native.set_axis(X.index).set_axis(X.columns, axis=1)
    return native


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
    numeric = [kind.is_numeric() or kind == nw.Boolean for kind in frame.schema.dtypes()]
    # What holds nothing at all has no kind.
    check_numeric(names, [is_so or frame[:, i].is_null().all() for i, is_so in enumerate(numeric)])


def _numbered(series: Any) -> tuple[npt.NDArray[np.intp], npt.NDArray[Any]]:
    """Give each entry the number of its kind, and the kinds in the order in which they first appear."""
    values = series.to_numpy()
    if values.dtype == object:
        kinds: dict[Any, int] = {}
        code = np.array([kinds.setdefault(value, len(kinds)) for value in values.tolist()], dtype=np.intp)
        return code, np.array([*kinds, None], dtype=object)[:-1]
    distinct, first, code = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return np.argsort(order)[code], distinct[order]


def build(columns: Mapping[str, Any], backend: Any) -> Any:
    """Make a table in the given library; a structured array where there is none."""
    if backend is not None:
        return nw.from_dict(dict(columns), backend=backend).to_native()
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    kinds = [(name, object if array.dtype.kind == "U" else array.dtype) for name, array in arrays.items()]
    return np.array(list(zip(*(array.tolist() for array in arrays.values()), strict=True)), dtype=kinds)


def header(table: Table) -> Any:
    """Make a table of no samples with the same columns."""
    if table.backend is None:
        return np.empty((0, len(table.names)))
    return build({name: [] for name in table.names}, table.backend)


def method_names(n_methods: int) -> tuple[str, ...]:
    """Name the columns of a plain array."""
    return tuple(f"method{i}" for i in range(n_methods))
