"""What a table beyond the memory of its workers costs: time, memory of each worker, and where they go.

`make big` writes Gaussian scores of 20 methods (seed 0, prevalence .3, AUROCs .55 to .85) to Parquet, a partition of
125,000 samples at a time, and judges them on two workers of one thread whose memory is limited to a quarter of the
largest table. It writes `benchmarks/results/big.json` and prints the table of docs/big-data.md.
"""

import argparse
import json
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pandas as pd
from dask import delayed
from distributed import Client, LocalCluster
from scipy.special import ndtri

import goldless as gl
from goldless import checks, evaluation, global_ranks

RESULTS = Path(__file__).parent / "results" / "big.json"
M, PREVALENCE, SEED, PARTITION, WORKERS = 20, 0.3, 0, 125_000, 2
SIZES = (10**6, 3 * 10**6, 10**7, 2 * 10**7)
#: Bytes without which a worker does not live.
LEAST = 600_000_000
AUROC = np.linspace(0.55, 0.85, M)


def write_part(folder: Path, number: int, n: int) -> None:
    random = np.random.default_rng([SEED, number])
    label = random.random(n) < PREVALENCE
    scores = random.standard_normal((n, M)) + label[:, None] * np.sqrt(2) * ndtri(AUROC)
    pd.DataFrame(scores, columns=[f"method{i}" for i in range(M)]).to_parquet(folder / f"part.{number:05d}.parquet")


def write(folder: Path, n: int) -> None:
    starts = range(0, n, PARTITION)
    dask.compute([delayed(write_part)(folder, b, min(PARTITION, n - start)) for b, start in enumerate(starts)])


def peak() -> float:
    """Give the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextmanager
def cluster(limit: int) -> Iterator[Client]:
    settings = {"threads_per_worker": 1, "memory_limit": limit, "dashboard_address": ":0", "silence_logs": 40}
    with LocalCluster(n_workers=WORKERS, **settings) as here, Client(here) as client:
        client.run(__import__, "goldless.global_ranks")
        yield client


class Clock:
    """Notes the time of each phase, and the processor time of the workers and of this process together."""

    def __init__(self, client: Client) -> None:
        self.client, self.phases = client, {}

    def __call__(self, name: str, work: Callable[[], Any]) -> Any:
        """Do a phase."""
        start, used = time.perf_counter(), self.used()
        result = work()
        self.phases[name] = {"seconds": time.perf_counter() - start, "processor": self.used() - used}
        return result

    def used(self) -> float:
        """Give the processor time used so far."""
        return time.process_time() + sum(self.client.run(time.process_time).values())


def judge(client: Client, folder: Path, ranks: str) -> dict[str, Any]:
    """Judge the table in the folder phase by phase, as `gl.Summa().fit` does, and write the combined scores."""
    clock = Clock(client)
    table = clock("open", lambda: gl.blocks.read(f"{folder}/*.parquet", ranks=ranks))
    clock("check", lambda: checks.check_scores(table.scores, table.names))
    rows, distribution = clock("rank", table.scores.ranked)
    clock("SUMMA", lambda: evaluation.summa(rows, evaluation.Settings()))
    margin = tuple(x.T for x in distribution.levels(64))
    found = clock("all", lambda: evaluation.evaluate(rows, table.names, margin, evaluation.Settings()))
    scores = folder.parent / "scores.parquet"
    model = gl.Summa()
    model.evaluation_, model.weights_, model._distribution = found, found.weights, distribution
    model.n_features_in_, model.feature_names_in_ = M, np.array(table.names, dtype=object)
    clock("write", lambda: gl.blocks.write({"score": model.decision_function(table)}, scores))
    shutil.rmtree(scores)
    return {
        "n": found.n_samples,
        "ranks": ranks,
        "phases": clock.phases,
        "worker_peak_mb": sorted(client.run(peak).values()),
        "client_peak_mb": peak(),
        "bytes": found.n_samples * M * 8,
        "error": float(np.abs(found.auroc - AUROC).max()),
        "auroc": found.auroc.tolist(),
        "load": os.getloadavg()[0],
    }


def table(runs: list[dict[str, Any]]) -> str:
    """Lay the runs out for the docs: seconds, in brackets processor seconds."""
    names = ["open", "check", "rank", "SUMMA", "all", "write"]
    lines = [f"| N | ranks | {' | '.join(names)} | peak of a worker, MB | load |", "|" + "---|" * (len(names) + 4)]
    for run in runs:
        phases = (run["phases"][name] for name in names)
        cells = [f"{run['n']:,}", run["ranks"], *(f"{x['seconds']:.1f} ({x['processor']:.1f})" for x in phases)]
        lines.append(f"| {' | '.join(cells)} | {max(run['worker_peak_mb']):.0f} | {run['load']:.0f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=float, nargs="*", default=SIZES)
    parser.add_argument("--ranks", nargs="*", default=list(global_ranks.WAYS))
    given = parser.parse_args()
    sizes = [int(n) for n in given.sizes]
    limit, runs = max(max(sizes) * M * 8 // 4, LEAST), []
    for n in sizes:
        with tempfile.TemporaryDirectory(prefix="goldless-big-") as folder:
            data = Path(folder) / "scores"
            data.mkdir()
            with cluster(0):
                write(data, n)
            for ranks in given.ranks:
                with cluster(limit) as client:
                    runs.append(judge(client, data, ranks))
                print(json.dumps(runs[-1]["phases"]), flush=True)
        machine = {"cores": os.cpu_count(), "workers": WORKERS, "limit_mb": limit / 1e6, "seed": SEED}
        RESULTS.write_text(json.dumps({"machine": machine, "runs": runs}, indent=1) + "\n")
    print(table(runs))


if __name__ == "__main__":
    main()
