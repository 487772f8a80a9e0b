"""Fig. 4: how well methods are judged and combined, over the prevalence."""

from pathlib import Path

import pandas as pd
from synthetic import DRAWN, draw_sweep, repeats, sweep
from tally import collect


def run(folder: Path, study: object, *, quick: bool) -> pd.DataFrame:
    values = [0.05, 0.2, 0.5, 0.95] if quick else [i / 20 for i in range(1, 20)]
    cases = [
        {"reading": reading, "prevalence": value, "repeats": repeats(quick)} for reading in DRAWN for value in values
    ]
    return collect(sweep, cases, folder / "fig4.csv")


def draw(rows: pd.DataFrame, folder: Path) -> list[Path]:
    return draw_sweep(rows, "prevalence", "prevalence of class 1", folder, "fig4")
