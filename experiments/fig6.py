"""Fig. 6: ensembles of random methods, over their number, on Bank Marketing and Yeast."""

from functools import partial
from pathlib import Path
from typing import Any

import judged
import literal
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from study import TITLES, Study
from tally import collect, write_table

import goldless as gl

SIZES = [3, 5, 8, 10, 12, 15, 18, 20]
COMPARED = ["paper", "SUMMA", "auto"]
DATA_SETS = ["bank_marketing", "yeast"]


def run(folder: Path, study: Study, *, quick: bool, sizes: Any = SIZES) -> pd.DataFrame:
    draws, sizes = (5, sizes[::2]) if quick else (50, sizes)
    cases = [
        {**split, "size": size, "draws": draws} for split in study.splits(DATA_SETS, quick=quick) for size in sizes
    ]
    return collect(partial(subsets, study), cases, folder / "fig6.csv")


def subsets(study: Study, source: str, data_set: str, split: int, size: int, draws: int) -> list[dict[str, Any]]:
    """Combine random methods, and compare with each of them and with their mean rank."""
    data = study.load(source, data_set, split)
    scores, singles = data.ordering, judged.truth(data)
    random = np.random.default_rng([split, size])
    found = []
    for _ in range(draws):
        chosen = scores.columns[random.choice(scores.shape[1], size, replace=False)]
        made = _combined(scores[chosen], data.labels)
        row = {**made, "best": singles[chosen].max(), "mean method": singles[chosen].mean()}
        for name in COMPARED:
            better = (singles[chosen] > made[name]).sum()
            row |= {f"{name} first": better == 0, f"{name} second": better == 1}
            row |= {f"{name} beats WOC": made[name] > made["WOC"], f"{name} loses to WOC": made[name] < made["WOC"]}
        found.append(row)
    return [{**pd.DataFrame(found).astype(float).mean()}]


def _combined(scores: pd.DataFrame, labels: Any) -> dict[str, float]:
    models = {"SUMMA": gl.Summa(), "auto": gl.Summa(model="auto"), "WOC": gl.WisdomOfCrowds()}
    with judged.quiet():
        made = {name: model.fit(scores).decision_function(scores) for name, model in models.items()}
    made["paper"] = literal.combined(scores)
    return {name: gl.metrics.auroc(labels, score) for name, score in made.items()}


def draw(rows: pd.DataFrame, folder: Path) -> list[Path]:
    means = rows.groupby(["source", "data_set", "size"], sort=False).mean(numeric_only=True).reset_index()
    figure = Figure(figsize=(9, 4 * rows["source"].nunique()), layout="constrained")
    panels = figure.subplots(rows["source"].nunique(), 2, squeeze=False)
    groups = means.groupby(["source", "data_set"], sort=False)
    for panel, ((source, data_set), part) in zip(panels.flat, groups, strict=True):
        for name, colour in (("SUMMA", "C3"), ("WOC", "C0"), ("best", "0.3"), ("mean method", "0.7")):
            panel.plot(part["size"], part[name], ".-", color=colour, label=name)
        panel.set(title=f"{TITLES[data_set]}, {source}", xlabel="number of methods", ylabel="AUROC")
        panel.legend()
    path = folder / "fig6.png"
    figure.savefig(path)
    places = [f"{name} {place}" for name in COMPARED for place in ("first", "second")]
    columns = ["source", "data_set", "size", "paper", "SUMMA", "auto", "WOC", "best", *places]
    return [path, write_table(means[columns], folder / "fig6.md")]
