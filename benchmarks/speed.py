"""What a fit costs, in time and in memory, beside what others need: all in one run, so that the ratios hold.

    python benchmarks/speed.py [--quick]     the whole comparison: writes results/speed.json and results/speed.md
    python benchmarks/speed.py --check       compare two ratios with results/baseline.json; fail where one is 50 % up
    python benchmarks/speed.py --baseline    measure that baseline anew

Times are the least of several rounds in which everything is measured in turn. The check takes processor time on one
core, so that other work on the machine does not show.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
import warnings
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
from scipy.stats import rankdata
from threadpoolctl import threadpool_limits

import goldless as gl
from goldless.checks import check_scores
from goldless.evaluation import Settings, evaluate, summa
from goldless.moments import second_moments
from goldless.rank_one import iterative, sdp
from goldless.ranks import rank
from goldless.rows import Rows

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import reference

RESULTS = Path(__file__).resolve().parent / "results"

#: (M, N)
SIZES = [
    (10, 10**3),
    (30, 10**3),
    (30, 10**4),
    (30, 10**5),
    (30, 10**6),
    (100, 10**4),
    (200, 10**4),
    (1000, 10**4),
    (30, 10**7),
]
#: Below this many samples, memory is that of the libraries.
N_LARGE = 10**5

#: What others take at most: scores ranked, and triples of methods times samples.
MOST_RANKED = 3 * 10**7
MOST_TRIPLES = 2 * 10**10

CHECKED = [(30, 10**3), (30, 10**5)]
WORSE = 1.5

NOT_COMPARED = {
    "snorkel": "brings torch, two gigabytes",
    "judgepanel": "has no release for Python 3.11",
}


def simulated(M, N):
    """Give scores in one array of their own: half of the samples positive, AUROCs of .55 to .8."""
    random = np.random.default_rng(M)
    X = np.empty((N, M))
    random.standard_normal(out=X)
    X[: N // 2] += np.linspace(0.18, 1.19, M)
    return X


def by_triples(z):
    """Give the tensor's M³/6 distinct entries, each by one product of vectors; the rest stays empty."""
    M = z.shape[1]
    T = np.empty((M, M, M))
    columns = np.ascontiguousarray(z.T)
    for i, j in combinations(range(M), 2):
        both = columns[i] * columns[j]
        for k in range(j + 1, M):
            T[i, j, k] = both @ columns[k] / len(z)
    return T


def literal(X, tensor):
    """Run SUMMA as printed, with the tensor of order three written out."""
    z = (rankdata(X, axis=0) - (len(X) + 1) / 2) / len(X)
    lam, v = reference.alg_iter(z.T @ z / len(z), tolerance=1e-9)
    return lam, reference.tau(tensor(z), v)


def peers(X):
    """Name what is measured beside the fit, and how."""
    N, M = X.shape
    found = {}
    if N * M <= MOST_RANKED:
        found["scipy rankdata"] = lambda: rankdata(X, axis=0)
        frame = pl.DataFrame(X)
        found["polars rank"] = lambda: frame.select(pl.all().rank())
    if N <= 10**5 and N * M**3 / 6 <= MOST_TRIPLES:
        found["literal SUMMA"] = lambda: literal(X, reference.tensor)
        found["literal, distinct triples"] = lambda: literal(X, by_triples)
    if N * M <= 3 * 10**5:
        found["crowd-kit DawidSkene"] = dawid_skene(X)
    return found


def dawid_skene(X):
    """Fit crowd-kit's Dawid-Skene to the votes that the scores give when cut at their medians."""
    from crowdkit.aggregation import DawidSkene  # not there when `make speed` looks at ratios

    N, M = X.shape
    votes = (np.median(X, axis=0) <= X).astype(int)
    table = pd.DataFrame(
        {"task": np.repeat(np.arange(N), M), "worker": np.tile(np.arange(M), N), "label": votes.ravel()}
    )
    return lambda: DawidSkene(n_iter=20).fit_predict(table)


def stages(X):
    """Name the parts of a fit."""
    names = [f"method{i}" for i in range(X.shape[1])]
    z, distribution = rank(X)
    rows = Rows(z)
    margin = tuple(values.T for values in distribution.levels())
    return {
        "fit": lambda: gl.Summa().fit(X),
        "check": lambda: check_scores(Rows(X), names),
        "ranking": lambda: rank(X),
        "SUMMA": lambda: summa(rows, Settings()),
        "all after ranking": lambda: evaluate(rows, names, margin, Settings()),
    }


