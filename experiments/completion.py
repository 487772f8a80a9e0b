"""The diagonal of Q by least squares (alg:iter) and by minimum trace (optim2), also at the edge of eq:perf."""

from functools import partial
from pathlib import Path
from typing import Any

import judged
import numpy as np
import pandas as pd
from study import Study
from synthetic import DEFAULT, SEED, simulate
from tally import collect, markdown

import goldless as gl
from goldless.rank_one import iterative, sdp

#: q₁² over the sum of the other q², which are equal. The theorem's condition ends at 1; with nine others minimum trace
#: has the right solution up to 9, where q₁ equals the sum of the others.
RATIOS = [0.25, 0.9, 1.1, 4.0, 8.5, 9.5, 20.0]
OTHERS = 9

SETTINGS = [DEFAULT, DEFAULT | {"n_methods": 5}, DEFAULT | {"n_samples": 100}, DEFAULT | {"prevalence": 0.1}]


def run(folder: Path, study: Study, *, quick: bool) -> pd.DataFrame:
    repeats = 3 if quick else 30
    edges = [{"ratio": ratio, "repeats": repeats} for ratio in RATIOS]
    drawn = [setting | {"repeats": repeats} for setting in SETTINGS]
    return pd.concat(
        [
            collect(edge, edges, folder / "completion_edge.csv"),
            collect(simulated, drawn, folder / "completion_simulated.csv"),
            collect(partial(trained, study), study.splits(quick=quick), folder / "completion_trained.csv"),
        ]
    )


def edge(ratio: float, repeats: int) -> list[dict[str, Any]]:
    """Recover an exact q, and AUROCs from 1000 samples, where one method outdoes nine others ever more."""
    delta = np.array([0.45] + [0.45 / np.sqrt(ratio * OTHERS)] * OTHERS)
    q = delta / 2
    exact = {solve.__name__: solve(np.outer(q, q)).q for solve in (iterative, sdp)}
    rows = [
        {"solver": name, "error of an exact q": np.abs(found - q).max() / np.linalg.norm(q)}
        for name, found in exact.items()
    ]
    data = [gl.simulate(n_methods=len(q), auroc=0.5 + delta, random_state=SEED + i) for i in range(repeats)]
    for row in rows:
        compared = [_compared(each.scores, each.labels) for each in data]
        row["RMSE"] = np.mean([one[f"RMSE {row['solver']}"] for one in compared])
    return rows


def simulated(repeats: int, **setting: Any) -> list[dict[str, Any]]:
    """Compare the two on the paper's simulation."""
    data = [simulate("as stated", SEED + i, **setting) for i in range(repeats)]
    return [{**pd.DataFrame([_compared(each.scores, each.labels) for each in data]).mean()}]


def trained(study: Study, source: str, data_set: str, split: int) -> list[dict[str, Any]]:
    """Compare the two on trained classifiers."""
    data = study.load(source, data_set, split)
    return [_compared(data.ordering, data.labels)]


def _compared(scores: Any, labels: Any) -> dict[str, float]:
    """Judge and combine by both."""
    truth = gl.metrics.auroc(labels, scores)
    with judged.quiet():
        models = {solver: gl.Summa(solver=solver).fit(scores) for solver in ("iterative", "sdp")}
    gap = np.abs(models["iterative"].auroc_ - models["sdp"].auroc_)
    found = {"mean difference": gap.mean(), "largest difference": gap.max()}
    for name, model in models.items():
        found[f"RMSE {name}"] = np.sqrt(np.mean((model.auroc_ - truth) ** 2))
        found[f"ensemble {name}"] = gl.metrics.auroc(labels, model.decision_function(scores))
    q = models["iterative"].weights_
    return found | {"condition holds": float(2 * (q**2).max() < q @ q)}


def draw(rows: pd.DataFrame, folder: Path) -> list[Path]:
    parts = [
        rows[rows["ratio"].notna()].pivot(index="ratio", columns="solver", values=["error of an exact q", "RMSE"]),
        rows[rows["n_samples"].notna()].astype({"n_samples": int, "n_methods": int}).set_index(list(DEFAULT)),
        rows[rows["data_set"].notna()].groupby(["source", "data_set"], sort=False).mean(numeric_only=True),
    ]
    text = []
    for part in parts:
        table = part.dropna(axis=1, how="all").drop(columns=["split", "repeats"], errors="ignore").reset_index()
        heads = [" ".join(name).strip() if isinstance(name, tuple) else name for name in table.columns]
        text.append(markdown(heads, table.itertuples(index=False)))
    path = folder / "completion.md"
    path.write_text("\n".join(text), encoding="utf-8")
    return [path]
