"""Write crowdkit.json: what crowd-kit makes of simulated votes. Run by `make golden`; the tests only read the file."""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from crowdkit.aggregation import DawidSkene, MajorityVote


def simulate(name, seed, n_tasks, n_workers, n_classes, missing):
    random = np.random.default_rng(seed)
    truth = random.integers(0, n_classes, n_tasks)
    right = random.random((n_tasks, n_workers)) < random.uniform(0.5, 0.9, n_workers)
    votes = np.where(right, truth[:, None], random.integers(0, n_classes, (n_tasks, n_workers)))
    voted = random.random((n_tasks, n_workers)) > missing
    voted[:, 0] = True
    long = [(int(t), int(w), int(votes[t, w])) for t, w in zip(*np.nonzero(voted), strict=True)]
    table = pd.DataFrame(long, columns=["task", "worker", "label"])
    classes, tasks = list(range(n_classes)), list(range(n_tasks))
    # As many steps as it takes, and no stop on the way: with a tolerance crowd-kit may end short of the maximum.
    skene = DawidSkene(n_iter=1000, tol=-np.inf).fit(table)
    majority = MajorityVote().fit_predict_proba(table)
    errors = skene.errors_.reindex(pd.MultiIndex.from_product([range(n_workers), classes]), fill_value=0)[classes]
    return {
        "name": name,
        "votes": long,
        "majority_vote": majority.loc[tasks, classes].round(8).to_numpy().tolist(),
        "dawid_skene": skene.probas_.loc[tasks, classes].round(8).to_numpy().tolist(),
        "prior": skene.priors_[classes].round(8).tolist(),
        # errors_ has a row for (worker, vote) and a column for each class
        "confusion": errors.to_numpy().reshape(n_workers, n_classes, n_classes).swapaxes(1, 2).round(8).tolist(),
    }


cases = [
    simulate("two classes", 0, 100, 7, 2, 0.0),
    simulate("two classes, 40 % missing", 1, 120, 9, 2, 0.4),
    simulate("three classes, 20 % missing", 3, 200, 8, 3, 0.2),
]
packages = ["crowd-kit", "numpy", "pandas"]
source = "benchmarks/golden_crowdkit.py with " + ", ".join(f"{name} {version(name)}" for name in packages)
path = Path(__file__).parents[1] / "tests" / "golden" / "crowdkit.json"
path.write_text(json.dumps({"source": source, "cases": cases}) + "\n")
print(f"wrote {path.name}: {source}")
