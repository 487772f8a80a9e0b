"""Fig. 3: how well methods are judged and combined, over the number of samples."""

from pathlib import Path

import pandas as pd
from synthetic import DRAWN, draw_sweep, repeats, sweep
from tally import collect


def run(folder: Path, study: object, *, quick: bool) -> pd.DataFrame:
    values = [30, 250, 1000] if quick else [30, 60, 100, 150, 250, 400, 600, 1000, 2000, 4000]
    cases = [
        {"reading": reading, "n_samples": value, "repeats": repeats(quick)} for reading in DRAWN for value in values
    ]
    return collect(sweep, cases, folder / "fig3.csv")


def draw(rows: pd.DataFrame, folder: Path) -> list[Path]:
    return draw_sweep(rows, "n_samples", "number of samples", folder, "fig3", log=True)
