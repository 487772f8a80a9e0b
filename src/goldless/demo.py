"""Twelve classifiers judged without labels, then the truth beside it."""

import numpy as np
import numpy.typing as npt
import polars as pl
from sklearn.base import BaseEstimator
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from goldless.estimators import Summa
from goldless.ranks import FloatArray
from goldless.result import Evaluation

TRAINING_IMAGES = 60
PIXELS = 8


def run(seed: int = 0) -> Evaluation:
    """Train classifiers to tell even digits from odd ones, judge them without labels, reveal the truth."""
    scores, labels = _scores(seed)
    model = Summa(model="auto", refine="likelihood").fit(scores)
    return model.reveal(scores, labels)


def _scores(seed: int) -> tuple[pl.DataFrame, npt.NDArray[np.int64]]:
    """Scores of the classifiers on unseen images, each on its own scale.

    Each one learns from images and pixels of its own, as teams do who each hold a part of the data.
    """
    digits = load_digits()
    X, X_new, y, y_new = train_test_split(digits.data, 1 - digits.target % 2, test_size=0.5, random_state=seed)
    random = np.random.default_rng(seed)
    scores = {}
    for name, classifier in _classifiers(seed).items():
        images = random.choice(len(X), TRAINING_IMAGES, replace=False)
        pixels = random.choice(X.shape[1], PIXELS, replace=False)
        model = make_pipeline(StandardScaler(), classifier).fit(X[np.ix_(images, pixels)], y[images])
        scores[name] = _score(model, X_new[:, pixels])
    return pl.DataFrame(scores), y_new


def _score(model: BaseEstimator, X: FloatArray) -> FloatArray:
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    return model.predict_proba(X)[:, 1]


def _classifiers(seed: int) -> dict[str, BaseEstimator]:
    return {
        "logistic regression": LogisticRegression(),
        "linear discriminant": LinearDiscriminantAnalysis(),
        "naive Bayes": GaussianNB(),
        "nearest neighbours": KNeighborsClassifier(15),
        "decision tree": DecisionTreeClassifier(max_depth=4, random_state=seed),
        "random forest": RandomForestClassifier(random_state=seed),
        "extra trees": ExtraTreesClassifier(random_state=seed),
        "gradient boosting": GradientBoostingClassifier(random_state=seed),
        "AdaBoost": AdaBoostClassifier(random_state=seed),
        "support vector machine": SVC(),
        "neural network": MLPClassifier((20,), max_iter=5000, random_state=seed),
        "Gaussian process": GaussianProcessClassifier(random_state=seed),
    }
