"""The 23 classifiers of Table t:2, by the closest maintained Python counterpart.

Each is tuned as caret does it: a small grid by cross-validated accuracy, then a fit to the whole training half. Nothing
is scaled but where the R package scales by itself. docs/reproduction.md says which stands for which and why.
"""

import warnings
from typing import Any

import numpy as np
from scipy.stats import chi2
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cross_decomposition import PLSRegression
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import QuantileTransformer, SplineTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from wittgenstein import RIPPER
from xgboost import XGBClassifier

FOLDS = 3

#: Weight decay of nnet's default grid; scikit-learn's `alpha` is twice that.
DECAY = [0.0, 2e-4, 0.2]


def scores(X: Any, y: Any, X_new: Any, seed: int, *, tuned: bool = True) -> dict[str, Any]:
    """Train every method and score new samples, higher for class 1."""
    methods = _methods(X.shape, seed)
    return {name: _scores(model, grid if tuned else {}, X, y, X_new) for name, (model, grid) in methods.items()}


def _scores(model: Any, grid: dict[str, list[Any]], X: Any, y: Any, X_new: Any) -> Any:
    if grid:
        model = GridSearchCV(model, grid, cv=FOLDS, scoring="accuracy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of networks that stop early and of classes that can be told apart: as in R
        model.fit(X, y)
        if hasattr(model, "predict_proba"):
            return model.predict_proba(X_new)[:, 1]
        return model.decision_function(X_new)


def _methods(shape: tuple[int, int], seed: int) -> dict[str, tuple[Any, dict[str, list[Any]]]]:
    """Each method and the grid it is tuned on."""
    tree, boosted, logistic = DecisionTreeClassifier, AdaBoostClassifier, LogisticRegression
    net = MLPClassifier((5,), activation="logistic", solver="lbfgs", max_iter=100, random_state=seed)
    entropy = tree(criterion="entropy", min_samples_leaf=2, random_state=seed)
    xgb = XGBClassifier(n_jobs=1, random_state=seed)
    thirds = sorted({2, (2 + shape[1]) // 2, shape[1]})
    sizes = [(1,), (3,), (5,)]
    return {
        "adaboost": (boosted(tree(max_depth=4), random_state=seed), {"n_estimators": [50, 100]}),
        "avNNet": (
            BaggingClassifier(net, n_estimators=5, bootstrap=False, random_state=seed),
            {"estimator__hidden_layer_sizes": sizes, "estimator__alpha": DECAY},
        ),
        # A prior of scale 2.5 for inputs divided by two standard deviations.
        "bayesglm": (_scaled(logistic(C=1.25**2)), {}),
        "ctree": (tree(criterion="log_loss", min_impurity_decrease=_significant(shape), random_state=seed), {}),
        "earth": (
            Pipeline([("hinges", SplineTransformer(4, degree=1)), ("model", logistic(solver="liblinear", l1_ratio=1))]),
            {"model__C": [0.1, 1.0, 10.0]},
        ),
        "gbm": (
            GradientBoostingClassifier(subsample=0.5, min_samples_leaf=10, random_state=seed),
            {"max_depth": [1, 2, 3], "n_estimators": [50, 100, 150]},
        ),
        "glm": (_scaled(logistic(C=np.inf)), {}),
        "glmnet": (
            _scaled(logistic(solver="saga", tol=1e-3, max_iter=500, random_state=seed)),
            {"model__l1_ratio": [0.1, 0.55, 1.0], "model__C": [0.05, 0.5, 5.0]},
        ),
        "J48": (entropy, {"ccp_alpha": [0.0, 0.01, 0.03]}),
        "JRip": (Ripper(seed), {}),
        "C5.0": (
            boosted(clone(entropy).set_params(ccp_alpha=0.01), random_state=seed),
            {"n_estimators": [1, 10, 20]},
        ),
        "knn": (_scaled(KNeighborsClassifier(weights="distance")), {"model__n_neighbors": [5, 7, 9]}),
        "LMT": (LogisticModelTree(), {"smallest_leaf": [0.51, 0.25, 0.1]}),
        "mlp": (
            clone(net).set_params(solver="sgd", learning_rate_init=0.2, momentum=0, batch_size=10),
            {"hidden_layer_sizes": sizes},
        ),
        "nb": (
            Pipeline([("density", "passthrough"), ("model", GaussianNB())]),
            {"density": ["passthrough", QuantileTransformer(n_quantiles=50, output_distribution="normal")]},
        ),
        "nnet": (net, {"hidden_layer_sizes": sizes, "alpha": DECAY}),
        "rf": (RandomForestClassifier(500, random_state=seed), {"max_features": thirds}),
        "rpart": (
            tree(min_samples_split=20, min_samples_leaf=7, random_state=seed),
            {"ccp_alpha": [0.003, 0.01, 0.03]},
        ),
        "simpls": (PartialLeastSquares(), {"n_components": [1, 2, 3]}),
        "svmLinear2": (_scaled(SVC(kernel="linear")), {"model__C": [0.25, 0.5, 1.0]}),
        "svmRadial": (_scaled(SVC()), {"model__C": [0.25, 0.5, 1.0]}),
        # As caret has it: trees, of the depth and with the rate that are xgboost's defaults.
        "xgbLinear": (xgb, {"n_estimators": [50, 100], "reg_lambda": [1e-4, 0.1], "reg_alpha": [0.0, 0.1]}),
        "xgbTree": (
            clone(xgb).set_params(subsample=0.75, colsample_bytree=0.7),
            {"n_estimators": [50, 100, 150], "max_depth": [1, 2, 3]},
        ),
    }


def _scaled(model: Any) -> Pipeline:
    return Pipeline([("scale", StandardScaler()), ("model", model)])


def _significant(shape: tuple[int, int]) -> float:
    """Impurity decrease of a split whose likelihood-ratio test is significant at .05 after Bonferroni.

    The test statistic is 2 ln 2 N times the decrease in bits.
    """
    n, features = shape
    return float(chi2.isf(0.05 / features, 1) / (2 * np.log(2) * n))


class Ripper(ClassifierMixin, BaseEstimator):
    """wittgenstein's RIPPER with the manners of scikit-learn."""

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "Ripper":
        self.classes_ = np.unique(y)
        self.rules_ = RIPPER(random_state=self.random_state)
        self.rules_.fit(X, y, pos_class=1)
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.rules_.predict_proba(X)


class LogisticModelTree(ClassifierMixin, BaseEstimator):
    """A tree with a logistic regression in each leaf."""

    def __init__(self, smallest_leaf: float = 0.25) -> None:
        self.smallest_leaf = smallest_leaf

    def fit(self, X: Any, y: Any) -> "LogisticModelTree":
        self.classes_ = np.unique(y)
        self.tree_ = DecisionTreeClassifier(min_samples_leaf=self.smallest_leaf, random_state=0).fit(X, y)
        leaves = self.tree_.apply(X)
        self.models_ = {leaf: self._leaf_model(X[leaves == leaf], y[leaves == leaf]) for leaf in np.unique(leaves)}
        return self

    def _leaf_model(self, X: Any, y: Any) -> Any:
        return (_scaled(LogisticRegression()) if len(np.unique(y)) > 1 else DummyClassifier()).fit(X, y)

    def predict_proba(self, X: Any) -> Any:
        leaves = self.tree_.apply(X)
        positive = np.zeros(len(X))
        for leaf, model in self.models_.items():
            here = leaves == leaf
            if here.any():
                positive[here] = model.predict_proba(X[here])[:, -1] if len(model.classes_) > 1 else model.classes_[0]
        return np.stack([1 - positive, positive], axis=1)

    def predict(self, X: Any) -> Any:
        return self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)]


class PartialLeastSquares(ClassifierMixin, BaseEstimator):
    """Partial least squares on the 0/1 label."""

    def __init__(self, n_components: int = 2) -> None:
        self.n_components = n_components

    def fit(self, X: Any, y: Any) -> "PartialLeastSquares":
        self.classes_ = np.unique(y)
        self.model_ = PLSRegression(min(self.n_components, X.shape[1]), scale=False).fit(X, y)
        return self

    def decision_function(self, X: Any) -> Any:
        return self.model_.predict(X).ravel() - 0.5

    def predict(self, X: Any) -> Any:
        return self.classes_[(self.decision_function(X) > 0).astype(int)]
