"""Score files to tables, and what was found to files.

A file is known by how it begins, whatever its name: Parquet, Arrow, or text with a separator, perhaps compressed. What
cannot be read is named by file, line and column. Files are written whole or not at all.
"""

import csv
import gzip
import io
import operator
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import reduce
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import polars as pl

from goldless import checks
from goldless.drafts import whole
from goldless.errors import InputError
from goldless.frames import Table, from_long
from goldless.result import Evaluation

#: What text files write for "not scored".
MISSING = ["", "NA", "N/A", "n/a", "na", "NaN", "nan", "NULL", "null", "None", "none"]
#: Names by which a first column of whole numbers is taken for the names of the samples.
SAMPLE_NAMES = {"", "id", "sample", "sample_id", "sampleid", "sample id", "index", "key", "row", "task", "item"}
#: Names by which a column is taken for the labels, where a file of labels has several.
LABEL_NAMES = {"label", "labels", "truth", "y", "target", "class", "gold"}

STANDARD_INPUT = "-"
GZIP, PARQUET, ARROW, ZIP = b"\x1f\x8b", b"PAR1", b"ARROW1", b"PK\x03\x04"


@dataclass(frozen=True)
class Sheet:
    """What files hold: a row for each sample, a column for each method and whatever else there is.

    Attributes
    ----------
    frame : polars.DataFrame
        All columns of all files.
    sample : str or None
        The column that names the samples, if there is one.
    origin : dict
        The file that each column came from.
    """

    frame: pl.DataFrame
    sample: str | None
    origin: Mapping[str, str]

    @property
    def samples(self) -> npt.NDArray[Any]:
        """Names of the samples; where no column names them, their numbers, counted from 1."""
        if self.sample is None:
            return np.arange(1, len(self.frame) + 1)
        return self.frame[self.sample].to_numpy()

    @property
    def methods(self) -> list[str]:
        """The columns but for that of the samples' names."""
        return [name for name in self.frame.columns if name != self.sample]

    @property
    def files(self) -> tuple[str, ...]:
        """The files, in the order in which they were read."""
        return tuple(dict.fromkeys(self.origin.values()))

    def place(self, row: int) -> str:
        """Say where a row stands: its line, or where files were joined its sample."""
        name = f"sample {self.samples[row]}"
        if len(self.files) != 1:
            return name
        return f"line {row + 2}" + ("" if self.sample is None else f" ({name})")

    def save(self, path: Path, columns: Mapping[str, Any]) -> None:
        """Write what was made of it, a row for each sample."""
        save_table(path, columns)

    def where(self, method: str | None, row: int | None) -> str:
        """Say where a method, or a row, or both of one score, stand in the files."""
        file = self.files[0] if len(self.files) == 1 else self.origin.get(str(method))
        place = None if row is None else self.place(row)
        column = None if method is None else f"column {method!r}"
        return ", ".join(part for part in (file, place, column) if part)


@dataclass(frozen=True)
class Input:
    """What a command works on.

    Attributes
    ----------
    table : Table
        The scores.
    sheet : Sheet
        What the files hold, or what stands for it where they are larger than memory.
    labels, truth : ndarray or None
        Some labels that the fit may use, and all labels to compare with; -1 where there is none.
    """

    table: Table
    sheet: Any
    labels: Any
    truth: npt.NDArray[Any] | None

    @property
    def suspects(self) -> tuple[str, ...]:
        """Methods that are called as labels are."""
        return tuple(name for name in self.table.names if name.strip().lower() in LABEL_NAMES)


