"""Table 3 (t:3): the rank of SUMMA, and of its corrections, among the methods of each data set."""

from functools import partial
from pathlib import Path

import fig5
import judged
import pandas as pd
from study import TITLES, Study
from tally import collect, markdown

#: Rank of SUMMA in the paper.
PAPER = {"bank_marketing": 1, "breast_cancer": 8, "ionosphere": 5, "mammographic_mass": 2, "parkinsons": 1, "yeast": 1}


def run(folder: Path, study: Study, *, quick: bool) -> pd.DataFrame:
    ensembles = collect(partial(judged.ensembles, study), study.splits(quick=quick), folder / "table3.csv")
    return pd.concat([ensembles, fig5.run(folder, study, quick=quick)])


def draw(rows: pd.DataFrame, folder: Path) -> list[Path]:
    """Rank each ensemble, and the methods that are best somewhere, on each data set; means over the splits."""
    entrants = rows.assign(entrant=rows["ensemble"].fillna(rows["method"]))
    singles = entrants["ensemble"].isna()
    by_split = entrants[singles].groupby(["source", "data_set", "split"])["auroc"]
    entrants.loc[singles, "rank"] = by_split.rank(ascending=False, method="min")
    mean = entrants.groupby(["source", "entrant", "data_set"], sort=False)["rank"].mean().unstack()[list(TITLES)]
    lines = [["printed", "SUMMA", *PAPER.values()]]
    for source, part in entrants.groupby("source", sort=False):
        ensembles = part["ensemble"].dropna().unique()
        best = mean.loc[source].drop(ensembles).idxmin().unique()
        for entrant in (*ensembles, *best):
            lines.append([source, entrant, *(f"{rank:.1f}" for rank in mean.loc[source, entrant])])
    path = folder / "table3.md"
    path.write_text(markdown(["methods", "entrant", *TITLES.values()], lines), encoding="utf-8")
    return [path]
