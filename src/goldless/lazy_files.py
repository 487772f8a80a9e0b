"""Score files larger than memory: Parquet, read by Dask a partition at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import pandas as pd

from goldless import blocks
from goldless.errors import InputError
from goldless.files import SAMPLE_NAMES, Input, chosen
from goldless.frames import Table


@dataclass(frozen=True)
class LazySheet:
    """What the files hold: a row for each sample, and the column that names the samples, if there is one.

    Attributes
    ----------
    frame : dask data frame
        All columns.
    sample : str or None
        The column that names the samples.
    table : Table
        The scores.
    """

    frame: Any
    sample: str | None
    table: Table

    @property
    def samples(self) -> Any:
        """Names of the samples; where no column names them, their numbers, counted from 1."""
        if self.sample is not None:
            return self.frame[self.sample]
        return da.arange(1, self.table.scores.n_samples + 1, chunks=self.table.scores.z.chunks[:1])

    def save(self, path: Path, columns: Mapping[str, Any]) -> None:
        """Write what was made of it to a folder of Parquet files, a file for each partition."""
        blocks.write(columns, path)

    def where(self, method: str | None, row: int | None) -> str:
        """Say where a method, or a row, stand."""
        column = None if method is None else f"column {method!r}"
        return ", ".join(part for part in (column, None if row is None else f"row {row + 1}") if part)


def gather(
    paths: Sequence[str],
    *,
    sample: str | None = None,
    columns: Sequence[str] = (),
    exclude: Sequence[str] = (),
    labels: str | None = None,
    progress: bool = False,
) -> Input:
    """Look into Parquet files, and say which columns are scores, and which one labels; nothing is read yet."""
    frame = _frame(paths)
    for name in (sample, labels):
        if name is not None and name not in frame.columns:
            raise InputError(f"{paths[0]} has no column {name!r}; it has {', '.join(map(repr, frame.columns))}.")
    if sample is None and _names_samples(frame.dtypes.iloc[0], frame.columns[0]):
        sample = frame.columns[0]
    taken = chosen([name for name in frame.columns if name not in (sample, labels)], columns, exclude)
    table = blocks.read(frame, columns=taken, progress=progress)
    known = None if labels is None else frame[labels].fillna(-1)
    return Input(table, LazySheet(frame, sample, table), known, None)


def _frame(paths: Sequence[str]) -> Any:
    try:
        return dd.read_parquet(list(paths) if len(paths) > 1 else paths[0])
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[-1]
        raise InputError(f"{paths[0]} cannot be read as Parquet, which --dask needs. {reason}") from error


def _names_samples(kind: Any, name: str) -> bool:
    if pd.api.types.is_string_dtype(kind):
        return True
    return pd.api.types.is_integer_dtype(kind) and name.strip().lower() in SAMPLE_NAMES