def read_scores(
    path: str | Path | Sequence[str | Path],
    *,
    sample: str | None = None,
    columns: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> Table:
    r"""Read scores from files: CSV, TSV, Parquet, Arrow or Feather, compressed by gzip or not.

    Parameters
    ----------
    path : str, Path, or a sequence of them
        A file with a row for each sample and a column for each method; "-" reads standard input. Several files, such
        as one from each team, are joined on the column that names the samples.
    sample : str, optional
        The column that names the samples. If not given, it is the first one if that holds text, or whole numbers under
        a name such as "id" or "sample".
    columns, exclude : sequence of str, optional
        The columns to take as methods, all others if not given, and those to leave out; patterns such as "team_*".

    Returns
    -------
    Table
        `.scores` (NaN where a method gave none), `.names` of the methods and `.samples`; `gl.evaluate` and all
        estimators take it as it is.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import goldless as gl
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "scores.csv"
    >>> _ = path.write_text("sample,ann,bob,eve\nx,0.1,0.3,\ny,0.8,0.4,0.9\nz,0.7,0.2,0.6\n")
    >>> table = gl.read_scores(path)
    >>> table.names, table.samples.tolist()
    (('ann', 'bob', 'eve'), ['x', 'y', 'z'])
    >>> table.scores
    array([[0.1, 0.3, nan],
           [0.8, 0.4, 0.9],
           [0.7, 0.2, 0.6]])
    """
    return scores(read(path, sample=sample), columns, exclude)


def read(path: str | Path | Sequence[str | Path], *, sample: str | None = None) -> Sheet:
    """Read files, and join several on the column that names the samples."""
    paths = [str(path)] if isinstance(path, str | Path) else [str(part) for part in path]
    sheets = [_named(_frame(part), sample, _label(part)) for part in paths]
    return sheets[0] if len(sheets) == 1 else reduce(_joined, _told_apart(sheets))


def gather(
    paths: Sequence[str],
    *,
    sample: str | None = None,
    columns: Sequence[str] = (),
    exclude: Sequence[str] = (),
    lower_is_positive: Sequence[str] = (),
    ranks: bool = False,
    long: tuple[str, str, str] | None = None,
    labels: str | None = None,
    truth: str | None = None,
) -> Input:
    """Read scores from files, and labels from a column or from another file."""
    if long is not None:
        sheet, table = _long(paths, long)
    else:
        sheet = read(paths, sample=sample)
        apart = [name for name in (labels, truth) if name is not None]
        table = scores(sheet, columns, exclude, lower_is_positive, ranks=ranks, apart=apart)
    found = [None if source is None else _labels(sheet, source) for source in (labels, truth)]
    return Input(table, sheet, *found)


def scores(
    sheet: Sheet,
    columns: Sequence[str] = (),
    exclude: Sequence[str] = (),
    lower_is_positive: Sequence[str] = (),
    *,
    ranks: bool = False,
    apart: Sequence[str] = (),
) -> Table:
    """Take the columns that hold scores but for those `apart`, turned so that higher means more likely positive."""
    taken = chosen([name for name in sheet.methods if name not in apart], columns, exclude)
    turned = set(taken) if ranks else _matching(lower_is_positive, taken)
    frame = sheet.frame.select(_numbers(sheet, name) for name in taken)
    frame = frame.with_columns(-pl.col(name) for name in taken if name in turned)
    return Table(frame.to_numpy(), tuple(taken), pl, sheet.samples)


def save_table(path: str | Path, columns: Mapping[str, Any]) -> None:
    """Write a table as what its name says: CSV, TSV, Parquet, Arrow or Feather."""
    frame = pl.DataFrame(dict(columns))
    write: dict[str, Callable[[Path], Any]] = {
        ".csv": frame.write_csv,
        ".tsv": lambda target: frame.write_csv(target, separator="\t"),
        ".parquet": frame.write_parquet,
        ".arrow": frame.write_ipc,
        ".feather": frame.write_ipc,
    }
    suffix = Path(path).suffix.lower()
    checks.check_choice("The ending of the output file", suffix, tuple(write))
    with whole(path) as target:
        write[suffix](target)


def print_table(columns: Mapping[str, Any]) -> None:
    """Print a table as CSV."""
    pl.DataFrame(dict(columns)).write_csv(sys.stdout)


def save_text(path: str | Path, text: str) -> None:
    """Write text."""
    with whole(path) as target:
        target.write_text(text, encoding="utf-8")


def read_evaluation(path: str | Path) -> Evaluation:
    """Read an evaluation from the JSON that `Evaluation.to_json` gave."""
    try:
        with _stream(_source(str(path))) as stream:
            return Evaluation.from_json(stream.read().decode("utf-8"))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{_label(path)} holds no evaluation of this version of goldless ({error}). Write one with "
            "`goldless evaluate ... --json result.json`."
        ) from error


# ---- one file


