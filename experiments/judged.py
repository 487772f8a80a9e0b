"""What SUMMA, its corrections and a few labels say of the methods of a split, and what they are worth combined."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import literal
import numpy as np
import pandas as pd
from study import Split, Study

import goldless as gl

#: How many labels are looked at, drawn at random until both classes are among them.
LABELS = (10, 30)


@contextmanager
def quiet() -> Iterator[None]:
    """Leave warnings out: what they warn of is what is measured."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gl.GoldlessWarning)
        yield


def methods(study: Study, source: str, data_set: str, split: int) -> list[dict[str, Any]]:
    """Judge each method in every way, beside the truth."""
    data = study.load(source, data_set, split)
    scores, labels = data.ordering, data.labels
    with quiet():
        published, auto = gl.Summa().fit(scores), gl.Summa(model="auto").fit(scores)
        answers = {"paper": literal.summa(scores).auroc, "summa": published.auroc_, "auto": auto.auroc_}
        for n in LABELS:
            known = some_labels(labels, n, seed=split)
            answers[f"labels{n}"] = gl.Summa(model="auto").fit(scores, known).auroc_
            answers[f"alone{n}"] = gl.metrics.auroc(labels[known >= 0], scores[known >= 0])
    found = pd.DataFrame({"auroc": truth(data)}).join(pd.DataFrame(answers, index=scores.columns))
    diagnosis = auto.diagnosis_
    found = found.assign(
        low=pd.Series(auto.auroc_interval_[:, 0], scores.columns),
        high=pd.Series(auto.auroc_interval_[:, 1], scores.columns),
        finding=diagnosis.finding,
        B=diagnosis.binary_factor,
    )
    return found.rename_axis("method").reset_index().to_dict("records")


def ensembles(study: Study, source: str, data_set: str, split: int) -> list[dict[str, Any]]:
    """Combine the methods in every way, and rank the combined score among the methods."""
    data = study.load(source, data_set, split)
    singles = truth(data)
    rows = []
    for ensemble, auroc in combined(data.ordering, data.labels, seed=split).items():
        rows.append({"ensemble": ensemble, "auroc": auroc, "rank": 1 + int((singles > auroc).sum())})
    return rows


def combined(scores: pd.DataFrame, labels: Any, seed: int) -> dict[str, float]:
    """AUROC of each combined score."""
    known = some_labels(labels, max(LABELS), seed)
    with quiet():
        made = {
            "paper": literal.combined(scores),
            "SUMMA": gl.Summa().fit(scores).decision_function(scores),
            "auto": gl.Summa(model="auto").fit(scores).decision_function(scores),
            f"auto, {max(LABELS)} labels": gl.Summa(model="auto").fit(scores, known).predict_proba(scores)[:, 1],
            "WOC": gl.WisdomOfCrowds().fit(scores).decision_function(scores),
        }
    return {name: gl.metrics.auroc(labels, score) for name, score in made.items()}


def correlation(found: Any, truth: Any) -> float:
    """Correlation with the truth; 0 for an answer that tells no method from another."""
    return float(np.corrcoef(found, truth)[0, 1]) if np.ptp(found) > 0 else 0.0


def truth(data: Split) -> pd.Series:
    """AUROC of each method by the labels."""
    return pd.Series(gl.metrics.auroc(data.labels, data.scores), data.scores.columns)


def some_labels(labels: Any, n: int, seed: int) -> Any:
    """Give n of the labels, -1 for the others."""
    random = np.random.default_rng([seed, n])
    while True:
        chosen = random.choice(len(labels), min(n, len(labels)), replace=False)
        if len(np.unique(labels[chosen])) == 2:
            known = np.full(len(labels), -1)
            known[chosen] = labels[chosen]
            return known
