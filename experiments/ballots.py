"""What binarising loses: the spectral meta-learner on votes against SUMMA on ranks; and where Dawid and Skene start."""

from functools import partial
from pathlib import Path
from typing import Any

import judged
import numpy as np
import pandas as pd
from study import Study
from synthetic import SEED
from tally import collect, markdown

import goldless as gl

#: AUROCs of the methods and prevalence; votes are cut at the median.
SETTINGS = {
    "as stated": {},
    "prevalence .1": {"prevalence": 0.1},
    "10 methods": {"n_methods": 10},
    "100 samples": {"n_samples": 100},
    "3 good, 22 slightly wrong": {"n_methods": 25, "auroc": [0.9] * 3 + [0.46] * 22},
    "a clique of 8 among 20": {"n_methods": 20, "groups": [range(8)], "correlation": 0.6},
}


def run(folder: Path, study: Study, *, quick: bool) -> pd.DataFrame:
    cases = [{"setting": name, "repeats": 3 if quick else 30} for name in SETTINGS]
    return pd.concat(
        [
            collect(simulated, cases, folder / "ballots_simulated.csv"),
            collect(partial(trained, study), study.splits(quick=quick), folder / "ballots_trained.csv"),
        ]
    )


def simulated(setting: str, repeats: int) -> list[dict[str, Any]]:
    """Cut the scores of simulated methods at their median."""
    data = [gl.simulate(random_state=SEED + i, **SETTINGS[setting]) for i in range(repeats)]
    found = [_compared(each.scores, each.scores > np.median(each.scores, axis=0), each.labels) for each in data]
    return [{**pd.DataFrame(found).mean()}]


def trained(study: Study, source: str, data_set: str, split: int) -> list[dict[str, Any]]:
    """Let trained classifiers vote for as many samples as are positive in truth, ties aside."""
    data = study.load(source, data_set, split)
    scores = data.ordering
    votes = scores > scores.quantile(1 - data.labels.mean())
    return [_compared(scores.to_numpy(), votes.loc[:, votes.nunique() > 1].to_numpy(), data.labels)]


def _compared(scores: Any, votes: Any, labels: Any) -> dict[str, float]:
    votes = votes.astype(int)
    with judged.quiet():
        summa, sml = gl.Summa().fit(scores), gl.SpectralMetaLearner().fit(votes)
        majority, spectral = gl.DawidSkene("majority").fit(votes), gl.DawidSkene("sml").fit(votes)
    truth, rates = gl.metrics.auroc(labels, scores), gl.metrics.balanced_accuracy(labels, votes)
    found = {
        "r SUMMA": judged.correlation(summa.auroc_, truth),
        "r SML": judged.correlation(sml.balanced_accuracy_, rates),
    }
    found["RMSE SUMMA"] = np.sqrt(np.mean((summa.auroc_ - truth) ** 2))
    for name, model in {"SML": sml, "DS majority": majority, "DS sml": spectral}.items():
        found[f"RMSE {name}"] = np.sqrt(np.mean((model.balanced_accuracy_ - rates) ** 2))
    found["ensemble SUMMA"] = gl.metrics.auroc(labels, summa.decision_function(scores))
    for name, model in {"SML": sml, "DS majority": majority, "DS sml": spectral}.items():
        found[f"ensemble {name}"] = gl.metrics.auroc(labels, model.decision_function(votes))
    apart = np.abs(majority.predict_proba(votes) - spectral.predict_proba(votes)).max()
    found |= {"same maximum": float(apart < 1e-3), "steps majority": float(majority.n_iter_)}
    return found | {"steps sml": float(spectral.n_iter_)}


def draw(rows: pd.DataFrame, folder: Path) -> list[Path]:
    parts = [
        rows[rows["setting"].notna()].set_index("setting"),
        rows[rows["data_set"].notna()].groupby(["source", "data_set"], sort=False).mean(numeric_only=True),
    ]
    text = []
    for part in parts:
        table = part.dropna(axis=1, how="all").drop(columns=["split", "repeats"], errors="ignore").reset_index()
        text.append(markdown(list(table.columns), table.itertuples(index=False)))
    path = folder / "ballots.md"
    path.write_text("\n".join(text), encoding="utf-8")
    return [path]