def _source(path: str) -> str | bytes:
    """Give what polars reads: the path, or what is in it where that comes compressed or by standard input."""
    try:
        if path == STANDARD_INPUT:
            held = sys.stdin.buffer.read()
            return gzip.decompress(held) if held.startswith(GZIP) else held
        with Path(path).open("rb") as file:
            return gzip.decompress(Path(path).read_bytes()) if file.read(2) == GZIP else path
    except (OSError, EOFError) as error:
        raise InputError(f"{_label(path)} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def _stream(source: str | bytes) -> BinaryIO:
    return io.BytesIO(source) if isinstance(source, bytes) else Path(source).open("rb")


def _label(path: str | Path) -> str:
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def _frame(path: str) -> pl.DataFrame:
    """Read a file by how it begins."""
    source = _source(path)
    with _stream(source) as stream:
        start = stream.read(len(ARROW))
    if start.startswith(ZIP):
        raise InputError(f"{_label(path)} is an archive or an Excel file. Save it as CSV or Parquet.")
    try:
        if start.startswith(PARQUET):
            return pl.read_parquet(source)
        if start == ARROW:
            return pl.read_ipc(source)
        return _text(source, _label(path))
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{_label(path)} cannot be read: {str(error).splitlines()[0]}.") from error


def _text(source: str | bytes, path: str) -> pl.DataFrame:
    """Read a text file; its separator is the one that its first line has most of."""
    try:
        with io.TextIOWrapper(_stream(source), "utf-8-sig") as text:
            lines = list(islice(text, 2))
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no text in UTF-8, nor Parquet or Arrow. Save it as CSV in UTF-8.") from error
    if not lines or not lines[0].strip():
        raise InputError(f"{path} is empty. It needs a line of column names, and a line for each sample.")
    separator = max("\t,;", key=lines[0].count)
    header = next(csv.reader(lines[:1], delimiter=separator))
    twice = [name for name, n in Counter(header).items() if n > 1]
    if twice:
        raise InputError(f"{path}, line 1: more than one column is called {twice[0]!r}. Rename all but one.")
    try:
        frame = pl.read_csv(
            source,
            separator=separator,
            null_values=MISSING,
            infer_schema_length=None,
            decimal_comma=separator == ";" and "," in "".join(lines[1:]),
        )
    except pl.exceptions.ComputeError as error:
        torn = _torn_line(source, separator, operator.gt, len(header), path)
        raise InputError(torn or f"{path} cannot be read as CSV. Perhaps a quote is not closed.") from error
    # A line that ends early leaves its last columns empty, as if they had not been scored.
    if frame.to_series(-1).null_count():
        torn = _torn_line(source, separator, operator.lt, len(header), path)
        if torn is not None:
            raise InputError(torn)
    return frame


def _torn_line(
    source: str | bytes, separator: str, is_torn: Callable[[Any, int], Any], width: int, path: str
) -> str | None:
    """Say which line has more, or fewer, fields than there are columns; quoted text makes it impossible to say."""
    lines = pl.read_csv(source, has_header=False, separator="\x00", quote_char=None, new_columns=["line"])["line"]
    fields = lines.fill_null("").str.count_matches(separator, literal=True) + 1
    torn = is_torn(fields, width) & (lines.fill_null("").str.strip_chars() != "")
    if not torn.any() or lines.str.contains('"', literal=True).any():
        return None
    row = int(torn.arg_max() or 0)
    return f"{path}, line {row + 1}: {fields[row]} fields, but there are {width} columns. Mend the line."


def _named(frame: pl.DataFrame, sample: str | None, path: str) -> Sheet:
    """Find the column that names the samples."""
    origin = dict.fromkeys(frame.columns, path)
    if sample is not None and sample not in frame.columns:
        raise InputError(f"{path} has no column {sample!r}; it has {_listed(frame.columns)}.")
    if len(frame) == 0:
        raise InputError(f"{path} has column names but no samples.")
    first = frame.columns[0]
    if sample is None and _names_samples(frame[first]):
        sample = first
    sheet = Sheet(frame, sample, origin)
    if sample is not None:
        strange = frame[sample].is_duplicated() | frame[sample].is_null()
        if strange.any():
            row = int(strange.arg_max() or 0)
            what = "is empty" if frame[sample][row] is None else f"names {frame[sample][row]!r} more than once"
            raise InputError(f"{path}, line {row + 2}: column {sample!r} {what}. Each sample needs a name of its own.")
    return sheet


def _names_samples(column: pl.Series) -> bool:
    if column.dtype == pl.String:
        # A stray word among numbers does not make a column of scores one of names.
        return column.cast(pl.Float64, strict=False).count() <= len(column) / 2
    return column.dtype.is_integer() and column.name.strip().lower() in SAMPLE_NAMES


def _numbers(sheet: Sheet, name: str) -> pl.Expr:
    """Take a column of numbers, or say which entry is none."""
    column, here = sheet.frame[name], pl.col(name)
    if column.dtype == pl.Boolean and column.null_count():
        return here.cast(pl.Float64)
    if column.dtype.is_numeric() or column.dtype == pl.Boolean:
        return here
    if column.null_count() == len(column):
        return here.cast(pl.Float64)
    number = column.cast(pl.Float64, strict=False) if column.dtype == pl.String else None
    row = 0 if number is None else int((number.is_null() & column.is_not_null()).arg_max() or 0)
    raise InputError(
        f"{sheet.origin[name]}, {sheet.place(row)}, column {name!r}: {column[row]!r} is no number. Leave the entry "
        f"empty where there is no score, or the column out (--exclude {name!r})."
    )


def _long(paths: Sequence[str], keys: tuple[str, str, str]) -> tuple[Sheet, Table]:
    """Read a long table, a row for each score; its lines are no samples, so places in it go by sample."""
    sample, method, value = keys
    frame = pl.concat([_frame(path) for path in paths], how="vertical_relaxed")
    wide = from_long(frame, sample=sample, method=method, value=value)
    if not isinstance(wide, Table):
        samples = frame[sample].unique(maintain_order=True).to_numpy()
        wide = Table(wide.to_numpy(), tuple(wide.columns), pl, samples)
    return Sheet(pl.DataFrame({sample: wide.samples}), sample, {}), wide


def _labels(sheet: Sheet, source: str) -> npt.NDArray[Any]:
    """Take labels from a column, or from another file; -1 where there is none."""
    if source in sheet.frame.columns:
        return _whole(_numbers(sheet, source), sheet.frame)
    frame = _frame(source)
    other = _named(frame, sheet.sample if sheet.sample in frame.columns else None, source)
    column = _label_column(other)
    values = other.frame.select(_numbers(other, column))
    if sheet.sample is not None and other.sample is not None:
        by_sample = pl.DataFrame({"key": other.frame[other.sample].cast(pl.String), "value": values[column]})
        mine = pl.DataFrame({"key": sheet.frame[sheet.sample].cast(pl.String)})
        values = mine.join(by_sample, on="key", how="left", maintain_order="left").select(pl.col("value").alias(column))
        if values[column].count() == 0:
            raise InputError(f"{source} has no label for any of the samples: the names in {other.sample!r} differ.")
    return _whole(pl.col(column), values)


def _whole(values: pl.Expr, frame: pl.DataFrame) -> npt.NDArray[Any]:
    """Give labels as whole numbers where they are whole, -1 where there is none."""
    found = frame.select(values.cast(pl.Float64).fill_null(-1).fill_nan(-1)).to_series().to_numpy()
    return found.astype(int) if np.all(found == np.round(found)) else found


def _shared_name(path: str, sheet: Sheet) -> str | None:
    """Name the column of a file of labels that names the samples as the scores' does, if it has one."""
    return sheet.sample if sheet.sample in _frame(path).columns else None


def _label_column(sheet: Sheet) -> str:
    """Find the labels in a file of labels: the only column, or the one that is called so."""
    there = sheet.methods
    named = [name for name in there if name.strip().lower() in LABEL_NAMES]
    if len(there) != 1 and len(named) != 1:
        raise InputError(
            f"{sheet.files[0]} has the columns {_listed(there)}, and none of them, or more than one, is called "
            "'label'. Keep the samples' names and one column of labels."
        )
    return there[0] if len(there) == 1 else named[0]


def chosen(there: Sequence[str], columns: Sequence[str], exclude: Sequence[str]) -> list[str]:
    """Choose columns by patterns, in the order in which they are there."""
    wanted = (_matching(columns, there) if columns else set(there)) - _matching(exclude, there)
    return [name for name in there if name in wanted]


def _matching(patterns: Sequence[str], names: Sequence[str]) -> set[str]:
    """Give the names that some pattern matches; each pattern must match one."""
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise InputError(f"No column matches {pattern!r}; there are {_listed(names)}.")
    return {name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)}


