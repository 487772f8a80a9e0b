"""Anomaly detectors that resemble each other: what the diagnosis says, and what thirty labels change.

python examples/detectors.py
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

import goldless as gl


def detectors(X: np.ndarray) -> np.ndarray:
    """Score every row by ten detectors that never see a label; higher is stranger."""
    forests = [-IsolationForest(random_state=seed).fit(X).score_samples(X) for seed in range(3)]
    neighbours = [-LocalOutlierFactor(k).fit(X).negative_outlier_factor_ for k in (10, 20, 40, 80)]
    machines = [-OneClassSVM(nu=nu).fit(X).score_samples(X) for nu in (0.1, 0.3, 0.5)]
    return np.column_stack([*forests, *neighbours, *machines])


def main() -> None:
    data = load_breast_cancer()
    malignant = 1 - data.target
    scores = detectors(StandardScaler().fit_transform(data.data))
    truth = gl.metrics.auroc(malignant, scores)

    print(gl.diagnose(scores), "\n")
    model = gl.Summa(model="auto").fit(scores)
    known = np.full(len(scores), -1)
    asked = model.suggest(30)
    known[asked] = malignant[asked]
    for name, found in {
        "independent": gl.evaluate(scores, model="independent"),
        "auto": gl.evaluate(scores),
        "auto, 30 labels": gl.evaluate(scores, known),
    }.items():
        error = np.sqrt(np.mean((found.auroc - truth) ** 2))
        print(f"{name:<16} error of the AUROCs {error:.3f}, prevalence {found.prevalence:.2f}")
    print(f"{'truth':<16} prevalence {malignant.mean():.2f}")


if __name__ == "__main__":
    main()
