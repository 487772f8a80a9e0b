"""Table 1 (t:1): the six data sets."""

from functools import partial
from pathlib import Path

import pandas as pd
from study import TITLES, Study
from tally import collect, markdown

import goldless as gl

#: Features (the class counted), samples, prevalence of the smaller class.
PAPER = {
    "bank_marketing": (17, 45211, 0.11),
    "breast_cancer": (10, 683, 0.34),
    "ionosphere": (35, 351, 0.35),
    "mammographic_mass": (6, 830, 0.48),
    "parkinsons": (23, 195, 0.24),
    "yeast": (9, 892, 0.48),
}


def run(folder: Path, study: Study, *, quick: bool) -> pd.DataFrame:
    return collect(partial(described, study), [{"data_set": name} for name in TITLES], folder / "table1.csv")


def described(study: Study, data_set: str) -> list[dict[str, object]]:
    """Count features, the class too, and samples."""
    table = gl.datasets.load_uci(data_set, study.data)
    samples, features = table.features.shape
    return [{"features": features + 1, "samples": samples, "prevalence": table.labels.mean()}]


def draw(rows: pd.DataFrame, folder: Path) -> list[Path]:
    heads = ["data set", "features", "paper", "samples", "paper", "prevalence", "paper"]
    lines = []
    for row in rows.itertuples():
        features, samples, prevalence = PAPER[row.data_set]
        lines.append([TITLES[row.data_set], row.features, features, row.samples, samples])
        lines[-1] += [row.prevalence, f"{prevalence:.2f}"]
    path = folder / "table1.md"
    path.write_text(markdown(heads, lines), encoding="utf-8")
    return [path]
