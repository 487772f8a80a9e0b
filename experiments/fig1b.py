"""Fig. 1b: SUMMA of the n methods that it finds best, and the crowd of n methods at random."""

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import rankdata
from synthetic import DRAWN, SEED, simulate
from tally import collect, write_table

import goldless as gl

REPLICATES = 50
SHOWN = (1, 2, 3, 5, 10, 15, 20, 25, 30)


def run(folder: Path, study: object, *, quick: bool) -> pd.DataFrame:
    cases = [
        {"reading": reading, "seed": SEED + i, "replicates": 5 if quick else REPLICATES}
        for reading in DRAWN
        for i in range(1 if quick else 10)
    ]
    return collect(grown, cases, folder / "fig1b.csv")


def grown(reading: str, seed: int, replicates: int) -> list[dict[str, object]]:
    """AUROC of ensembles of the n best methods, by SUMMA's order and weights, and of n random ones."""
    data = simulate(reading, seed)
    random = np.random.default_rng(seed)
    z, weights = rankdata(data.scores, axis=0), gl.Summa().fit(data.scores).weights_
    best_first = np.argsort(-weights)
    M = len(weights)
    rows = []
    for n in range(1, M + 1):
        top = best_first[:n]
        crowds = [z[:, random.choice(M, n, replace=False)].mean(axis=1) for _ in range(replicates)]
        aurocs = gl.metrics.auroc(data.labels, np.stack([z[:, top] @ weights[top], *crowds], axis=1))
        rows.append({"n": n, "SUMMA": aurocs[0], "WOC": aurocs[1:].mean()})
        rows[-1]["WOC_standard_error"] = aurocs[1:].std(ddof=1) / np.sqrt(replicates)
    return rows


def draw(rows: pd.DataFrame, folder: Path) -> list[Path]:
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    for panel, reading in zip(figure.subplots(1, len(DRAWN), sharey=True), DRAWN, strict=True):
        part = rows[(rows["reading"] == reading) & (rows["seed"] == SEED)]
        panel.plot(part["n"], part["SUMMA"], "C3.-", label="SUMMA of the n best by its own judgement")
        panel.errorbar(part["n"], part["WOC"], part["WOC_standard_error"], color="C0", label="WOC of n at random")
        panel.set(title=reading, xlabel="n", ylabel="AUROC of the ensemble")
        panel.legend()
    path = folder / "fig1b.png"
    figure.savefig(path)
    means = rows[rows["n"].isin(SHOWN)].groupby(["reading", "n"])[["SUMMA", "WOC"]].mean().reset_index()
    return [path, write_table(means, folder / "fig1b.md")]
