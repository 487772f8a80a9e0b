"""The third order by the tensor iteration (alg:iter_t), and by least squares along the v of the second order."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from synthetic import SEED, simulate
from tally import collect, write_table

import goldless as gl
from goldless.moments import second_moments, third_moment
from goldless.prevalence import delta, prevalence
from goldless.rank_one import iterative, tensor_iteration
from goldless.ranks import rank
from goldless.rows import Rows

SETTINGS = [(30, rho) for rho in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.8)] + [(10, 0.2), (10, 0.5), (5, 0.2), (5, 0.5)]


def run(folder: Path, study: object, *, quick: bool) -> pd.DataFrame:
    cases = [{"n_methods": M, "prevalence": rho, "repeats": 3 if quick else 30} for M, rho in SETTINGS]
    return collect(compared, cases, folder / "tensor.csv")


def compared(repeats: int, **setting: Any) -> list[dict[str, Any]]:
    """Errors of prevalence and AUROC by each, from the same q, over repeated data sets."""
    found = [_errors(simulate("as stated", SEED + i, **setting), setting["prevalence"]) for i in range(repeats)]
    return [{**pd.DataFrame(found).mean()}]


def _errors(data: gl.Simulation, rho: float) -> dict[str, float]:
    rows = Rows(rank(data.scores)[0])
    fit = iterative(rows.sum(second_moments).Q)
    third = rows.sum(third_moment, fit.v)
    direction, sigma = tensor_iteration(rows, fit.v)
    ways = {
        "tensor iteration": prevalence(fit.lam, np.sign(direction.q @ fit.v) * sigma),
        "closed form": prevalence(fit.lam, third.tau),
        "closed form, less its variance": prevalence(fit.lam, third.tau, third.variance),
    }
    truth = gl.metrics.auroc(data.labels, data.scores) - 0.5
    errors = {f"error of ρ, {name}": abs(found.rho - rho) for name, found in ways.items()}
    for name, found in ways.items():
        errors[f"RMSE, {name}"] = np.sqrt(np.mean((delta(fit.q, found.p) - truth) ** 2))
    return errors | {"angle of u to v": abs(direction.q @ fit.v), "steps": float(direction.n_iter)}


def draw(rows: pd.DataFrame, folder: Path) -> list[Path]:
    return [write_table(rows.drop(columns="repeats"), folder / "tensor.md")]
