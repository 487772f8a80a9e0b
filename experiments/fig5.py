"""Fig. 5: AUROC inferred without labels against the truth, on six data sets; and how far off it is."""

from functools import partial
from pathlib import Path

import judged
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from study import TITLES, Study
from tally import collect, write_table

CORRELATED = ["paper", "summa", "auto"]
ANSWERS = ["paper", "summa", "auto", "labels10", "alone10", "labels30", "alone30"]


def run(folder: Path, study: Study, *, quick: bool) -> pd.DataFrame:
    return collect(partial(judged.methods, study), study.splits(quick=quick), folder / "fig5.csv")


def draw(rows: pd.DataFrame, folder: Path) -> list[Path]:
    figures = [_figure(part, source, folder) for source, part in rows.groupby("source", sort=False)]
    return [*_tables(rows, folder), *figures]


def by_split(rows: pd.DataFrame) -> pd.DataFrame:
    """Correlation of each answer with the truth, and its root mean square error, split by split."""
    found = []
    for (source, data_set, split), part in rows.dropna(subset="summa").groupby(
        ["source", "data_set", "split"], sort=False
    ):
        row = {"source": source, "data_set": data_set, "split": split}
        row |= {f"r {name}": part[name].corr(part["auroc"]) for name in CORRELATED}
        row |= {f"rank r {name}": part[name].corr(part["auroc"], "spearman") for name in CORRELATED}
        row |= {answer: np.sqrt(((part[answer] - part["auroc"]) ** 2).mean()) for answer in ANSWERS}
        row["covered"] = ((part["low"] <= part["auroc"]) & (part["auroc"] <= part["high"])).mean()
        row |= {"finding": part["finding"].iloc[0], "B": part["B"].iloc[0]}
        found.append(row)
    return pd.DataFrame(found)


def _tables(rows: pd.DataFrame, folder: Path) -> list[Path]:
    """Write what the paper shows, the correlations, and what it does not: the errors, and what the diagnosis says."""
    correlations, errors = [], []
    for (source, data_set), part in by_split(rows).groupby(["source", "data_set"], sort=False):
        mean = part.mean(numeric_only=True)
        found = {"methods": source, "data set": TITLES[data_set]}
        shares = {f"r > .75 {name}": f"{(part[f'r {name}'] > 0.75).mean():.0%}" for name in CORRELATED}
        correlations.append(
            found | {name: mean[name] for name in mean.index if name.startswith(("r ", "rank r "))} | shares
        )
        found = found | {f"RMSE {name}": mean[name] for name in ANSWERS} | {"covered": mean["covered"]}
        violated = f"{(part['finding'] == 'violated').mean():.0%}"
        errors.append(found | {"B": part["B"].median(), "violated": violated})
    tables = {"fig5.md": correlations, "fig5_errors.md": errors}
    return [write_table(pd.DataFrame(lines), folder / name) for name, lines in tables.items()]


def _figure(rows: pd.DataFrame, source: str, folder: Path) -> Path:
    figure = Figure(figsize=(10, 6.5), layout="constrained")
    panels = figure.subplots(2, 3)
    for panel, (data_set, title) in zip(panels.flat, TITLES.items(), strict=True):
        part = rows[rows["data_set"] == data_set]
        panel.axline((0.5, 0.5), slope=1, color="0.8", zorder=0)
        for answer, colour in (("summa", "C3"), ("auto", "C0")):
            panel.plot(part["auroc"], part[answer], ".", color=colour, alpha=0.4, label=answer)
        panel.set(title=f"{title}, {part['split'].nunique()} splits", xlim=(0.4, 1.02), ylim=(0.4, 1.02))
    panels[0, 0].legend(loc="lower right")
    figure.supxlabel("AUROC by the labels")
    figure.supylabel("AUROC without labels")
    figure.suptitle(f"23 methods, {source}")
    path = folder / f"fig5_{'caret' if 'caret' in source else 'here'}.png"
    figure.savefig(path)
    return path
