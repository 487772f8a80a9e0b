"""Table 2 (t:2): the 23 methods, what stands for them here, and how they compare with R's caret."""

from pathlib import Path

import fig5
import pandas as pd
from study import Study
from tally import markdown

#: What stands for each R package, and why.
COUNTERPARTS = {
    "adaboost": ("fastAdaboost", "AdaBoostClassifier, trees of depth 4", "the same algorithm"),
    "avNNet": ("nnet", "BaggingClassifier of 5 MLPClassifiers (lbfgs), no bootstrap", "mean of 5 starts, as in caret"),
    "bayesglm": ("arm", "LogisticRegression with a Gaussian prior of arm's scale", "arm's is a Cauchy prior"),
    "ctree": ("party", "DecisionTreeClassifier that splits only where significant", "none is kept up in Python"),
    "earth": ("earth", "SplineTransformer (linear) and L1 LogisticRegression", "py-earth is no longer kept up"),
    "gbm": ("gbm", "GradientBoostingClassifier, subsample=.5", "the same algorithm"),
    "glm": ("stats", "LogisticRegression without penalty", "the same model"),
    "glmnet": ("glmnet", "LogisticRegression, elastic net", "the same model"),
    "J48": ("RWeka", "DecisionTreeClassifier, entropy, pruned", "C4.5 is Java; this is its criterion"),
    "JRip": ("RWeka", "wittgenstein.RIPPER", "the same algorithm"),
    "C5.0": ("C50", "AdaBoostClassifier of pruned entropy trees", "C5.0 is C4.5 boosted"),
    "knn": ("kknn", "KNeighborsClassifier, weights by distance, scaled", "kknn has other kernels"),
    "LMT": (
        "RWeka",
        "a tree with a LogisticRegression in each leaf",
        "linear-tree 0.3.5 does not run with scikit-learn 1.9",
    ),
    "mlp": ("RSNNS", "MLPClassifier, plain gradient descent", "the same algorithm"),
    "nb": ("klaR", "GaussianNB, or on normal scores", "klaR chooses Gaussian or kernel"),
    "nnet": ("nnet", "MLPClassifier (lbfgs)", "the same model; nnet uses BFGS"),
    "rf": ("randomForest", "RandomForestClassifier, 500 trees", "the same algorithm"),
    "rpart": ("rpart", "DecisionTreeClassifier, pruned", "the same algorithm"),
    "simpls": ("pls", "PLSRegression", "the same with one label"),
    "svmLinear2": ("e1071", "SVC, linear kernel, scaled", "both are LIBSVM"),
    "svmRadial": ("kernlab", "SVC, Gaussian kernel, scaled", "the same model"),
    "xgbLinear": ("xgboost", "XGBClassifier, trees", "caret fits trees under this name (its issue 1158)"),
    "xgbTree": ("xgboost", "XGBClassifier, shallow trees", "the same library"),
}


def run(folder: Path, study: Study, *, quick: bool) -> pd.DataFrame:
    return fig5.run(folder, study, quick=quick)


def draw(rows: pd.DataFrame, folder: Path) -> list[Path]:
    """Set the counterparts beside the R packages, with the mean AUROC of each over data sets and splits."""
    means = rows.groupby(["method", "source", "data_set"])["auroc"].mean().groupby(["method", "source"]).mean()
    sources = rows["source"].unique()
    heads = ["method", "R package", "here", "why", *(f"mean AUROC, {source}" for source in sources)]
    lines = [[name, *texts, *(means[name, source] for source in sources)] for name, texts in COUNTERPARTS.items()]
    path = folder / "table2.md"
    path.write_text(markdown(heads, lines), encoding="utf-8")
    return [path]