# ---- several files


def _told_apart(sheets: Sequence[Sheet]) -> list[Sheet]:
    """Name columns by their file where files share their names: the file's own name, if it has one such column."""
    for sheet in sheets:
        if sheet.sample is None:
            raise InputError(
                f"{sheet.files[0]} has no column that names the samples, so it cannot be joined with the others. "
                "Name the column with --id."
            )
    count = Counter(name for sheet in sheets for name in sheet.methods)
    told = []
    for sheet in sheets:
        methods = sheet.methods
        stem = Path(sheet.files[0]).name.split(".")[0]
        own = {name: stem if len(methods) == 1 else f"{stem}.{name}" for name in methods if count[name] > 1}
        frame = sheet.frame.rename(own)
        told.append(replace(sheet, frame=frame, origin=dict.fromkeys(frame.columns, sheet.files[0])))
    return told


def _joined(one: Sheet, other: Sheet) -> Sheet:
    """Join two files on the names of the samples; what is in one only is missing in the other."""
    key, frame = str(one.sample), other.frame.rename({str(other.sample): str(one.sample)})
    mine = one.frame
    if mine[key].dtype != frame[key].dtype:
        mine, frame = (part.with_columns(pl.col(key).cast(pl.String)) for part in (mine, frame))
    twice = set(mine.columns) & set(frame.columns) - {key}
    if twice:
        raise InputError(
            f"{other.files[0]} and {one.origin[min(twice)]} both have a column {min(twice)!r}. Rename one of them."
        )
    joined = mine.join(frame, on=key, how="full", coalesce=True, maintain_order="left_right")
    return Sheet(joined, key, {**one.origin, **{name: other.files[0] for name in frame.columns if name != key}})


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
