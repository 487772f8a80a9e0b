"""Fig. 1a: 30 methods judged without labels; and which variances of the Gaussians give the paper's ensembles."""

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from synthetic import DRAWN, READINGS, SEED, simulate, sweep, write_means
from tally import collect

import goldless as gl


def run(folder: Path, study: object, *, quick: bool) -> pd.DataFrame:
    cases = [{"reading": reading, "repeats": 2 if quick else 100} for reading in READINGS]
    readings = collect(sweep, cases, folder / "fig1a_readings.csv")
    points = collect(scatter, [{"reading": reading, "seed": SEED} for reading in DRAWN], folder / "fig1a.csv")
    return pd.concat([readings, points])


def scatter(reading: str, seed: int) -> list[dict[str, object]]:
    """Judge and combine the methods of one data set."""
    data = simulate(reading, seed)
    summa, crowd = gl.Summa().fit(data.scores), gl.WisdomOfCrowds().fit(data.scores)
    truth = gl.metrics.auroc(data.labels, data.scores)
    rows = [
        {"method": f"method{i}", "auroc": auroc, "inferred": inferred}
        for i, (auroc, inferred) in enumerate(zip(truth, summa.auroc_, strict=True))
    ]
    for name, model in (("SUMMA", summa), ("WOC", crowd)):
        rows.append({"method": name, "auroc": gl.metrics.auroc(data.labels, model.decision_function(data.scores))})
    return rows


def draw(rows: pd.DataFrame, folder: Path) -> list[Path]:
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    for panel, reading in zip(figure.subplots(1, len(DRAWN), sharey=True), DRAWN, strict=True):
        part = rows[(rows["reading"] == reading) & rows["method"].notna()].set_index("method")
        judged = part.dropna(subset="inferred")
        panel.axline((0.5, 0.5), slope=1, color="0.8", zorder=0)
        panel.plot(judged["auroc"], judged["inferred"], "k.")
        for name, colour in (("SUMMA", "C3"), ("WOC", "C0")):
            auroc = part.loc[name, "auroc"]
            panel.axvline(auroc, color=colour, label=f"{name} ensemble, {auroc:.3f}")
        r2 = judged["auroc"].corr(judged["inferred"]) ** 2
        panel.set(title=f"{reading}: R² = {r2:.3f}", xlabel="true AUROC", ylabel="inferred AUROC")
        panel.legend()
    path = folder / "fig1a.png"
    figure.savefig(path)
    return [path, write_means(rows[rows["quantity"].notna()], [], folder / "fig1a.md")]
