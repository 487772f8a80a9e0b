"""How the rules for votes do: accuracy, where each wins, time and memory. Run by `make votes`.

    python benchmarks/votes.py [--seeds 30] [--quick]

Prints Markdown tables. The environment of `make votes` has crowd-kit; without it its rows are left out.
"""

import argparse
import os
import platform
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import goldless as gl
from goldless import votes
from goldless.rows import Rows

try:
    from crowdkit import aggregation as crowdkit
except ModuleNotFoundError:
    crowdkit = None

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
CROWDS = ["crowd_bluebird", "crowd_rte", "crowd_temp"]
PEERS = ["MajorityVote", "DawidSkene", "OneCoinDawidSkene"]
#: The ensemble AUROC of Snorkel's LabelModel on votes cut at the median, default setting.
LABEL_MODEL = 0.957


def rules(labels, ballots):
    """Every rule under the name of the tables; the last two know the labels."""
    return {
        "majority": gl.MajorityVote(),
        "SML": gl.SpectralMetaLearner(),
        "Dawid-Skene": gl.DawidSkene(),
        "Dawid-Skene from SML": gl.DawidSkene("sml"),
        "Dawid-Skene, no smoothing": gl.DawidSkene(smoothing=0),
        "SUMMA": gl.Summa(),
        "best method*": gl.BestMethod(labels),
        "true rates*": gl.WeightedVote(**true_rates(labels, ballots)),
    }


def true_rates(labels, ballots):
    """Sensitivity and specificity by the labels, one half for a method that met none of a class."""
    with np.errstate(invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        shares = [np.nanmean(ballots[labels == k], axis=0) for k in (1, 0)]
    # Bounded, as no method is known to be perfect.
    sensitivity, specificity = np.nan_to_num(shares[0], nan=0.5), np.nan_to_num(1 - shares[1], nan=0.5)
    return {"sensitivity": np.clip(sensitivity, 0.01, 0.99), "specificity": np.clip(specificity, 0.01, 0.99)}


def table(heads, rows):
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)
    print()


def mean_and_error(values):
    return f"{np.mean(values):.4f} ± {np.std(values) / np.sqrt(len(values)):.4f}"


def median_split(seeds):
    """Cut the scores of the paper's simulation at their median."""
    found = {}
    for seed in seeds:
        data = gl.simulate(random_state=seed)
        ballots = (data.scores > np.median(data.scores, axis=0)).astype(int)
        truth = gl.metrics.balanced_accuracy(data.labels, ballots)
        for name, rule in rules(data.labels, ballots).items():
            score = rule.fit(ballots).decision_function(ballots)
            judged = getattr(rule, "balanced_accuracy_", np.full(len(truth), np.nan))
            error = np.sqrt(np.mean((judged - truth) ** 2))
            accuracy = np.mean(rule.predict(ballots) == data.labels)
            found.setdefault(name, []).append([gl.metrics.auroc(data.labels, score), accuracy, error])
    rows = []
    for name, figures in found.items():
        area, accuracy, error = np.transpose(figures)
        rows.append([name, mean_and_error(area), f"{accuracy.mean():.3f}"])
        rows[-1].append("–" if np.isnan(error).any() else f"{error.mean():.4f}")
    print(f"To beat: {LABEL_MODEL}, Snorkel's LabelModel.\n")
    table(["rule", "AUROC of the combined score", "accuracy", "RMSE of the balanced accuracy"], rows)


def crowds():
    """Count right labels on real crowds with gold labels, and give the AUROC of the combined scores."""
    cells = {}
    for name in CROWDS:
        ballots = pd.read_csv(SHARED / "real" / f"{name}.csv.gz")
        labels = ballots.pop("label").to_numpy()
        for rule_name, rule in rules(labels, ballots.to_numpy()).items():
            # These two rank samples, so workers who always vote alike are not in question.
            ranks = isinstance(rule, gl.BestMethod | gl.Summa)
            some = ballots.loc[:, ballots.nunique() > 1] if ranks else ballots
            right = np.mean(rule.fit(some).predict(some) == labels)
            area = gl.metrics.auroc(labels, rule.decision_function(some))
            cells.setdefault(rule_name, []).append(f"{right:.3f} / {area:.3f}")
        for peer in PEERS if crowdkit else []:
            cells.setdefault(f"crowd-kit {peer}", []).append(by_crowdkit(peer, ballots, labels))
    table(["rule", *CROWDS], [[name, *row] for name, row in cells.items()])


