"""The scikit-learn faces: check, call, name the attributes."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from goldless import checks, factor, frames, pictures
from goldless.combiner import RankCombiner
from goldless.ensemble import both, combined, mean, median, shift, shifted
from goldless.evaluation import MODELS, REFINEMENTS, SOLVERS, Settings
from goldless.evaluation import evaluate as _evaluate
from goldless.metrics import auroc
from goldless.moments import scored
from goldless.ranks import FloatArray
from goldless.result import Diagnosis, Evaluation, Growth, Truth
from goldless.rows import Rows

#: Levels of each method's z that its posterior is computed at.
MARGIN_LEVELS = 64


class Summa(RankCombiner):
    """Judge methods without labels and combine them: SUMMA.

    The paper's method rests on two assumptions: within each class the methods err independently of each other, and
    taken together they are better than random. The other models do without the first one.

    Parameters
    ----------
    prevalence : float, optional
        Share of positive samples, if it is known; None estimates it.
    solver : {"iterative", "sdp"}
        How the rank-one matrix is completed: least squares, or minimum trace.
    model : {"independent", "shared", "auto", "calibrated"}
        What is assumed of the methods within a class: that they err independently (the paper); nothing, the methods
        being judged by the distribution of their consensus and by each other's calls ("shared"); as much
        independence as the diagnosis finds in the data ("auto"); or that the scores are probabilities whose median
        is calibrated ("calibrated").
    refine : {None, "likelihood"}
        Whether the answer under independence is refined by maximum likelihood. This takes several passes, and needs
        two samples for each method.
    level : float
        Level of the intervals.

    Attributes
    ----------
    auroc_ : ndarray of shape (n_methods,)
        Estimated AUROC of each method.
    auroc_interval_ : ndarray of shape (n_methods, 2)
        Interval of each AUROC, that of the population, with labels as without.
    prevalence_ : float
        Estimated, or given, prevalence.
    prevalence_interval_ : ndarray of shape (2,)
        Interval of the prevalence.
    diagnosis_ : Diagnosis
        Whether independence can be believed; print it to read it.
    weights_ : ndarray of shape (n_methods,)
        Weight of each method in the combined score.
    n_iter_ : int
        Steps of the solver.
    converged_ : bool
        Whether the solver settled.
    evaluation_ : Evaluation
        All of the above and more, frozen.
    classes_ : ndarray
        The labels 0 and 1.
    n_features_in_ : int
        Number of methods.
    feature_names_in_ : ndarray of shape (n_methods,)
        Names of the methods, where the table has names.

    References
    ----------
    Ahsen, Vogel, Stolovitzky: Unsupervised Evaluation and Weighted Aggregation of Ranked Predictions. Journal of
    Machine Learning Research 20 (2019).

    Examples
    --------
    >>> import goldless as gl
    >>> data = gl.simulate(random_state=0)
    >>> model = gl.Summa().fit(data.scores)
    >>> bool(abs(model.auroc_ - data.auroc).max() < 0.06)
    True
    >>> gl.metrics.auroc(data.labels, model.decision_function(data.scores)) > 0.97
    True
    """

    _fewest_methods = 3

    def __init__(
        self,
        prevalence: float | None = None,
        solver: str = "iterative",
        model: str = "independent",
        refine: str | None = None,
        level: float = 0.95,
    ) -> None:
        self.prevalence = prevalence
        self.solver = solver
        self.model = model
        self.refine = refine
        self.level = level

    def fit(self, X: Any, y: Any = None) -> Self:
        """Judge the methods.

        Parameters
        ----------
        X : table of shape (n_samples, n_methods)
            Scores, higher for samples that are more likely positive; NaN where a method gave none. An array, or a
            pandas, polars, Arrow or Dask table.
        y : array-like of shape (n_samples,), optional
            Labels as far as they are known: 0, 1, or -1 for not known. They should be those of samples chosen at
            random, or by `suggest`; labels of samples that were easy, or looked positive, mislead. Where they say
            that the methods, taken together, are worse than random, all signs are turned (`evaluation_.turned`).

        Returns
        -------
        Summa
            The fitted estimator.
        """
        checks.check_prevalence(self.prevalence)
        checks.check_choice("solver", self.solver, tuple(SOLVERS))
        checks.check_choice("model", self.model, MODELS)
        checks.check_choice("refine", self.refine, REFINEMENTS)
        checks.check_level(self.level)
        table = self._read(X, reset=True)
        rows, seen = self._learn_ranks(table)
        levels, shares = self._distribution.levels(MARGIN_LEVELS)
        settings = Settings(self.prevalence, self.solver, self.model, self.refine, self.level)
        labels = None if y is None else checks.check_some_labels(rows.column(y), rows.n_samples)
        found = _evaluate(rows, self._names, (levels.T, shares.T), settings, self._probability(table, seen), labels)
        checks.warn_about(found)
        self.evaluation_ = found
        self.diagnosis_ = found.diagnosis
        self.auroc_ = found.auroc
        self.auroc_interval_ = found.auroc_interval
        self.prevalence_ = found.prevalence
        self.prevalence_interval_ = found.prevalence_interval
        self.weights_ = found.weights
        self.n_iter_ = found.n_iter
        self.converged_ = found.converged
        candidates, self._numbers_of_fit = rows.spaced()
        self._score_of_fit = self._combine(candidates)
        self._labels_of_fit = None if labels is None else np.asarray(labels[self._numbers_of_fit])
        return self

    def _probability(self, table: frames.Table, seen: checks.Sight) -> FloatArray | None:
        """Median score of each sample, where the model takes scores for probabilities or may be compared with that."""
        if self.model == "calibrated":
            checks.check_probabilities(seen, table.names)
        elif not seen.probable:
            return None
        if self.prevalence is not None:
            self._shift = shift(table.scores.some().map(median), self.prevalence)
        return self._median(table)

    def _median(self, table: frames.Table) -> FloatArray:
        """Median score of each sample; where the prevalence is given, the odds are those under it."""
        found: FloatArray = table.scores.map(_median, None if self.prevalence is None else self._shift)
        return found

    def _combine(self, rows: Rows) -> FloatArray:
        return rows.map(combined, self.weights_, self.evaluation_.equal_weight)

    def predict_proba(self, X: Any) -> FloatArray:
        """Give the posterior probability of the two classes.

        It takes the prevalence into account, as `predict`, the maximum-likelihood label, does not.

        Parameters
        ----------
        X : table of shape (n_samples, n_methods)
            Scores by the methods of the fit, in the same order.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Probabilities of class 0 and of class 1.
        """
        rows = self._place(X)
        found = self.evaluation_
        if found.model == "calibrated" and found.n_labels == 0:
            shifts = None if self.prevalence is None else self._shift
            return self._read(X, reset=False).scores.map(_median_probability, shifts)
        levels = self._distribution.levels()
        belief = factor.belief(found.auroc - 0.5, found.prevalence, levels, found.consensus, found.consensus_share)
        return rows.map(_probability, belief)

    def suggest(self, n: int, X: Any = None, y: Any = None) -> npt.NDArray[np.int64]:
        """Choose samples to label next.

        They are spread evenly over the order of the combined score, so that every kind of sample is there and each
        counts as if drawn at random.

        Parameters
        ----------
        n : int
            How many.
        X : table of shape (n_samples, n_methods), optional
            Where to choose from; unless given, the samples of the fit without those whose labels it knew.
        y : array-like of shape (n_samples,), optional
            Labels that are known already (0 or 1; -1 for not known); these samples are left out.

        Returns
        -------
        ndarray of shape (n,)
            Row numbers, counted from 0; fewer than n where fewer are left.
        """
        check_is_fitted(self)
        checks.check_count("n", n, 0)
        score, labels, numbers = self._score_of_fit, self._labels_of_fit, self._numbers_of_fit
        if X is not None:
            candidates, numbers = self._place(X).spaced()
            score, labels = self._combine(candidates), None
        if y is not None:
            labels = checks.check_some_labels(np.asarray(y)[numbers], len(score))
        open_rows = np.arange(len(score)) if labels is None else np.flatnonzero(labels < 0)
        order = open_rows[np.argsort(score[open_rows], kind="stable")]
        n = min(n, len(order))
        return numbers[order[((np.arange(n) + 0.5) * len(order) / n).astype(int)]] if n else order[:0]

    def reveal(self, X: Any, y: Any) -> Evaluation:
        """Set the truth beside what was found, where labels have turned up.

        Parameters
        ----------
        X : table of shape (n_samples, n_methods)
            Scores by the methods of the fit, in the same order: those of the fit, or of other samples.
        y : array-like of shape (n_samples,)
            Labels, 0 or 1; samples whose label is -1 are left out.

        Returns
        -------
        Evaluation
            That of the fit, with its `truth`.

        Examples
        --------
        >>> import goldless as gl
        >>> data = gl.simulate(random_state=0)
        >>> found = gl.Summa().fit(data.scores).reveal(data.scores, data.labels)
        >>> bool(abs(found.auroc - found.truth.auroc).max() < 0.03)
        True
        """
        table = self._read(X, reset=False)
        checks.check_in_memory(table.scores, "reveal()")
        labels, scores = np.asarray(y), table.scores.z
        checks.check_length(labels, len(scores))
        known = labels != -1
        labels, found, rows = labels[known], self.evaluation_, self._place(X)
        checks.check_labels(labels, len(labels))
        sizes = found.pictures.growth.n_methods
        together = pictures.together(rows, found.auroc, found.weights, found.equal_weight, sizes)
        truth = Truth(
            n_samples=len(labels),
            prevalence=float(labels.mean()),
            auroc=auroc(labels, scores[known]),
            mean_rank=auroc(labels, rows.map(mean)[known]),
            growth=Growth(sizes, auroc(labels, together[known])),
            calibration=pictures.calibration(self.predict_proba(X)[known, 1], labels),
        )
        return replace(found, truth=truth)

    def leaderboard(self) -> Any:
        """Give the methods, best first, as a table of the library that the scores came in.

        Returns
        -------
        table
            Columns method, auroc, auroc_low, auroc_high, weight and coverage (the share of samples scored). A
            structured array where the scores came as an array.
        """
        check_is_fitted(self)
        return frames.build(self.evaluation_.leaderboard(), self._backend)


class WisdomOfCrowds(RankCombiner):
    """Combine methods by their mean normalised rank: every method counts the same.

    The paper's baseline. It judges nothing: use `Summa` for AUROCs.

    Attributes
    ----------
    weights_ : ndarray of shape (n_methods,)
        Equal weights that sum to 1.
    classes_ : ndarray
        The labels 0 and 1.
    n_features_in_ : int
        Number of methods.
    feature_names_in_ : ndarray of shape (n_methods,)
        Names of the methods, where the table has names.

    Examples
    --------
    >>> import goldless as gl
    >>> data = gl.simulate(random_state=0)
    >>> combined = gl.WisdomOfCrowds().fit(data.scores).decision_function(data.scores)
    >>> gl.metrics.auroc(data.labels, combined) > 0.85
    True
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn how each method's scores are distributed.

        Parameters
        ----------
        X : table of shape (n_samples, n_methods)
            Scores, higher for samples that are more likely positive; NaN where a method gave none.
        y : ignored
            There for scikit-learn's sake.

        Returns
        -------
        WisdomOfCrowds
            The fitted estimator.
        """
        rows, _ = self._learn_ranks(self._read(X, reset=True))
        self.weights_ = np.full(rows.n_methods, 1 / rows.n_methods)
        self._coverage = rows.sum(scored).share
        return self

    def _combine(self, rows: Rows) -> FloatArray:
        return rows.map(mean)

    def predict_proba(self, X: Any) -> FloatArray:
        """Give the mean rank as a share between 0 and 1; it is not calibrated to the prevalence.

        Parameters
        ----------
        X : table of shape (n_samples, n_methods)
            Scores by the methods of the fit, in the same order.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            1/2 minus, and 1/2 plus, the combined score.
        """
        return self._place(X).map(_mean_share)

    def leaderboard(self) -> Any:
        """Give the methods in the order of the columns, since none is judged better than another.

        Returns
        -------
        table
            Columns method, weight and coverage, in the library that the scores came in.
        """
        check_is_fitted(self)
        columns = {"method": self._names, "weight": self.weights_, "coverage": self._coverage}
        return frames.build(columns, self._backend)


def evaluate(X: Any, y: Any = None, **params: Any) -> Evaluation:
    """Judge methods without labels: the front door.

    Takes `model="auto"` and `refine="likelihood"` where nothing else is said: as much independence as the data bear.

    Parameters
    ----------
    X : table of shape (n_samples, n_methods)
        Scores, higher for samples that are more likely positive; NaN where a method gave none. An array, or a
        pandas, polars, Arrow or Dask table.
    y : array-like of shape (n_samples,), optional
        Labels as far as they are known: 0, 1, or -1 for not known.
    **params
        Parameters of `Summa`.

    Returns
    -------
    Evaluation
        Print it to read it.

    Examples
    --------
    >>> import goldless as gl
    >>> found = gl.evaluate(gl.simulate(n_methods=10, random_state=1).scores)
    >>> found.methods[:2]
    ('method0', 'method1')
    """
    settings = {"model": "auto", "refine": "likelihood", **params}
    evaluation: Evaluation = Summa(**settings).fit(X, y).evaluation_
    return evaluation


def diagnose(X: Any, **params: Any) -> Diagnosis:
    """Say whether methods err independently within the classes, without labels.

    Parameters
    ----------
    X : table of shape (n_samples, n_methods)
        Scores, higher for samples that are more likely positive; NaN where a method gave none.
    **params
        Parameters of `Summa`.

    Returns
    -------
    Diagnosis
        Print it to read it.

    Examples
    --------
    >>> import goldless as gl
    >>> alike = gl.simulate(groups=[range(30)], correlation=0.4, random_state=0)
    >>> gl.diagnose(alike.scores).finding
    'violated'
    >>> gl.diagnose(gl.simulate(random_state=0).scores).verdict
    'independence plausible'
    """
    diagnosis: Diagnosis = Summa(**params).fit(X).diagnosis_
    return diagnosis


def ranks_to_scores(ranks: Any) -> Any:
    """Turn ranks, 1 for the sample that is most likely positive, into scores.

    Parameters
    ----------
    ranks : table of shape (n_samples, n_methods)
        Ranks; NaN where a method gave none.

    Returns
    -------
    table
        Scores in the same library, higher for samples that are more likely positive.

    Examples
    --------
    >>> import goldless as gl
    >>> gl.ranks_to_scores([[1, 3], [2, 1], [3, 2]])
    array([[-1, -3],
           [-2, -1],
           [-3, -2]])
    """
    return frames.negated(ranks)


def _probability(z: FloatArray, belief: factor.Belief) -> FloatArray:
    return both(factor.positive(z, belief))


def _median(scores: FloatArray, shift: float | None) -> FloatArray:
    found = median(scores)
    return found if shift is None else shifted(found, shift)


def _median_probability(scores: FloatArray, shift: float | None) -> FloatArray:
    return both(_median(scores, shift))


def _mean_share(z: FloatArray) -> FloatArray:
    return both(0.5 + mean(z))
