"""Cases that are measured once, two at a time, and kept in a tidy CSV: what is in it is not computed again."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import Parallel, delayed

from goldless.terminal import working

Row = dict[str, Any]

CORES = 2


def collect(measure: Callable[..., list[Row]], cases: list[Row], path: Path) -> pd.DataFrame:
    """Measure the cases that the CSV lacks, add them to it as they come, and give the rows of all cases.

    A case is what names its rows; `measure(**case)` gives the rest of them.
    """
    wanted = pd.DataFrame(cases)
    kept = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=wanted.columns)
    todo = list(_missing(wanted, kept))
    found = Parallel(n_jobs=CORES, return_as="generator_unordered")(delayed(_measured)(measure, case) for case in todo)
    path.parent.mkdir(parents=True, exist_ok=True)
    with working(path.stem, len(todo)) as advance:
        for rows in found:
            kept = pd.concat([kept, pd.DataFrame(rows)]) if len(kept) else pd.DataFrame(rows)
            _write(kept.sort_values(list(wanted.columns), kind="stable"), path)
            advance()
    # Read back, so that what is drawn is what is kept.
    return wanted.merge(pd.read_csv(path), on=list(wanted.columns))


def _missing(wanted: pd.DataFrame, kept: pd.DataFrame) -> Iterator[Row]:
    keys = list(wanted.columns)
    held = set(kept[keys].itertuples(index=False, name=None))
    for case in wanted.itertuples(index=False, name=None):
        if case not in held:
            yield dict(zip(keys, case, strict=True))


def _measured(measure: Callable[..., list[Row]], case: Row) -> list[Row]:
    return [{**case, **row} for row in measure(**case)]


def _write(table: pd.DataFrame, path: Path) -> None:
    """Replace the file at one stroke: a run that is stopped leaves a whole one."""
    part = path.with_suffix(".part")
    table.to_csv(part, index=False, float_format="%.4g")
    os.replace(part, path)


def write_table(table: pd.DataFrame, path: Path) -> Path:
    """Write a table in Markdown, numbers to three decimals."""
    path.write_text(markdown(list(table.columns), table.itertuples(index=False)), encoding="utf-8")
    return path


def markdown(heads: list[str], rows: Iterable[Iterable[Any]]) -> str:
    """Draw a table in Markdown, numbers to three decimals."""
    cells = [[f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *cells)]
    return "\n".join(lines) + "\n"
