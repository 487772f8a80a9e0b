"""The study of trained classifiers: scores on the test half of each split, by methods trained here or in R's caret."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import methods
import numpy as np
import pandas as pd

import goldless as gl

#: Data sets of up to this many samples are halved; of larger ones this many train, and as many others test.
HALVED = 2000
LARGE = 1000

#: Where scores come from: a quick look does without tuning.
TUNED, UNTUNED, CARET = "trained here", "trained here, untuned", "R's caret"

#: Splits that are drawn here, and those that there are of R's caret.
SPLITS = range(1, 11)
CARET_SPLITS = range(1, 6)

TITLES = {
    "bank_marketing": "Bank Marketing",
    "breast_cancer": "Breast Cancer",
    "ionosphere": "Ionosphere",
    "mammographic_mass": "Mammographic Mass",
    "parkinsons": "Parkinsons",
    "yeast": "Yeast",
}


@dataclass(frozen=True)
class Split:
    """Scores of the methods on the test samples of a split, and the labels."""

    scores: pd.DataFrame
    labels: Any

    @property
    def ordering(self) -> pd.DataFrame:
        """The methods that order the samples at all; one that gives all of them one score cannot be judged."""
        return self.scores.loc[:, self.scores.nunique() > 1]


@dataclass(frozen=True)
class Study:
    """Where the data are, and where trained scores are kept.

    `data` is the folder of the six sets, None to fetch them; predictions by R's caret are looked for beside it.
    """

    data: Path | None
    cache: Path

    def splits(self, names: Any = tuple(TITLES), *, quick: bool = False) -> list[dict[str, Any]]:
        """Name the splits that can be had, trained here and by caret."""
        sources = {UNTUNED if quick else TUNED: SPLITS} | ({CARET: CARET_SPLITS} if self._caret() else {})
        return [
            {"source": source, "data_set": name, "split": split}
            for source, numbers in sources.items()
            for name in names
            for split in (numbers[:1] if quick else numbers)
        ]

    def load(self, source: str, data_set: str, split: int) -> Split:
        """Give the scores of a split, trained unless they are there."""
        folder = {TUNED: self.cache, UNTUNED: self.cache / "untuned", CARET: self._caret()}[source]
        path = folder / f"{data_set}_split{split:02}.csv.gz"
        if source != CARET and not path.exists():
            _train(data_set, split, self.data, path, tuned=source == TUNED)
        table = pd.read_csv(path)
        return Split(table.drop(columns="label"), table["label"].to_numpy())

    def _caret(self) -> Any:
        folder = self.data and self.data.parent / "predictions"
        return folder if folder and folder.is_dir() else None


def _train(data_set: str, split: int, data: Path | None, path: Path, *, tuned: bool) -> None:
    """Train the methods on one half and keep their scores on the other."""
    table = gl.datasets.load_uci(data_set, data)
    X = pd.get_dummies(table.features, drop_first=True, dtype=float).to_numpy()
    order = np.random.default_rng([split, list(TITLES).index(data_set)]).permutation(len(X))
    half = len(X) // 2 if len(X) < HALVED else LARGE
    train, test = order[:half], order[half : 2 * half] if len(X) >= HALVED else order[half:]
    varying = np.ptp(X[train], axis=0) > 0
    X, X_new = X[np.ix_(train, varying)], X[np.ix_(test, varying)]
    scores = methods.scores(X, table.labels[train], X_new, seed=split, tuned=tuned)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name("part_" + path.name)
    pd.DataFrame({**scores, "label": table.labels[test]}).to_csv(part, index=False, float_format="%.10g")
    os.replace(part, path)
