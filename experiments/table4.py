"""Table 4 (t:4): how often SUMMA beats the mean rank of 5, 10, 15 and 20 random methods."""

from pathlib import Path

import fig6
import pandas as pd
from study import TITLES, Study
from tally import markdown

#: Per cent, Bank Marketing and Yeast.
PAPER = {5: (90, 69), 10: (99, 68), 15: (100, 63), 20: (100, 68)}


def run(folder: Path, study: Study, *, quick: bool) -> pd.DataFrame:
    return fig6.run(folder, study, quick=quick, sizes=list(PAPER))


def draw(rows: pd.DataFrame, folder: Path) -> list[Path]:
    shares = [f"{name} {how} WOC" for name in fig6.COMPARED for how in ("beats", "loses to")]
    aurocs = [*fig6.COMPARED, "WOC"]
    heads = ["methods", "data set", "number", "printed", *shares, *aurocs]
    lines = []
    for (source, data_set, size), part in rows.groupby(["source", "data_set", "size"], sort=False):
        printed = PAPER[size][fig6.DATA_SETS.index(data_set)]
        mean = part[[*shares, *aurocs]].mean()
        lines.append([source, TITLES[data_set], size, f"{printed}%", *(f"{share:.0%}" for share in mean[shares])])
        lines[-1] += [f"{auroc:.4f}" for auroc in mean[aurocs]]
    path = folder / "table4.md"
    path.write_text(markdown(heads, lines), encoding="utf-8")
    return [path]