def least(functions, rounds, clock=time.perf_counter, patience=2.0):
    """Give the least time of each function over rounds in which all run in turn; slow ones run only twice.

    Not once: whoever comes first pays for the memory that the system then lends to all.
    """
    times = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            if len(times[name]) > 1 and sum(times[name]) > patience:
                continue
            started = clock()
            function()
            times[name].append(clock() - started)
    return {name: min(found) for name, found in times.items()}


def size(M, N, rounds):
    X = simulated(M, N)
    times = least({**stages(X), **peers(X)}, rounds)
    return {"M": M, "N": N, "seconds": times, "peak": peak(M, N)}


def peak(M, N):
    """Peak memory of a fit with its input, in units of the input, in a process of its own."""
    code = f"import speed; print(speed.peak_here({M}, {N}))"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parent
    )
    return float(run.stdout)


def peak_here(M, N):
    warnings.simplefilter("ignore")
    gl.Summa().fit(simulated(5, 100))  # what the libraries themselves take is no part of the fit
    before = peak_of_process()
    X = simulated(M, N)
    gl.Summa().fit(X)
    return (peak_of_process() - before) / X.nbytes


def peak_of_process():
    """Give the most memory that this process has held, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # the resource module would count what the parent held when it started this process
        return 1024 * int(status.read_text().split("VmHWM:")[1].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def one_core(function, rounds=9):
    """Time a function on one core."""
    limit = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        with threadpool_limits(1):
            return least({"it": function}, rounds)["it"]
    finally:
        if limit is None:
            del os.environ["OMP_NUM_THREADS"]
        else:
            os.environ["OMP_NUM_THREADS"] = limit


def columns_of_a_million():
    """Name the price of ranking a million scores on one core, by the kind of column."""
    random, n = np.random.default_rng(0), 10**6
    kinds = {
        "float64": random.standard_normal(n),
        "float32": random.standard_normal(n, dtype=np.float32),
        "float64, heavy tails": random.standard_cauchy(n),
        "float64, crowded at 0 and 1": random.beta(0.1, 0.1, n),
        "float64, three digits": random.random(n).round(3),
        "float64, a tenth missing": np.where(random.random(n) < 0.1, np.nan, random.standard_normal(n)),
        "int64, 64 random bits": random.integers(-(2**63), 2**63 - 1, n),
        "int8, five values": random.integers(0, 5, n).astype(np.int8),
        "bool": random.random(n) < 0.5,
    }
    return {name: one_core(lambda column=column: rank(column[:, None])) for name, column in kinds.items()}


def completions(quick):
    """Time both completions of the second moments of 2000 samples."""
    found = []
    for M in (30, 300) if quick else (30, 300, 1000, 2000):
        second = Rows(rank(simulated(M, 2000))[0]).sum(second_moments)
        line = {"M": M, "iterative": least({"it": partial(iterative, second.Q, second.counts)}, 3)["it"]}
        if M <= 1000:
            started = time.perf_counter()
            fit = sdp(second.Q, second.counts)
            line |= {"sdp": time.perf_counter() - started, "certificate": fit.certificate / fit.lam}
        found.append(line)
    return found


def exponent(lines, varied, stage):
    """Slope of log time against log size."""
    x, y = [line[varied] for line in lines], [line["seconds"][stage] for line in lines]
    return float(np.polyfit(np.log(x), np.log(y), 1)[0]) if len(x) > 1 else None


def scaling(lines):
    in_N = [line for line in lines if line["M"] == 30 and line["N"] >= 10**5]
    in_M = [line for line in lines if line["N"] == 10**4 and line["M"] >= 100]
    parts = ("fit", "ranking", "SUMMA", "all after ranking")
    return {
        f"in {name}, {lines[0][name]} to {lines[-1][name]}": {part: exponent(lines, name, part) for part in parts}
        for name, lines in (("N", in_N), ("M", in_M))
        if lines
    }


def machine():
    model = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        model = names[0].split(":")[1].strip() if names else model
    simd = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "vector instructions": simd[-1] if simd else "none",
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def table(columns, lines):
    head = [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
    return "\n".join(head + [f"| {' | '.join(line)} |" for line in lines])


def seconds(value):
    return "–" if value is None else f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.3g} s"


def markdown(found):
    kinds = ["scipy rankdata", "polars rank", "literal SUMMA", "literal, distinct triples", "crowd-kit DawidSkene"]
    kinds = [kind for kind in kinds if any(kind in line["seconds"] for line in found["sizes"])]
    lines = []
    for line in found["sizes"]:
        times = line["seconds"]
        cells = [f"{line['M']}", f"{line['N']:,}"]
        cells += [seconds(times[part]) for part in ("fit", "check", "ranking", "SUMMA", "all after ranking")]
        cells += [
            f"{seconds(times[kind])} ({times[kind] / times['fit']:.3g} ×)" if kind in times else "–" for kind in kinds
        ]
        lines.append([*cells, f"{line['peak']:.2f}" if line["N"] >= N_LARGE else "–"])
    parts = ["M", "N", "fit", "check", "ranking", "SUMMA", "all after ranking", *kinds, "peak memory / input"]
    exponents = [[name, *(f"{value:.2f}" for value in by.values())] for name, by in found["exponents"].items()]
    completed = [
        [
            f"{line['M']}",
            seconds(line["iterative"]),
            seconds(line.get("sdp")),
            f"{line['certificate']:.1e}" if "sdp" in line else "–",
        ]
        for line in found["completion"]
    ]
    return "\n\n".join(
        [
            ", ".join(f"{name} {value}" for name, value in found["machine"].items()),
            table(parts, lines),
            table(["growth of time", "fit", "ranking", "SUMMA", "all after ranking"], exponents),
            table(
                ["ranking 10⁶ scores, one core", "time"],
                [[name, seconds(value)] for name, value in found["columns"].items()],
            ),
            table(["M", "iterative", "sdp", "certificate / λ"], completed),
            "Not compared: " + "; ".join(f"{name} ({why})" for name, why in found["not compared"].items()) + ".",
        ]
    )


def compare(quick):
    sizes = [pair for pair in SIZES if pair[0] * pair[1] <= (10**6 if quick else np.inf)]
    lines = []
    for M, N in sizes:
        print(f"M = {M}, N = {N:,}", file=sys.stderr, flush=True)
        lines.append(size(M, N, 3 if quick else 7))
    found = {
        "machine": machine(),
        "sizes": lines,
        "exponents": scaling(lines),
        "columns": columns_of_a_million(),
        "completion": completions(quick),
        "not compared": NOT_COMPARED,
    }
    print(markdown(found))
    if not quick:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "speed.json").write_text(json.dumps(found, indent=1) + "\n")
        (RESULTS / "speed.md").write_text(markdown(found) + "\n")


def ratios():
    """Give the processor time of a fit as a share of what rankdata takes for the same data, on one core."""
    found = {}
    for M, N in CHECKED:
        X = simulated(M, N)
        functions = {"fit": lambda X=X: gl.Summa().fit(X), "rankdata": lambda X=X: rankdata(X, axis=0)}
        with threadpool_limits(1):
            times = least(functions, 40, time.process_time, patience=6.0)
        found[f"M={M} N={N}"] = times["fit"] / times["rankdata"]
    return found


def check():
    baseline = json.loads((RESULTS / "baseline.json").read_text())
    failed = False
    for name, ratio in ratios().items():
        worse = ratio / baseline["ratios"][name]
        failed |= worse > WORSE
        print(f"{name}: a fit takes {ratio:.3f} of rankdata, {worse:.2f} of the baseline (at most {WORSE})")
    if failed:
        sys.exit(
            f"Slower than the baseline, measured on {baseline['machine']['processor']} with "
            f"{baseline['machine']['vector instructions']}. If that is meant: benchmarks/speed.py --baseline"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes only; writes nothing")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--baseline", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore", gl.GoldlessWarning)
    if options.check:
        check()
    elif options.baseline:
        (RESULTS / "baseline.json").write_text(json.dumps({"machine": machine(), "ratios": ratios()}, indent=1) + "\n")
    else:
        compare(options.quick)


if __name__ == "__main__":
    main()
