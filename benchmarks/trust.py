"""Are the intervals, the diagnosis and the corrections as good as they claim?

    python benchmarks/trust.py [coverage refine diagnosis independent dependent real labels ensembles bootstrap]
        [--sets 200] [--quick]

Prints Markdown tables. Simulations are the paper's; "real" reads the labelled sets beside the project (../shared/data)
and is left out where they are not there.
"""

import argparse
import os
import platform
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

import goldless as gl
from goldless.checks import are_probabilities
from goldless.evaluation import SOLVERS
from goldless.moments import SecondMoments, ThirdMoment, e3
from goldless.prevalence import delta, prevalence
from goldless.rank_one import LARGEST_Q

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def rmse(estimate, truth):
    return float(np.sqrt(np.nanmean((estimate - truth) ** 2)))


def share_covered(interval, truth):
    known = ~np.isnan(truth)
    return float(np.mean((interval[known, 0] <= truth[known]) & (truth[known] <= interval[known, 1])))


def table(columns):
    print(f"\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")


def row(*cells):
    print("| " + " | ".join(f"{c:.3f}" if isinstance(c, float) else str(c) for c in cells) + " |", flush=True)


def coverage(sets):
    """Coverage of the population AUROC and of the prevalence by nominal 95 % intervals."""
    print(f"\n(With likelihood: {sets // 4} data sets.)")
    table(["M, N, ρ", "refine", "AUROC covered", "mean width", "prevalence covered", "mean width"])
    for M, N, rho in [(30, 1000, 0.3), (30, 1000, 0.5), (10, 2000, 0.3), (30, 300, 0.5), (30, 4000, 0.1)]:
        for refine in (None, "likelihood"):
            figures = []
            for seed in range(sets if refine is None else sets // 4):
                data = gl.simulate(N, M, rho, random_state=10_000 + seed)
                model = gl.Summa(refine=refine).fit(data.scores)
                low, high = model.prevalence_interval_
                width = np.ptp(model.auroc_interval_, axis=1).mean()
                covered = share_covered(model.auroc_interval_, data.auroc)
                figures.append((covered, width, low <= rho <= high, high - low))
            row(f"{M}, {N}, {rho}", refine, *map(float, np.mean(figures, axis=0)))


def refine(sets):
    """RMSE and ensemble AUROC of the likelihood refinement against the moments."""
    default = {"n_methods": 30, "n_samples": 1000, "prevalence": 0.5}
    settings = [{}, *({"prevalence": p} for p in (0.1, 0.2, 0.3, 0.8, 0.9))]
    settings += [{"n_samples": n} for n in (30, 100, 250, 4000)] + [{"n_methods": m} for m in (5, 10, 15)]
    settings += [{"n_methods": 15, "prevalence": p} for p in (0.1, 0.9)] + [{"n_methods": 15, "n_samples": 250}]
    settings += [{"variances": (1, 4)}, {"variances": (4, 1), "n_methods": 15}]
    settings += [{"exponential": True}, {"exponential": True, "n_methods": 15, "prevalence": 0.2}]
    table(["setting", "moments RMSE", "refined RMSE", "ratio", "moments ensemble", "refined ensemble"])
    for setting in settings:
        parameters = {**default, **{k: v for k, v in setting.items() if k != "exponential"}}
        figures = []
        for seed in range(sets):
            data = gl.simulate(random_state=20_000 + seed, **parameters)
            scores = exponential(data, seed) if setting.get("exponential") else data.scores
            truth = gl.metrics.auroc(data.labels, scores)
            models = [gl.Summa(refine=refine).fit(scores) for refine in (None, "likelihood")]
            ensembles = [gl.metrics.auroc(data.labels, model.decision_function(scores)) for model in models]
            figures.append([*(rmse(model.auroc_, truth) for model in models), *ensembles])
        mean = np.mean(figures, axis=0)
        name = ", ".join(f"{k} = {v}" for k, v in setting.items()) or "default"
        row(name, f"{mean[0]:.4f}", f"{mean[1]:.4f}", mean[1] / mean[0], mean[2], mean[3])


def exponential(data, seed):
    """Scores of the same population AUROCs with exponential classes: P(X1 > X0) = r / (1 + r) for means 1 and r."""
    mean = np.where(data.labels[:, None] == 1, data.auroc / (1 - data.auroc), 1.0)
    return np.random.default_rng(seed).exponential(mean)


def diagnosis(sets):
    """How often independent and dependent sets are called violated, at N = 1000."""
    table(["data", "M", "ρ", "plausible", "doubtful", "violated"])
    kinds = {
        "independent, Gaussian": {},
        "independent, exponential": {},
        "all methods share, r = .2": {"correlation": 0.2},
        "half of the methods share, r = .2": {"correlation": 0.2},
    }
    for kind, parameters in kinds.items():
        for M in (10, 15, 30):
            for rho in (0.1, 0.3, 0.5, 0.9):
                groups = {"all": [range(M)], "hal": [range(M // 2)]}.get(kind[:3])
                findings = []
                for seed in range(sets):
                    data = gl.simulate(1000, M, rho, groups=groups, random_state=30_000 + seed, **parameters)
                    scores = exponential(data, seed) if "exponential" in kind else data.scores
                    findings.append(gl.diagnose(scores).finding)
                row(kind, M, rho, *(findings.count(word) / sets for word in ("plausible", "doubtful", "violated")))


def independent(sets):
    """What `auto` costs where independence holds, and how well its probabilities are calibrated."""
    columns = ["M, N, ρ", "independent RMSE", "auto RMSE", "SUMMA ensemble", "auto ensemble", "calibration error"]
    table([*columns, "that of the true posterior", "error of ρ"])
    for M, N, rho in [
        (5, 1000, 0.5),
        (10, 1000, 0.3),
        (30, 1000, 0.5),
        (30, 1000, 0.1),
        (15, 5000, 0.3),
        (30, 200, 0.5),
    ]:
        figures = []
        for seed in range(sets):
            data = gl.simulate(N, M, rho, random_state=40_000 + seed)
            truth = gl.metrics.auroc(data.labels, data.scores)
            models = [gl.Summa(model=model).fit(data.scores) for model in ("independent", "auto")]
            ensembles = [gl.metrics.auroc(data.labels, model.decision_function(data.scores)) for model in models]
            refined = gl.Summa(model="auto", refine="likelihood").fit(data.scores)
            probabilities = refined.predict_proba(data.scores)[:, 1], true_posterior(data, rho)
            errors = [calibration_error(probability, data.labels) for probability in probabilities]
            rmses = [rmse(model.auroc_, truth) for model in models]
            figures.append([*rmses, *ensembles, *errors, abs(refined.prevalence_ - rho)])
        row(f"{M}, {N}, {rho}", *map(float, np.mean(figures, axis=0)))


def dependent(sets):
    """What `auto` answers where 15 methods share a Gaussian factor within the classes (N = 1000, ρ = .4)."""
    table(["correlation", "AUROCs", "independent RMSE", "auto RMSE", "covered", "width", "prevalence covered"])
    for correlation in (0.02, 0.05, 0.1, 0.2, 0.3):
        for bounds in ((0.6, 0.95), (0.4, 0.8)):
            figures = []
            for seed in range(sets):
                alike = {"groups": [range(15)], "correlation": correlation, "random_state": 50_000 + seed}
                data = gl.simulate(1000, 15, 0.4, bounds, **alike)
                truth = gl.metrics.auroc(data.labels, data.scores)
                plain, auto = (gl.Summa(model=model).fit(data.scores) for model in ("independent", "auto"))
                interval, (low, high) = auto.auroc_interval_, auto.prevalence_interval_
                covered = share_covered(interval, truth), np.ptp(interval, axis=1).mean(), low <= 0.4 <= high
                figures.append([rmse(plain.auroc_, truth), rmse(auto.auroc_, truth), *covered])
            row(correlation, f"{bounds[0]} to {bounds[1]}", *map(float, np.mean(figures, axis=0)))


def true_posterior(data, rho):
    """Probability of class 1 by the law that the scores were drawn from: no answer is calibrated better."""
    separation = norm.ppf(data.auroc) * np.sqrt(2)
    return expit(logit(rho) + data.scores @ separation - separation @ separation / 2)


def calibration_error(probability, labels):
    """Expected calibration error over ten bins."""
    cell = np.minimum((probability * 10).astype(int), 9)
    gaps = [abs(probability[cell == k].mean() - labels[cell == k].mean()) * np.mean(cell == k) for k in np.unique(cell)]
    return float(np.sum(gaps))


def labelled_sets():
    """Every labelled set: its name, scores, labels. Constant columns and rows without scores are left out."""
    for folder in ("predictions", "real", "pyod"):
        for path in sorted((SHARED / folder).glob("*.csv.gz")):
            if path.name == "test_rows.csv.gz":
                continue
            values = np.genfromtxt(path, delimiter=",", skip_header=1)
            scores, labels = values[:, :-1], values[:, -1].astype(int)
            scores = scores[:, np.nanmax(scores, axis=0) > np.nanmin(scores, axis=0)]
            scored = ~np.isnan(scores).all(axis=1)
            yield folder, path.name.removesuffix(".csv.gz"), scores[scored], labels[scored]


def true_aurocs(scores, labels):
    """AUROC of each column on what it scored; NaN where that is one class only."""
    both = [len(np.unique(labels[~np.isnan(column)])) == 2 for column in scores.T]
    return np.array(
        [
            gl.metrics.auroc(labels[~np.isnan(c)], c[~np.isnan(c)]) if ok else np.nan
            for c, ok in zip(scores.T, both, strict=True)
        ]
    )


def real(_):
    """RMSE of the AUROC, coverage, ensembles and calibration on labelled sets."""
    if not SHARED.exists():
        print("\n(left out the labelled sets: ../shared/data is not here)")
        return
    ensemble = ["mean rank", "SUMMA", "auto ensemble", "expected"]
    columns = ["set", "independent", "auto", "covered", "width", *ensemble, "calibration error"]
    table([*columns, "calibrated", "its interval covers"])
    figures, kinds = [], []
    for folder, name, scores, labels in labelled_sets():
        truth = true_aurocs(scores, labels)
        plain, auto = (gl.Summa(model=model).fit(scores) for model in ("independent", "auto"))
        crowd = gl.WisdomOfCrowds().fit(scores)
        ensembles = [gl.metrics.auroc(labels, model.decision_function(scores)) for model in (crowd, plain, auto)]
        figures.append(
            [
                rmse(plain.auroc_, truth),
                rmse(auto.auroc_, truth),
                share_covered(auto.auroc_interval_, truth),
                float(np.ptp(auto.auroc_interval_, axis=1).mean()),
                *ensembles,
                auto.evaluation_.ensemble_auroc,
                calibration_error(auto.predict_proba(scores)[:, 1], labels),
                *as_probabilities(scores, truth),
            ]
        )
        kinds.append(folder)
        row(name, *figures[-1])
    figures, caret = np.array(figures), np.array(kinds) == "predictions"
    ratio = figures[:, 1] / figures[:, 0]
    gain = figures[:, [5, 6]] - figures[:, [4]]
    print(f"\ncaret: mean RMSE {figures[caret, 0].mean():.3f} -> {figures[caret, 1].mean():.3f}", end="")
    print(f" (ratio {figures[caret, 1].mean() / figures[caret, 0].mean():.3f}); ", end="")
    print(f"others: median ratio {np.median(ratio[~caret]):.3f}; ", end="")
    print(f"covered {figures[caret, 2].mean():.3f} / {figures[~caret, 2].mean():.3f}")
    both = figures[~np.isnan(figures[:, 9])]
    if len(both):
        print(f"calibrated on {len(both)} sets that hold probabilities: RMSE {both[:, 9].mean():.3f} ", end="")
        print(f"(auto {both[:, 1].mean():.3f}), covered {both[:, 10].mean():.3f}")
    print(f"ensemble of auto at or above the mean rank on {np.mean(gain[:, 1] >= -1e-9):.0%} of the sets, ", end="")
    print(f"worst {gain[:, 1].min():+.4f}, mean {gain[:, 1].mean():+.4f} (SUMMA's weights {gain[:, 0].mean():+.4f})")
    surprise = figures[:, 7] - figures[:, 6]
    print(f"AUROC expected of the combined score: off by {np.abs(surprise).mean():.3f} on average, ", end="")
    print(f"{np.median(np.abs(surprise)):.3f} on half of the sets, at most {np.abs(surprise).max():.3f}")


def as_probabilities(scores, truth):
    """RMSE and coverage of model="calibrated", where the scores could be probabilities."""
    if not are_probabilities(scores):
        return np.nan, np.nan
    model = gl.Summa(model="calibrated").fit(scores)
    return rmse(model.auroc_, truth), share_covered(model.auroc_interval_, truth)


def labels(draws):
    """RMSE of the AUROC with 0, 10, 30 and 100 labels drawn at random, on labelled sets."""
    if not SHARED.exists():
        print("\n(left out the labelled sets: ../shared/data is not here)")
        return
    sizes = (10, 30, 100)
    names = [f"{n}: {what}" for n in sizes for what in ("RMSE", "labels alone", "covered", "width")]
    table(["set", "no labels", *names])
    figures, kinds = [], []
    for folder, name, scores, truth in labelled_sets():
        known = true_aurocs(scores, truth)
        free = gl.Summa(model="auto").fit(scores)
        cells = [rmse(free.auroc_, known)]
        for n in sizes:
            cells.extend(with_labels(scores, truth, known, n, draws))
        figures.append(cells)
        kinds.append(folder)
        row(name, *map(float, cells))
    figures, kinds = np.array(figures), np.array(kinds)
    for kind in ("predictions", "real", "pyod"):
        row(f"mean of {kind}", *map(float, figures[kinds == kind].mean(axis=0)))
    free, ten, thirty, hundred, alone = figures[:, [0, 1, 5, 9, 6]].T
    print(
        f"\nfalls at every step on {np.mean((ten < free) & (thirty < ten) & (hundred < thirty)):.0%} of the sets; ",
        end="",
    )
    print(f"at 30 labels below no labels and labels alone on {np.mean((thirty < free) & (thirty < alone)):.0%}")


def with_labels(scores, truth, known, n, draws):
    """RMSE with n labels, RMSE of the labels alone, coverage and width, means over draws."""
    cells = []
    for seed in range(draws):
        chosen = np.random.default_rng(seed).permutation(len(truth))[:n]
        y = np.full(len(truth), -1)
        y[chosen] = truth[chosen]
        model = gl.Summa(model="auto").fit(scores, y)
        alone = true_aurocs(scores[chosen], truth[chosen])
        covered = share_covered(model.auroc_interval_, known)
        width = np.ptp(model.auroc_interval_, axis=1).mean()
        cells.append((rmse(model.auroc_, known), rmse(np.where(np.isnan(alone), 0.5, alone), known), covered, width))
    return np.mean(cells, axis=0)


def bootstrap(sets):
    """Intervals from influence functions beside a bootstrap that ranks again by weighted cumulative sums."""
    columns = ["M, N, ρ", "standard error", "bootstrap's", "ratio, median", "covered", "bootstrap's", "width"]
    table([*columns, "bootstrap's"])
    for M, N, rho in [(30, 1000, 0.3), (30, 1000, 0.5), (10, 2000, 0.3), (30, 300, 0.5)]:
        figures = []
        for seed in range(sets):
            data = gl.simulate(N, M, rho, random_state=60_000 + seed)
            interval = gl.Summa().fit(data.scores).auroc_interval_
            drawn = bootstrapped(data.scores, seed)
            again = np.quantile(drawn, [0.025, 0.975], axis=0).T
            error, its = np.ptp(interval, axis=1) / (2 * norm.ppf(0.975)), drawn.std(axis=0)
            covered = [share_covered(x, data.auroc) for x in (interval, again)]
            widths = [np.ptp(x, axis=1).mean() for x in (interval, again)]
            figures.append([error.mean(), its.mean(), np.median(error / its), *covered, *widths])
        row(f"{M}, {N}, {rho}", *map(float, np.mean(figures, axis=0)))


def bootstrapped(scores, seed, draws=200):
    """AUROCs by moments in samples drawn again from the rows; the columns are sorted once."""
    N, M = scores.shape
    order = np.argsort(scores, axis=0)
    random = np.random.default_rng(seed)
    found = []
    for _ in range(draws):
        w = random.multinomial(N, np.full(N, 1 / N)).astype(float)
        ordered = w[order]
        z = np.empty((N, M))
        np.put_along_axis(z, order, (np.cumsum(ordered, axis=0) - ordered / 2) / N - 0.5, axis=0)
        fit = SOLVERS["iterative"](SecondMoments((z * w[:, None]).T @ z, np.full((M, M), N)), LARGEST_Q)
        data, model = e3(z, fit.v), np.full(N, e3(np.ones((1, M)), fit.v**2)[0])
        third = ThirdMoment(w @ data, w @ data**2, w @ (data * model), w @ model, w @ model**2)
        rho = prevalence(fit.lam, third.tau, third.variance, 1 / N)
        found.append(0.5 + delta(fit.q, rho.p))
    return np.array(found)


def ensembles(draws):
    """AUROC of the combined score, and of the probability, with 0, 10, 30 and 100 labels, on labelled sets."""
    if not SHARED.exists():
        print("\n(left out the labelled sets: ../shared/data is not here)")
        return
    sizes = (0, 10, 30, 100)
    table(["set", *(f"{n}: score" for n in sizes), *(f"{n}: probability" for n in sizes), "turned"])
    figures = []
    for _, name, scores, truth in labelled_sets():
        found = np.array([[ensemble(scores, truth, n, seed) for n in sizes] for seed in range(draws)])
        cells = found.mean(axis=0)
        figures.append([*cells[:, 0], *cells[:, 1], cells[1:, 2].mean()])
        row(name, *map(float, figures[-1]))
    figures = np.array(figures)
    row("mean", *map(float, figures.mean(axis=0)))
    for column, n in enumerate(sizes[1:], start=1):
        gain = figures[:, column] - figures[:, 0]
        print(f"\n{n} labels: combined score {gain.mean():+.4f} on average, worst set {gain.min():+.4f}, ", end="")
        print(f"best {gain.max():+.4f}; not below on {np.mean(gain >= -1e-9):.0%} of the sets")


def ensemble(scores, truth, n, seed):
    """AUROC of the combined score and of the probability with n labels, and whether the labels turned the sign."""
    chosen = np.random.default_rng(seed).permutation(len(truth))[:n]
    y = np.full(len(truth), -1)
    y[chosen] = truth[chosen]
    model = gl.Summa(model="auto").fit(scores, y)
    probability = model.predict_proba(scores)[:, 1]
    score = model.decision_function(scores)
    return gl.metrics.auroc(truth, score), gl.metrics.auroc(truth, probability), model.evaluation_.turned


SECTIONS = {"coverage": (coverage, 200), "refine": (refine, 30), "diagnosis": (diagnosis, 40)}
SECTIONS |= {"independent": (independent, 30), "dependent": (dependent, 20), "real": (real, 1), "labels": (labels, 10)}
SECTIONS |= {"ensembles": (ensembles, 10), "bootstrap": (bootstrap, 20)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--sets", type=int, help="data sets for each setting")
    parser.add_argument("--quick", action="store_true", help="4 data sets for each setting")
    options = parser.parse_args()
    warnings.simplefilter("ignore", gl.GoldlessWarning)
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, goldless {gl.__version__}"
    )
    for name in options.sections or SECTIONS:
        section, sets = SECTIONS[name]
        sets = 4 if options.quick else options.sets or sets
        started = time.perf_counter()
        print(
            f"\n### {section.__doc__}\n\n{sets} data sets for each setting."
            if name != "real"
            else f"\n### {section.__doc__}"
        )
        section(sets)
        print(f"\n{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
