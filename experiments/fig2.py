"""Fig. 2: how well methods are judged and combined, over the number of methods."""

from pathlib import Path

import pandas as pd
from synthetic import DRAWN, draw_sweep, repeats, sweep
from tally import collect


def run(folder: Path, study: object, *, quick: bool) -> pd.DataFrame:
    values = [5, 10, 20, 30] if quick else range(5, 31)
    cases = [
        {"reading": reading, "n_methods": value, "repeats": repeats(quick)} for reading in DRAWN for value in values
    ]
    return collect(sweep, cases, folder / "fig2.csv")


def draw(rows: pd.DataFrame, folder: Path) -> list[Path]:
    return draw_sweep(rows, "n_methods", "number of methods", folder, "fig2")
