"""Fig. 5: AUROC inferred without labels against the truth, on six data sets; and how far off it is."""

from functools import partial
from pathlib import Path

import judged
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from study import TITLES, Study
from tally import collect, markdown

ANSWERS = ["paper", "summa", "auto", "labels10", "alone10", "labels30", "alone30"]


def run(folder: Path, study: Study, *, quick: bool) -> pd.DataFrame:
    return collect(partial(judged.methods, study), study.splits(quick=quick), folder / "fig5.csv")


def draw(rows: pd.DataFrame, folder: Path) -> list[Path]:
    return [_table(rows, folder / "fig5.md"), *(_figure(part, source, folder) for source, part in by_source(rows))]


def by_source(rows: pd.DataFrame):
    return rows.groupby("source", sort=False)


def errors(rows: pd.DataFrame) -> pd.DataFrame:
    """Correlation of each answer with the truth, and its root mean square error, split by split."""
    found = []
    for (source, data_set, split), part in rows.dropna(subset="summa").groupby(["source", "data_set", "split"]):
        row = {"source": source, "data_set": data_set, "split": split}
        row |= {f"r {answer}": part[answer].corr(part["auroc"]) for answer in ("paper", "summa", "auto")}
        row |= {answer: np.sqrt(((part[answer] - part["auroc"]) ** 2).mean()) for answer in ANSWERS}
        row["covered"] = ((part["low"] <= part["auroc"]) & (part["auroc"] <= part["high"])).mean()
        row |= {"finding": part["finding"].iloc[0], "B": part["B"].iloc[0]}
        found.append(row)
    return pd.DataFrame(found)


def _table(rows: pd.DataFrame, path: Path) -> Path:
    heads = ["methods", "data set", "r paper", "r SUMMA", "r > .75", "r auto", *ANSWERS, "covered", "B", "violated"]
    lines = []
    for (source, data_set), part in errors(rows).groupby(["source", "data_set"], sort=False):
        mean = part.mean(numeric_only=True)
        lines.append(
            [source, TITLES[data_set], mean["r paper"], mean["r summa"], f"{(part['r summa'] > 0.75).mean():.0%}"]
        )
        lines[-1] += [mean["r auto"], *mean[ANSWERS], mean["covered"], part["B"].median()]
        lines[-1].append(f"{(part['finding'] == 'violated').mean():.0%}")
    path.write_text(markdown(heads, lines), encoding="utf-8")
    return path


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
