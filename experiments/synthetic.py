"""The paper's Gaussian simulation in several readings, and what SUMMA makes of it.

The paper has AUROCs uniform in (.4, .8) and leaves the variances of its Gaussians open. With these AUROCs no variances
give the SUMMA ensemble of Fig. 1a: all ranks have one variance, so that what one class gains the other loses. "wider"
places the class means as unit variances ask, and then draws with a variance of 1.7. That gives it; the AUROCs of its
methods lie in (.42, .74). "even" spaces AUROCs evenly in place of drawing them.
"""

from pathlib import Path
from typing import Any

import literal
import numpy as np
import pandas as pd
from judged import correlation, quiet
from matplotlib.figure import Figure
from scipy.stats import norm
from tally import write_table

import goldless as gl

SEED = 0

#: Variances of class 0 and class 1, the variance that the class means leave out, and whether AUROCs are spaced evenly.
READINGS = {
    "as stated": ((1, 1), 1.0, False),
    "variances 1, 4": ((1, 4), 1.0, False),
    "variances 1, 16": ((1, 16), 1.0, False),
    "variances 1, 100": ((1, 100), 1.0, False),
    "even": ((1, 1), 1.0, True),
    "wider": ((1, 1), 1.7, False),
    "wider, even": ((1, 1), 1.7, True),
}

#: The two that the figures are drawn for.
DRAWN = ("as stated", "wider, even")

#: What the paper does not vary.
DEFAULT = {"n_samples": 1000, "n_methods": 30, "prevalence": 0.5}

COLOURS = {"SUMMA": "C3", "paper": "C1", "WOC": "C0", "best method": "0.5"}


def repeats(quick: bool) -> int:
    """How often the paper repeats each setting; fewer for a quick look."""
    return 3 if quick else 30


def simulate(reading: str, seed: int, **setting: Any) -> gl.Simulation:
    """Draw a data set."""
    setting = DEFAULT | setting
    variances, left_out, even = READINGS[reading]
    share = np.random.default_rng(seed).uniform(size=setting["n_methods"])
    auroc = 0.4 + 0.4 * (np.linspace(0, 1, len(share)) if even else share)
    auroc = norm.cdf(norm.ppf(auroc) / np.sqrt(left_out))
    return gl.simulate(random_state=seed, variances=variances, **setting | {"auroc": auroc})


def sweep(reading: str, repeats: int, **setting: Any) -> list[dict[str, Any]]:
    """Mean and standard error, over repeated data sets, of how well methods are judged and combined."""
    found = pd.DataFrame([_measured(simulate(reading, SEED + i, **setting)) for i in range(repeats)])
    means, errors = found.mean(), found.sem()
    return [{"quantity": name, "mean": means[name], "standard_error": errors[name]} for name in found]


def _measured(data: gl.Simulation) -> dict[str, float]:
    X, labels = data.scores, data.labels
    truth = gl.metrics.auroc(labels, X)
    with quiet():
        summa, auto = gl.Summa().fit(X), gl.Summa(model="auto").fit(X)
        paper, crowd = literal.summa(X), gl.WisdomOfCrowds().fit(X)
    judged = {"SUMMA": summa.auroc_, "paper": paper.auroc, "auto": auto.auroc_}
    made = {"SUMMA": summa.decision_function(X), "paper": paper.score, "WOC": crowd.decision_function(X)}
    found = {f"r: {name}": correlation(auroc, truth) for name, auroc in judged.items()}
    found["R²: SUMMA"] = 1 - np.sum((summa.auroc_ - truth) ** 2) / np.sum((truth - truth.mean()) ** 2)
    found |= {f"RMSE: {name}": np.sqrt(np.mean((auroc - truth) ** 2)) for name, auroc in judged.items()}
    found |= {f"ensemble: {name}": gl.metrics.auroc(labels, score) for name, score in made.items()}
    found["ensemble: best method"] = truth.max()
    found["error of the prevalence: SUMMA"] = abs(summa.prevalence_ - labels.mean())
    found["error of the prevalence: paper"] = abs(paper.prevalence - labels.mean())
    found["independence called violated"] = float(auto.diagnosis_.finding == "violated")
    return found


def draw_sweep(rows: pd.DataFrame, over: str, label: str, folder: Path, name: str, *, log: bool = False) -> list[Path]:
    """Draw a sweep as the paper does, a above b, for each reading; and a table with what the paper leaves out."""
    figure = Figure(figsize=(9, 6.5), layout="constrained")
    panels = figure.subplots(2, len(DRAWN), sharex=True, sharey="row")
    for column, reading in enumerate(DRAWN):
        part = rows[rows["reading"] == reading]
        for panel, kind in zip(panels[:, column], ("r", "ensemble"), strict=True):
            for method, colour in COLOURS.items():
                curve = part[part["quantity"] == f"{kind}: {method}"].sort_values(over)
                if len(curve):
                    panel.errorbar(curve[over], curve["mean"], curve["standard_error"], color=colour, label=method)
            panel.legend()
            panel.set(xscale="log" if log else "linear")
        panels[0, column].set(title=reading)
        panels[1, column].set(xlabel=label)
    panels[0, 0].set(ylabel="correlation with the true AUROC")
    panels[1, 0].set(ylabel="AUROC of the ensemble")
    path = folder / f"{name}.png"
    figure.savefig(path)
    return [path, write_means(rows, [over], folder / f"{name}.md")]


def write_means(rows: pd.DataFrame, over: list[str], path: Path) -> Path:
    """Write the means as a table, a line for each setting."""
    wide = rows.pivot_table(index=["reading", *over], columns="quantity", values="mean", sort=False)
    return write_table(wide.reset_index(), path)
