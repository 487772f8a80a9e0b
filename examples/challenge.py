"""A prediction challenge before its gold standard exists: one file for each team, judged, combined and reported.

python examples/challenge.py [FOLDER]
"""

import sys
import tempfile
from pathlib import Path

import polars as pl

import goldless as gl


def main(folder: Path) -> None:
    # What organisers receive: a file from each team, some of which leave samples out.
    data = gl.simulate(n_samples=500, n_methods=8, prevalence=0.3, auroc=(0.55, 0.85), random_state=1)
    for team, scores in enumerate(data.scores.T):
        answered = pl.DataFrame({"sample": range(500), "score": scores}).sample(fraction=0.95, seed=team)
        answered.write_csv(folder / f"team{team}.csv")

    table = gl.read_scores(sorted(folder.glob("team*.csv")))
    model = gl.Summa(model="auto", refine="likelihood").fit(table)
    print(model.evaluation_)
    model.evaluation_.to_html(folder / "report.html")

    # Which samples to send to the laboratory first, and, once it has answered, how good the judgement was.
    print("\nLabel first:", table.samples[model.suggest(10)].tolist())
    in_order = data.labels[table.samples]
    print(f"By the gold standard: {model.reveal(table, in_order).truth.ensemble:.3f} for the combined score")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp()))
