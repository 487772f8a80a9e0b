"""The paper's rivals as scikit-learn faces: rules for votes, and the best method in hindsight."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import softmax
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from goldless import checks, frames, votes
from goldless.combiner import Combiner, RankCombiner
from goldless.ensemble import log_odds, max_entropy_posterior, posterior, score
from goldless.evaluation import Moments, Settings, duplicates, summa
from goldless.metrics import auroc
from goldless.moments import scored
from goldless.rank_one import chance_level
from goldless.ranks import FloatArray
from goldless.rows import Rows, hold


class VoteCombiner(Combiner):
    """What every rule for votes does alike: number the classes, weigh the votes, and give the caller's labels."""

    _accepts_sparse = True
    _most_classes = votes.MOST_CLASSES

    def _learn_votes(self, X: Any) -> Rows:
        """Read the table to fit, check it, and number its classes."""
        table = self._read(X, reset=True)
        checks.check_in_memory(table.scores, type(self).__name__)
        entries = table.scores
        checks.check_votes(entries, table.names, fewest=self._fewest_methods)
        self._values = votes.distinct(entries)
        checks.check_classes(self._values, self._most_classes)
        self.classes_ = _coding(self._values, truth_values=table.truth_values)
        self._names, self._backend = table.names, table.backend
        rows = hold(votes.encode(entries, self._values))
        self._counts = rows.sum(votes.count_votes, len(self._values)).counts
        self._coverage = self._counts.sum(axis=0) / rows.n_samples
        return rows

    def _weigh(self, X: Any, weights: FloatArray, prior: FloatArray) -> FloatArray:
        """Read new samples and sum the weights of their votes, for each class."""
        check_is_fitted(self)
        table = self._read(X, reset=False)
        checks.check_in_memory(table.scores, type(self).__name__)
        entries = table.scores
        checks.check_known_votes(entries, self._values, table.names)
        return hold(votes.encode(entries, self._values)).map(votes.evidence, weights) + votes.log_chance(prior)

    @abstractmethod
    def _evidence(self, X: Any) -> FloatArray:
        """Give the score of each class for each sample."""

    def decision_function(self, X: Any) -> FloatArray:
        """Combine the votes into scores.

        Parameters
        ----------
        X : table of shape (n_samples, n_methods)
            Votes by the methods of the fit, in the same order.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes one score, higher for samples that are more likely positive; else one for each class.
        """
        evidence = self._evidence(X)
        return evidence[:, 1] - evidence[:, 0] if evidence.shape[1] == 2 else evidence

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Label samples: the class of the highest score, and of several such the last in `classes_`.

        With two classes a tie is thus positive, as it is for `Summa`.

        Parameters
        ----------
        X : table of shape (n_samples, n_methods)
            Votes by the methods of the fit, in the same order.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels in the coding of the votes.
        """
        from_last = self._evidence(X)[:, ::-1].argmax(axis=1)
        return self.classes_[::-1][from_last]

    def predict_proba(self, X: Any) -> FloatArray:
        """Give the posterior probability of each class, by Bayes' rule.

        Parameters
        ----------
        X : table of shape (n_samples, n_methods)
            Votes by the methods of the fit, in the same order.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`.
        """
        return softmax(self._evidence(X), axis=1)

    @abstractmethod
    def _findings(self) -> dict[str, FloatArray]:
        """Give what the leaderboard says of each method; the first ranks them."""

    def leaderboard(self) -> Any:
        """Give the methods, best first, as a table of the library that the votes came in.

        Returns
        -------
        table
            The method, what was found out about it, and its coverage (the share of samples that it voted
            on). A structured array where the votes came as an array.
        """
        check_is_fitted(self)
        findings = self._findings() | {"coverage": self._coverage}
        best_first = np.argsort(-next(iter(findings.values())), kind="stable")
        columns = {name: values[best_first] for name, values in findings.items()}
        return frames.build({"method": [self._names[i] for i in best_first]} | columns, self._backend)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags


class MajorityVote(VoteCombiner):
    """Combine votes by majority: every vote counts the same.

    Of classes with equally many votes the last in `classes_` wins: with two classes the positive one.

    Attributes
    ----------
    weights_ : ndarray of shape (n_methods,)
        Equal weights that sum to 1.
    classes_ : ndarray of shape (n_classes,)
        The distinct votes, in the caller's coding, in rising order.
    n_features_in_ : int
        Number of methods.
    feature_names_in_ : ndarray of shape (n_methods,)
        Names of the methods, where the table has names.

    Examples
    --------
    >>> import goldless as gl
    >>> votes = [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    >>> model = gl.MajorityVote().fit(votes)
    >>> model.predict(votes)
    array([1, 0, 0])
    >>> model.predict_proba(votes)[:, 1].round(2)
    array([0.67, 0.33, 0.  ])
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what the methods vote for.

        Parameters
        ----------
        X : table of shape (n_samples, n_methods)
            Votes; NaN where a method gave none. An array, a pandas, polars or Arrow table, what `from_long` gives, or
            a SciPy sparse array, in which a stored entry, zeros too, is a vote and what is not stored is missing.
        y : ignored
            There for scikit-learn's sake.

        Returns
        -------
        MajorityVote
            The fitted estimator.
        """
        rows = self._learn_votes(X)
        self.weights_ = np.full(rows.n_methods, 1 / rows.n_methods)
        return self

    def _evidence(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        n_classes = len(self.classes_)
        return self._weigh(X, votes.equal_weights(len(self.weights_), n_classes), np.ones(n_classes))

    def _findings(self) -> dict[str, FloatArray]:
        return {"weight": self.weights_}

    def predict_proba(self, X: Any) -> FloatArray:
        """Give the share of the votes that each class has.

        Parameters
        ----------
        X : table of shape (n_samples, n_methods)
            Votes by the methods of the fit, in the same order.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Shares, in the order of `classes_`; equal ones for a sample without votes.
        """
        return votes.shares(self._evidence(X))


class WeightedVote(VoteCombiner):
    """Combine votes by the best rule for methods of known accuracy that err independently.

    A vote counts its log-odds. Give either the accuracies, or with two classes the sensitivities and specificities.

    Parameters
    ----------
    accuracy : array-like of shape (n_methods,), optional
        The chance that a method is right, in whatever class; its errors fall evenly on the other classes.
    sensitivity, specificity : array-like of shape (n_methods,), optional
        The chance that a method is right on positive and on negative samples.
    prevalence : float, optional
        Share of positive samples, with two classes; None counts all classes as equally common.

    Attributes
    ----------
    weights_ : ndarray of shape (n_methods,)
        The log-odds of each method's accuracy, or the mean of those of its sensitivity and specificity.
    classes_ : ndarray of shape (n_classes,)
        The distinct votes, in the caller's coding, in rising order.
    n_features_in_ : int
        Number of methods.
    feature_names_in_ : ndarray of shape (n_methods,)
        Names of the methods, where the table has names.

    Examples
    --------
    >>> import goldless as gl
    >>> votes = [[1, 0, 0], [0, 1, 1], [1, 1, 0]]
    >>> gl.WeightedVote(accuracy=[0.9, 0.6, 0.6]).fit(votes).predict(votes)
    array([1, 0, 1])
    """

    def __init__(
        self,
        accuracy: Any = None,
        sensitivity: Any = None,
        specificity: Any = None,
        prevalence: float | None = None,
    ) -> None:
        self.accuracy = accuracy
        self.sensitivity = sensitivity
        self.specificity = specificity
        self.prevalence = prevalence

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what the methods vote for.

        Parameters
        ----------
        X : table of shape (n_samples, n_methods)
            Votes; NaN where a method gave none. An array, a pandas, polars or Arrow table, what `from_long` gives, or
            a SciPy sparse array, in which a stored entry, zeros too, is a vote and what is not stored is missing.
        y : ignored
            There for scikit-learn's sake.

        Returns
        -------
        WeightedVote
            The fitted estimator.
        """
        rows = self._learn_votes(X)
        given = {"accuracy": self.accuracy, "sensitivity": self.sensitivity, "specificity": self.specificity}
        rates = {name: np.asarray(rate, dtype=float) for name, rate in given.items() if rate is not None}
        n_classes = len(self.classes_)
        checks.check_prevalence(self.prevalence)
        checks.check_rates(rates, rows.n_methods, n_classes, self.prevalence)
        if "accuracy" in rates:
            self._confusion = votes.symmetric_confusion(rates["accuracy"], n_classes)
        else:
            self._confusion = votes.binary_confusion(**rates)
        rho = self.prevalence
        self._prior = np.full(n_classes, 1 / n_classes) if rho is None else np.array([1 - rho, rho])
        self.weights_ = votes.swing(self._confusion)
        return self

    def _evidence(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        return self._weigh(X, votes.log_weights(self._confusion), self._prior)

    def _findings(self) -> dict[str, FloatArray]:
        return {"weight": self.weights_}


class SpectralMetaLearner(VoteCombiner):
    """Judge methods that vote between two classes, without labels, and combine them: the spectral meta-learner.

    It is `Summa` on votes: the AUROC of a method that votes is its balanced accuracy. The third moment adds the
    prevalence, and the shares of positive votes then give sensitivity and specificity. Rests on the assumptions of
    `Summa`: within each class the methods err independently, and taken together they are better than random.

    The combined score is the sum of the votes, -1 and 1, times the weights, as published. It orders samples with all
    votes as `Summa` does, but its label is that of the heavier votes, where `Summa` asks which votes are more than
    usual. `predict_proba` knows how often each method votes for each class.

    Parameters
    ----------
    prevalence : float, optional
        Share of positive samples, if it is known; None estimates it.

    Attributes
    ----------
    balanced_accuracy_, sensitivity_, specificity_ : ndarray of shape (n_methods,)
        Estimated rates of each method.
    prevalence_ : float
        Estimated, or given, prevalence.
    weights_ : ndarray of shape (n_methods,)
        Weight of each method in the combined score: the leading vector.
    n_iter_ : int
        Steps of the solver.
    converged_ : bool
        Whether the solver settled.
    classes_ : ndarray of shape (2,)
        The two votes, in the caller's coding; the larger one is positive.
    n_features_in_ : int
        Number of methods.
    feature_names_in_ : ndarray of shape (n_methods,)
        Names of the methods, where the table has names.

    References
    ----------
    Parisi, Strino, Nadler, Kluger: Ranking and combining multiple predictors without labeled data. PNAS 111 (2014).
    Jaffe, Nadler, Kluger: Estimating the accuracies of multiple classifiers without labeled data. AISTATS (2015).

    Examples
    --------
    >>> import goldless as gl
    >>> data = gl.simulate(auroc=(0.6, 0.9), random_state=0)
    >>> votes = data.scores > 0.5
    >>> model = gl.SpectralMetaLearner().fit(votes)
    >>> truth = gl.metrics.balanced_accuracy(data.labels, votes)
    >>> bool(abs(model.balanced_accuracy_ - truth).max() < 0.05)
    True
    """

    _fewest_methods = 3
    _most_classes = 2

    def __init__(self, prevalence: float | None = None) -> None:
        self.prevalence = prevalence

    def fit(self, X: Any, y: Any = None) -> Self:
        """Judge the methods by their votes.

        Parameters
        ----------
        X : table of shape (n_samples, n_methods)
            Votes; NaN where a method gave none. An array, a pandas, polars or Arrow table, what `from_long` gives, or
            a SciPy sparse array, in which a stored entry, zeros too, is a vote and what is not stored is missing.
        y : ignored
            There for scikit-learn's sake.

        Returns
        -------
        SpectralMetaLearner
            The fitted estimator.
        """
        checks.check_prevalence(self.prevalence)
        rows = self._learn_votes(X)
        share = self._counts[1] / self._counts.sum(axis=0)
        found = _summa(rows, share, self.prevalence)
        pairs = duplicates(found.second, self._names)
        checks.warn_about_votes(rows.n_samples, pairs, chance_level(found.second.counts), found.fit)
        self.balanced_accuracy_ = 0.5 + found.delta
        self.prevalence_ = found.prevalence.rho
        self.weights_ = found.fit.v
        self.n_iter_ = found.fit.n_iter
        self.converged_ = found.fit.converged
        self.sensitivity_, self.specificity_ = votes.binary_rates(found.delta, share, self.prevalence_)
        return self

    def _evidence(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        return self._weigh(X, votes.signed_weights(self.weights_), np.ones(2))

    def predict_proba(self, X: Any) -> FloatArray:
        """Give the posterior probability of the two classes, by Bayes' rule from the rates and the prevalence.

        It takes into account the prevalence, and how often a method votes for each class, as `predict` does not.

        Parameters
        ----------
        X : table of shape (n_samples, n_methods)
            Votes by the methods of the fit, in the same order.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Probabilities, in the order of `classes_`.
        """
        check_is_fitted(self)
        confusion = votes.binary_confusion(self.sensitivity_, self.specificity_)
        prior = np.array([1 - self.prevalence_, self.prevalence_])
        return softmax(self._weigh(X, votes.log_weights(confusion), prior), axis=1)

    def _findings(self) -> dict[str, FloatArray]:
        return {
            "balanced_accuracy": self.balanced_accuracy_,
            "sensitivity": self.sensitivity_,
            "specificity": self.specificity_,
            "weight": self.weights_,
        }


class DawidSkene(VoteCombiner):
    """Judge methods that vote between classes, without labels, and combine them: Dawid and Skene's EM.

    Rests on the assumption that within each class the methods err independently.

    Parameters
    ----------
    start : {"majority", "sml", "random"} or array-like of shape (n_samples, n_classes)
        Where EM starts: from the shares of the votes, from what `SpectralMetaLearner` finds (two classes, at least
        three methods), from methods that are right more often than chance would have it, at random, or from the class
        probabilities that are given.
    n_restarts : int
        How many random starts are tried; the likeliest result is kept.
    smoothing : float
        Every method is credited with this many more votes in every class, spread evenly over what it can vote (a
        Dirichlet prior with parameters 1 + smoothing / n_classes on the rows of `confusion_`). 0 gives the maximum of
        the likelihood.
    random_state : int, RandomState instance or None
        Seed of the random starts.

    Attributes
    ----------
    confusion_ : ndarray of shape (n_methods, n_classes, n_classes)
        The chance that a method votes for a class (last index) on samples of a class (middle index).
    class_prior_ : ndarray of shape (n_classes,)
        Share of each class.
    balanced_accuracy_ : ndarray of shape (n_methods,)
        Mean over classes of the chance that a method is right.
    sensitivity_, specificity_ : ndarray of shape (n_methods,)
        With two classes: the chance to be right on positive and on negative samples.
    prevalence_ : float
        With two classes: the share of positive samples.
    weights_ : ndarray of shape (n_methods,)
        With two classes: half of what the vote of a method moves the log-odds.
    log_likelihoods_ : ndarray of shape (n_iter_,)
        Log-likelihood of the votes, that of the smoothing prior included, at each step; it never falls.
    log_likelihood_ : float
        The last of them.
    n_iter_ : int
        Steps of EM.
    converged_ : bool
        Whether EM settled.
    classes_ : ndarray of shape (n_classes,)
        The distinct votes, in the caller's coding, in rising order.
    n_features_in_ : int
        Number of methods.
    feature_names_in_ : ndarray of shape (n_methods,)
        Names of the methods, where the table has names.

    References
    ----------
    Dawid, Skene: Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm. Applied Statistics 28
    (1979).

    Examples
    --------
    >>> import goldless as gl
    >>> data = gl.simulate(auroc=(0.6, 0.9), prevalence=0.3, random_state=0)
    >>> votes = data.scores > 0.5
    >>> model = gl.DawidSkene().fit(votes)
    >>> round(model.prevalence_, 1)
    0.3
    >>> bool(abs(model.balanced_accuracy_ - gl.metrics.balanced_accuracy(data.labels, votes)).max() < 0.02)
    True
    """

    def __init__(
        self, start: Any = "majority", n_restarts: int = 10, smoothing: float = 1.0, random_state: Any = None
    ) -> None:
        self.start = start
        self.n_restarts = n_restarts
        self.smoothing = smoothing
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Judge the methods by their votes.

        Parameters
        ----------
        X : table of shape (n_samples, n_methods)
            Votes; NaN where a method gave none. An array, a pandas, polars or Arrow table, what `from_long` gives, or
            a SciPy sparse array, in which a stored entry, zeros too, is a vote and what is not stored is missing.
        y : array-like of shape (n_samples,), optional
            Known labels in the coding of the votes, -1 (or NaN) where unknown. They are held fixed.

        Returns
        -------
        DawidSkene
            The fitted estimator.
        """
        checks.check_at_least("smoothing", self.smoothing, 0)
        checks.check_at_least("n_restarts", self.n_restarts, 1)
        rows = self._learn_votes(X)
        labels = np.full(rows.n_samples, np.nan) if y is None else _labels(y)
        checks.check_known_labels(labels, self._values, rows.n_samples)
        known = votes.encode(labels, self._values)
        data = votes.append_known(rows, known) if (known >= 0).any() else rows
        fits = [votes.dawid_skene(data, start, smoothing=self.smoothing) for start in self._starts(rows, data)]
        best = max(fits, key=lambda fit: fit.log_likelihoods[-1])
        self._name(best)
        checks.warn_unless_settled(self.n_iter_, self.converged_)
        return self

    def _starts(self, rows: Rows, data: Rows) -> list[votes.Abilities]:
        """Give the abilities that EM starts from; `data` are the votes with the known labels."""
        n_methods, n_classes = rows.n_methods, len(self.classes_)
        if not isinstance(self.start, str):
            posterior = np.asarray(self.start, dtype=float)
            checks.check_start(posterior, (rows.n_samples, n_classes))
            return [votes.given_start(data, posterior, n_methods, self.smoothing)]
        checks.check_choice("start", self.start, ("majority", "sml", "random"))
        if self.start == "majority":
            return [votes.majority_start(data, n_methods, n_classes, self.smoothing)]
        if self.start == "sml":
            return [self._spectral_start(rows)]
        random = check_random_state(self.random_state)
        accuracies = random.uniform(1 / n_classes, 1, size=(self.n_restarts, n_methods))
        prior = np.full(n_classes, 1 / n_classes)
        return [votes.Abilities(prior, votes.symmetric_confusion(accuracy, n_classes)) for accuracy in accuracies]

    def _spectral_start(self, rows: Rows) -> votes.Abilities:
        checks.check_spectral_start(rows.n_methods, len(self.classes_))
        share = self._counts[1] / self._counts.sum(axis=0)
        found = _summa(rows, share, None)
        rho = found.prevalence.rho
        return votes.Abilities(
            np.array([1 - rho, rho]), votes.binary_confusion(*votes.binary_rates(found.delta, share, rho))
        )

    def _name(self, fit: votes.Fit) -> None:
        """Name the attributes."""
        self.confusion_, self.class_prior_ = fit.abilities.confusion, fit.abilities.prior
        self.log_likelihoods_, self.log_likelihood_ = fit.log_likelihoods, float(fit.log_likelihoods[-1])
        self.n_iter_, self.converged_ = len(fit.log_likelihoods), fit.converged
        right = np.diagonal(self.confusion_, axis1=1, axis2=2)
        self.balanced_accuracy_ = right.mean(axis=1)
        if len(self.classes_) == 2:
            self.specificity_, self.sensitivity_ = right.T
            self.prevalence_ = float(self.class_prior_[1])
            self.weights_ = votes.swing(self.confusion_)

    def _evidence(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        return self._weigh(X, votes.log_weights(self.confusion_), self.class_prior_)

    def _findings(self) -> dict[str, FloatArray]:
        found = {"balanced_accuracy": self.balanced_accuracy_}
        if len(self.classes_) == 2:
            found |= {"sensitivity": self.sensitivity_, "specificity": self.specificity_, "weight": self.weights_}
        return found


class BestMethod(RankCombiner):
    """Pick the best single method by its labels: the oracle that the paper compares with.

    It NEEDS LABELS, so it is no rule to use where there are none, but a bar for the rules that do without. It takes
    scores as well as votes.

    Parameters
    ----------
    y : array-like of shape (n_samples,), optional
        Labels 0 and 1, -1 where unknown. `fit` takes them too.

    Attributes
    ----------
    best_ : int
        The column of the method of the highest AUROC (for votes: balanced accuracy) on the labelled samples.
    auroc_ : ndarray of shape (n_methods,)
        AUROC of each method on the labelled samples; NaN where it scored none of one class.
    prevalence_ : float
        Share of positives among the labelled samples.
    weights_ : ndarray of shape (n_methods,)
        1 for the best method, 0 for the others.
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
    >>> best = gl.BestMethod(data.labels).fit(data.scores)
    >>> found = gl.Summa().fit(data.scores)  # no labels
    >>> bool(best.auroc_.max() < gl.metrics.auroc(data.labels, found.decision_function(data.scores)))
    True
    """

    def __init__(self, y: Any = None) -> None:
        self.y = y

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the best method.

        Parameters
        ----------
        X : table of shape (n_samples, n_methods)
            Scores or votes, higher for samples that are more likely positive; NaN where a method gave none.
        y : array-like of shape (n_samples,), optional
            Labels 0 and 1, -1 where unknown; those given to the constructor where there are none here.

        Returns
        -------
        BestMethod
            The fitted estimator.
        """
        given = self.y if y is None else y
        table = self._read(X, reset=True)
        checks.check_in_memory(table.scores, type(self).__name__)
        rows, _ = self._learn_ranks(table)
        labels = checks.check_labels_known(given, rows.n_samples)
        known = labels >= 0
        with np.errstate(invalid="ignore"):  # a method that scored none of one class
            self.auroc_ = auroc(labels[known], table.scores.z[known])
        checks.check_judged(self.auroc_)
        self.best_ = int(np.nanargmax(self.auroc_))
        self.prevalence_ = float(labels[known].mean())
        self.weights_ = np.eye(rows.n_methods)[self.best_]
        self._coverage = rows.sum(scored).share
        return self

    def _combine(self, rows: Rows) -> FloatArray:
        return rows.map(score, self.weights_)

    def predict_proba(self, X: Any) -> FloatArray:
        """Give the posterior probability of the two classes by the best method.

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
        delta = np.where(self.weights_ > 0, self.auroc_ - 0.5, 0.0)
        a, b = max_entropy_posterior(delta, self.prevalence_, *self._distribution.levels())
        return posterior(rows.map(log_odds, a, b, self.prevalence_))

    def leaderboard(self) -> Any:
        """Give the methods, best first, as a table of the library that the scores came in.

        Returns
        -------
        table
            Columns method, auroc, weight and coverage (the share of samples scored).
        """
        check_is_fitted(self)
        best_first = np.argsort(-self.auroc_, kind="stable")
        found = {"auroc": self.auroc_, "weight": self.weights_, "coverage": self._coverage}
        columns = {name: values[best_first] for name, values in found.items()}
        return frames.build({"method": [self._names[i] for i in best_first]} | columns, self._backend)


def _summa(rows: Rows, share: FloatArray, prevalence: float | None) -> Moments:
    """SUMMA on the midranks of votes of two classes."""
    return summa(hold(rows.map(votes.midranks, share)), Settings(prevalence))


def _labels(y: Any) -> FloatArray:
    """Give labels as numbers, NaN where they are missing."""
    return checks.check_numbers(frames.as_array(y), "Labels in y").astype(float)


def _coding(values: FloatArray, *, truth_values: bool) -> npt.NDArray[Any]:
    """Give the classes as the caller codes them; whole numbers that a missing value made floats are whole again."""
    if truth_values:
        return values.astype(bool)
    return values.astype(int) if np.all(values == np.round(values)) else values
