"""How close SUMMA comes without labels, on the paper's simulation and on two public example sets.

    python benchmarks/accuracy.py [--seeds 30] [--quick]

Prints Markdown tables: the mean over seeds of the RMSE against the AUROC of the sample, the correlation, the error
of the prevalence, and the AUROC of the combinations. "To beat" are the figures of the newest other implementation.
"""

import argparse
import os
import platform
import time
import warnings
from pathlib import Path

import numpy as np

import goldless as gl
from goldless.ranks import rank

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "peers"

#: Setting, and what is to be beaten there: RMSE, AUROC of the ensemble (None: not known).
SETTINGS = [
    ({}, 0.0118, 0.982),
    ({"prevalence": 0.1}, 0.0369, 0.977),
    ({"prevalence": 0.2}, None, None),
    ({"prevalence": 0.3}, None, None),
    ({"prevalence": 0.8}, None, None),
    ({"prevalence": 0.9}, None, None),
    ({"n_samples": 30}, 0.0856, 0.927),
    ({"n_samples": 100}, None, None),
    ({"n_samples": 250}, 0.0252, 0.977),
    ({"n_samples": 4000}, 0.0057, 0.982),
    ({"n_methods": 5}, 0.070, 0.783),
    ({"n_methods": 10}, 0.0325, 0.852),
    ({"n_methods": 15}, 0.0327, 0.874),
]
COLUMNS = [
    "RMSE",
    "r",
    "|ρ̂-ρ|",
    "ensemble",
    "mean rank",
    "best single",
    "oracle weights",
    "flipped",
    "failed",
]


def judge(scores, labels, prevalence):
    """Fit without labels, then compare with them."""
    truth = gl.metrics.auroc(labels, scores)
    z = np.nan_to_num(rank(scores)[0])
    try:
        model = gl.Summa().fit(scores)
    except gl.GoldlessError:
        return [np.nan] * 8 + [1, 0.0]
    combined = [model.decision_function(scores), z.mean(axis=1), z @ (truth - 0.5)]
    ensemble, crowd, oracle = (gl.metrics.auroc(labels, score) for score in combined)
    assert model.auroc_.min() >= 0
    assert model.auroc_.max() <= 1
    return [
        np.sqrt(np.mean((model.auroc_ - truth) ** 2)),
        np.corrcoef(model.auroc_, truth)[0, 1],
        abs(model.prevalence_ - prevalence),
        ensemble,
        crowd,
        truth.max(),
        oracle,
        (model.weights_ @ (truth - 0.5)) < 0,
        0,
        model.evaluation_.strength / model.evaluation_.chance,
    ]


def clearest(figures, n):
    """Keep the n runs of the strongest signal: an implementation may leave the others without an answer."""
    return figures[np.argsort(-figures[:, -1])[:n]]


def row(name, figures, to_beat):
    mean = np.nanmean(figures, axis=0)
    total = np.nansum(figures, axis=0)[7:9]
    cells = [f"{mean[0]:.4f} ± {np.nanstd(figures[:, 0]) / np.sqrt(len(figures)):.4f}"]
    cells += [f"{value:.3f}" for value in mean[1:7]] + [f"{count:.0f}" for count in total]
    return f"| {name} | {' | '.join(cells)} | {to_beat} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="3 seeds")
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + (3 if options.quick else options.seeds))
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}; ", end="")
    print(f"seeds {seeds[0]} to {seeds[-1]}; default M = 30, N = 1000, ρ = 0.5, AUROC uniform in (0.4, 0.8)\n")
    print(f"| setting | {' | '.join(COLUMNS)} | to beat (RMSE / ensemble) |\n|{'---|' * (len(COLUMNS) + 2)}")
    warnings.simplefilter("ignore", gl.GoldlessWarning)
    started = time.perf_counter()
    for setting, rmse, ensemble in SETTINGS:
        figures = []
        for seed in seeds:
            data = gl.simulate(random_state=seed, **setting)
            figures.append(judge(data.scores, data.labels, setting.get("prevalence", 0.5)))
        name = ", ".join(f"{key} = {value}" for key, value in setting.items()) or "default"
        figures = np.array(figures, dtype=float)
        print(row(name, figures, f"{rmse} / {ensemble}" if rmse else "–"), flush=True)
        if setting == {"n_methods": 5} and len(figures) > 25:
            print(row(f"{name}, the 25 of strongest signal", clearest(figures, 25), "0.0501 / 0.783"))
    if SHARED.exists():
        table = np.genfromtxt(SHARED / "rank.csv.gz", delimiter=",", names=True)
        scores = np.stack([table[name] for name in table.dtype.names[:-1]], axis=1)
        figures = np.array([judge(scores, table["label"].astype(int), 0.7)], dtype=float)
        print(row("public example `rank`", figures, "0.0103 / 0.972"))
    else:
        print("\n(skipped the public example: ../shared is not here)")
    print(f"\n{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
