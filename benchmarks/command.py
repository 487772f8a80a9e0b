"""What the command line adds to the work itself: start-up, and `goldless evaluate` beside read and fit in memory.

    python benchmarks/command.py [--samples 1000000]

Ratios within one run; the least of the rounds.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

import goldless as gl

ROUNDS = 3


def least(work, rounds=ROUNDS):
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def command(*words):
    subprocess.run([sys.executable, "-m", "goldless", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1_000_000)
    samples = parser.parse_args().samples
    print(f"goldless --help: {least(lambda: command('--help'), 5):.2f} s (aim: under 0.4 s)")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.parquet"
        names = [f"method{i}" for i in range(30)]
        pl.DataFrame(gl.simulate(samples, 30, random_state=0).scores, schema=names).write_parquet(path)
        read = least(lambda: gl.read_scores(path))
        table = gl.read_scores(path)
        fit = least(lambda: gl.evaluate(table))
        whole = least(lambda: command("evaluate", path, "--quiet"))
    print(f"{samples:,} x 30 from Parquet: read {read:.2f} s, gl.evaluate {fit:.2f} s, goldless evaluate {whole:.2f} s")
    print(f"goldless evaluate takes {(whole - read) / fit:.2f} of the fit, besides the read (aim: at most 2)")


if __name__ == "__main__":
    main()