def by_crowdkit(peer, ballots, labels):
    long = ballots.copy().rename_axis("task").reset_index().melt("task", var_name="worker", value_name="label").dropna()
    rule = getattr(crowdkit, peer)(*([] if peer == "MajorityVote" else [1000]))
    predicted = rule.fit_predict(long.astype({"label": int}))
    return f"{np.mean(predicted.loc[np.arange(len(labels))].to_numpy() == labels):.3f}"


def public_votes():
    """Judge the public example of votes, -1 and 1."""
    ballots = pd.read_csv(SHARED / "peers" / "binary.csv.gz")
    labels = ballots.pop("label").to_numpy()
    truth = gl.metrics.balanced_accuracy(labels, (ballots > 0).astype(float))
    rows = []
    for name, rule in rules(labels, (ballots > 0).astype(float).to_numpy()).items():
        predicted = (rule.fit(ballots).predict(ballots) > 0).astype(int)
        right = np.mean(predicted == labels)
        cells = [name, f"{gl.metrics.balanced_accuracy(labels, predicted):.4f}", f"{right:.4f}"]
        judged = getattr(rule, "balanced_accuracy_", getattr(rule, "auroc_", None))
        if judged is not None and not isinstance(rule, gl.BestMethod):
            cells += [f"{np.sqrt(np.mean((judged - truth) ** 2)):.4f}", f"{np.corrcoef(judged, truth)[0, 1]:.4f}"]
            cells += [f"{rule.prevalence_:.3f}"]
        rows.append(cells + ["–"] * (6 - len(cells)))
    print("To beat: balanced accuracy .8273, RMSE .0163, r .9707, prevalence .316; the prevalence is .300.\n")
    table(["rule", "balanced accuracy", "accuracy", "RMSE of the methods'", "r", "prevalence"], rows)


def where_each_wins(seeds):
    """Count right labels in settings where each rule does best."""
    rows = []
    for name, draw in SETTINGS.items():
        right = {}
        for seed in seeds:
            ballots, labels, accuracy = draw(np.random.default_rng(seed))
            known = np.where(np.arange(len(labels)) < 20, labels, -1)
            # A start that knows these labels only, and leaves open what the methods are worth elsewhere.
            start = np.where(known[:, None] < 0, 0.5, known[:, None] == [0, 1])
            for rule_name, rule, y in [
                ("majority", gl.MajorityVote(), None),
                ("weighted vote", gl.WeightedVote(accuracy=accuracy), None),
                ("SML", gl.SpectralMetaLearner(), None),
                ("Dawid-Skene", gl.DawidSkene(), None),
                ("Dawid-Skene from 20 labels", gl.DawidSkene(start), known),
            ]:
                predicted = rule.fit(ballots, y).predict(ballots)
                right.setdefault(rule_name, []).append(np.mean(predicted[20:] == labels[20:]))
        rows.append([name, *(mean_and_error(values) for values in right.values())])
    table(["votes", *right], rows)


def vote(random, labels, sensitivity, specificity):
    right = np.where(labels[:, None] == 1, sensitivity, specificity)
    return np.where(random.random(right.shape) < right, labels[:, None], 1 - labels[:, None])


def draw(n_samples, sensitivity, specificity, prevalence=0.5):
    """Draw votes by methods with rates uniform between bounds; specificity None: the same as the sensitivity."""

    def votes_and_labels(random):
        labels = (random.random(n_samples) < prevalence).astype(int)
        eta = random.uniform(*sensitivity)
        psi = eta if specificity is None else random.uniform(*specificity)
        return vote(random, labels, eta, psi), labels, prevalence * eta + (1 - prevalence) * psi

    return votes_and_labels


SETTINGS = {
    "9 equal methods, 40 samples": draw(40, (0.7, 0.7, 9), None),
    "9 unequal methods of known accuracy, 40 samples": draw(40, (0.5, 0.95, 9), None),
    "15 unequal methods, 60 samples": draw(60, (0.4, 0.9, 15), None),
    "15 unequal methods, 1000 samples": draw(1000, (0.4, 0.9, 15), None),
    "15 methods, rare positives, shy methods, 1000 samples": draw(1000, (0.3, 0.7, 15), (0.8, 0.99, 15), 0.2),
    "9 methods, most of them worse than chance, 1000 samples": draw(1000, (0.25, 0.55, 9), None),
}


def time_of_em():
    """Time a step of EM on a million samples and 30 methods."""
    random = np.random.default_rng(0)
    labels = (random.random(10**6) < 0.3).astype(np.int8)
    accuracy = random.uniform(0.55, 0.8, 30)
    right = random.random((10**6, 30)) < accuracy
    codes = np.where(right, labels[:, None], 1 - labels[:, None]).astype(np.int8)
    rows = Rows(codes)
    start = votes.majority_start(rows, 30, 2, 1.0)
    parameters = votes.log_weights(start.confusion), votes.log_chance(start.prior)
    steps = []
    for _ in range(5):
        began = time.perf_counter()
        rows.sum(votes.expect, *parameters)
        steps.append(time.perf_counter() - began)
    began = time.perf_counter()
    model = gl.DawidSkene().fit(codes)
    whole = time.perf_counter() - began
    began = time.perf_counter()
    codes.astype(float).T @ codes.astype(float)
    product = time.perf_counter() - began
    print(
        f"A step of EM on 10⁶ × 30 votes: {np.median(steps):.2f} s, {np.median(steps) / product:.1f} times the product "
        f"of the table with itself. The whole fit: {whole:.1f} s, {model.n_iter_} steps.\n"
    )


def sparse_crowd(rule):
    """100 000 samples, 2000 workers, 5 votes each; in a process of its own, for its peak memory."""
    import resource  # not everywhere, and used here only

    random = np.random.default_rng(0)
    n_samples, n_workers = 100_000, 2000
    labels = (random.random(n_samples) < 0.4).astype(int)
    accuracy = random.uniform(0.5, 0.95, n_workers)
    # Five different workers each: one from every fifth of them.
    worker = random.integers(0, n_workers // 5, (n_samples, 5)) * 5 + np.arange(5)
    right = random.random(worker.shape) < accuracy[worker]
    label = np.where(right, labels[:, None], 1 - labels[:, None])
    long = pd.DataFrame({"task": np.repeat(np.arange(n_samples), 5), "worker": worker.ravel(), "label": label.ravel()})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    wide = gl.from_long(long, sample="task", method="worker", value="label")
    model = {"majority": gl.MajorityVote(), "SML": gl.SpectralMetaLearner(), "Dawid-Skene": gl.DawidSkene()}[rule]
    predicted = model.fit(wide).predict(wide)
    took = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    right = np.mean(predicted == labels[wide.samples])
    print(f"| {rule} | {right:.3f} | {took:.1f} s | {peak / 1024:.0f} MiB | {before / 1024:.0f} MiB |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--quick", action="store_true", help="3 seeds")
    parser.add_argument("--sparse", help="the large sparse crowd by this rule only")
    options = parser.parse_args()
    warnings.simplefilter("ignore", gl.GoldlessWarning)
    if options.sparse:
        sparse_crowd(options.sparse)
        return
    seeds = range(3 if options.quick else options.seeds)
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}; ", end="")
    print(f"seeds 0 to {seeds[-1]}. * knows the labels.\n\n### Time and memory\n")
    print("10⁵ samples × 2000 workers, 5 votes each, from a long table to labels:\n")
    print("| rule | accuracy | time | peak memory | of it before |\n|---|---|---|---|---|", flush=True)
    for rule in ("majority", "SML", "Dawid-Skene"):  # first, as a process inherits the peak of its parent
        subprocess.run([sys.executable, __file__, "--sparse", rule], check=True)
    print()
    time_of_em()
    print("### Votes cut at the median\n")
    median_split(seeds)
    if SHARED.exists():
        print("### Crowds\n")
        crowds()
        print("### Public example of votes\n")
        public_votes()
    else:
        print("(skipped the crowds: ../shared is not here)\n")
    print("### Where each wins\n")
    where_each_wins(seeds)


if __name__ == "__main__":
    main()
