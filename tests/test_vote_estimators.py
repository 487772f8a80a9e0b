import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import goldless as gl

GOLDEN = json.loads((Path(__file__).parent / "golden" / "crowdkit.json").read_text())

CODING = "the check hands in votes of many kinds, and this rule takes two"
FEW = "the check fits fewer than 3 methods, which cannot be judged without labels"
NOTHING = "the check stores what is not zero, and leaves samples without votes"
UNSEEN = "the check fits votes of some kinds and predicts from others"
CLASSES = "the check has labels for classes that nobody votes for"
ONE_RATE_EACH = "the check fits other numbers of methods than there are accuracies"
TWO_LABELS = "the check has labels of three classes"
SPARSE = {
    "check_estimator_sparse_array": NOTHING,
    "check_estimator_sparse_matrix": NOTHING,
    "check_estimator_sparse_tag": NOTHING,
}
EXPECTED = {
    "MajorityVote": SPARSE,
    "SpectralMetaLearner": SPARSE
    | dict.fromkeys(
        [
            "check_dict_unchanged",
            "check_dont_overwrite_parameters",
            "check_estimators_dtypes",
            "check_f_contiguous_array_estimator",
            "check_fit2d_predict1d",
            "check_methods_sample_order_invariance",
            "check_methods_subset_invariance",
            "check_n_features_in_after_fitting",
            "check_positive_only_tag_during_fit",
        ],
        CODING,
    )
    | dict.fromkeys(
        [
            "check_estimators_fit_returns_self",
            "check_estimators_overwrite_params",
            "check_fit2d_1feature",
            "check_fit_check_is_fitted",
            "check_fit_idempotent",
            "check_n_features_in",
            "check_readonly_memmap_input",
        ],
        FEW,
    ),
    "DawidSkene": SPARSE
    | dict.fromkeys(
        ["check_dtype_object", "check_fit_score_takes_y", "check_positive_only_tag_during_fit"],
        CLASSES,
    ),
    "WeightedVote": SPARSE
    | dict.fromkeys(
        [
            "check_dict_unchanged",
            "check_dont_overwrite_parameters",
            "check_dtype_object",
            "check_estimators_dtypes",
            "check_estimators_pickle",
            "check_f_contiguous_array_estimator",
            "check_fit2d_1feature",
            "check_fit2d_predict1d",
            "check_fit_score_takes_y",
            "check_methods_sample_order_invariance",
            "check_methods_subset_invariance",
            "check_n_features_in_after_fitting",
            "check_pipeline_consistency",
            "check_positive_only_tag_during_fit",
        ],
        ONE_RATE_EACH,
    ),
    "BestMethod": dict.fromkeys(
        [
            "check_dict_unchanged",
            "check_dont_overwrite_parameters",
            "check_dtype_object",
            "check_estimators_dtypes",
            "check_estimators_fit_returns_self",
            "check_estimators_overwrite_params",
            "check_f_contiguous_array_estimator",
            "check_fit2d_1feature",
            "check_fit2d_predict1d",
            "check_fit_score_takes_y",
            "check_methods_sample_order_invariance",
            "check_methods_subset_invariance",
            "check_n_features_in_after_fitting",
            "check_positive_only_tag_during_fit",
            "check_readonly_memmap_input",
        ],
        TWO_LABELS,
    ),
}


@pytest.mark.filterwarnings("ignore::goldless.errors.GoldlessWarning", "ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        gl.MajorityVote(),
        gl.SpectralMetaLearner(),
        gl.DawidSkene(),
        gl.WeightedVote(accuracy=np.array([0.7, 0.8])),
        gl.BestMethod(),
    ],
    expected_failed_checks=lambda estimator: EXPECTED[type(estimator).__name__],
)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    return gl.simulate(n_samples=2000, n_methods=10, auroc=(0.6, 0.9), prevalence=0.3, random_state=0)


@pytest.fixture(scope="module")
def ballots(data):
    return (data.scores > 0.5).astype(int)


def rules(data):
    return [
        gl.MajorityVote(),
        gl.WeightedVote(accuracy=data.auroc),
        gl.SpectralMetaLearner(),
        gl.DawidSkene(),
    ]


def rates(data, ballots):
    return ballots[data.labels == 1].mean(axis=0), 1 - ballots[data.labels == 0].mean(axis=0)


@pytest.mark.parametrize("number", range(4))
class TestEveryRule:
    @pytest.mark.parametrize("coding", [(0, 1), (-1, 1), (False, True), (2.0, 5.5)])
    def test_labels_come_in_the_coding_of_the_votes(self, data, ballots, number, coding):
        rule, plain = rules(data)[number], rules(data)[number].fit(ballots)
        coded = np.array(coding)[ballots]
        rule.fit(coded)
        assert rule.classes_.tolist() == list(coding)
        assert rule.classes_.dtype == coded.dtype
        np.testing.assert_array_equal(rule.predict(coded), np.array(coding)[plain.predict(ballots)])
        np.testing.assert_allclose(rule.predict_proba(coded), plain.predict_proba(ballots))

    @pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
    def test_every_library_gives_the_same_answer(self, data, ballots, number, make):
        rule, plain = rules(data)[number], rules(data)[number].fit(ballots)
        table = make({f"judge {i}": ballots[:, i] for i in range(10)})
        rule.fit(table)
        np.testing.assert_array_equal(rule.predict_proba(table), plain.predict_proba(ballots))
        assert rule.feature_names_in_.tolist() == [f"judge {i}" for i in range(10)]
        board = rule.leaderboard()
        assert isinstance(board, type(table))
        assert str(board["method"][0]).startswith("judge")

    @pytest.mark.parametrize("form", [csr_array, csr_matrix])
    def test_sparse_votes_are_the_dense_ones(self, data, ballots, number, form):
        missing = np.random.default_rng(0).random(ballots.shape) < 0.7
        missing[:, 0] = False
        dense = np.where(missing, np.nan, ballots)
        sparse = form((ballots[~missing], np.nonzero(~missing)), shape=ballots.shape)
        assert sparse.nnz == np.sum(~missing)
        one, two = rules(data)[number].fit(dense), rules(data)[number].fit(sparse)
        np.testing.assert_allclose(one.decision_function(dense), two.decision_function(sparse), atol=1e-8)
        np.testing.assert_array_equal(one.leaderboard()["coverage"], two.leaderboard()["coverage"])

    def test_probabilities_labels_and_scores_agree(self, data, ballots, number):
        rule = rules(data)[number].fit(ballots)
        probability, score = rule.predict_proba(ballots), rule.decision_function(ballots)
        np.testing.assert_allclose(probability.sum(axis=1), 1)
        np.testing.assert_array_equal(rule.predict(ballots), (score >= 0).astype(int))
        assert gl.metrics.auroc(data.labels, score) > 0.9

    def test_new_samples_may_lack_votes(self, data, ballots, number):
        rule = rules(data)[number].fit(ballots)
        some = ballots[:3].astype(float)
        some[0, 4:] = np.nan
        some[1] = np.nan
        prior = getattr(rule, "prevalence_", 0.5)
        assert rule.predict_proba(some)[1, 1] == pytest.approx(prior)
        assert np.isfinite(rule.decision_function(some)).all()

    def test_methods_may_come_in_any_order(self, data, ballots, number):
        order = np.random.default_rng(1).permutation(10)
        shuffled = clone(rules(data)[number])
        if number == 1:
            shuffled.set_params(accuracy=data.auroc[order])
        np.testing.assert_allclose(
            shuffled.fit(ballots[:, order]).decision_function(ballots[:, order]),
            rules(data)[number].fit(ballots).decision_function(ballots),
            atol=1e-4,
        )

    def test_pickles(self, data, ballots, number):
        rule = rules(data)[number].fit(ballots)
        again = pickle.loads(pickle.dumps(rule))
        np.testing.assert_array_equal(again.predict_proba(ballots), rule.predict_proba(ballots))

    def test_unfitted(self, data, ballots, number):
        for use in (lambda rule: rule.leaderboard(), lambda rule: rule.predict(ballots)):
            with pytest.raises(NotFittedError):
                use(rules(data)[number])

    def test_the_votes_are_not_changed(self, data, ballots, number):
        before = ballots.copy()
        rules(data)[number].fit(ballots).predict(ballots)
        np.testing.assert_array_equal(ballots, before)


def test_majority_vote_counts_and_breaks_ties_for_the_last_class():
    ballots = np.array([["0", "1", "2", "2"], ["0", "0", "1", "1"], ["0", "2", "0", "2"], ["1", "1", "0", "nan"]])
    ballots = ballots.astype(float)
    rule = gl.MajorityVote().fit(ballots)
    np.testing.assert_array_equal(rule.predict(ballots), [2, 1, 2, 1])
    np.testing.assert_allclose(rule.predict_proba(ballots)[3], [1 / 3, 2 / 3, 0])
    np.testing.assert_allclose(rule.decision_function(ballots), [[1, 1, 2], [2, 2, 0], [2, 0, 2], [1, 2, 0]])


def test_weighted_vote_is_the_likelihood_ratio():
    ballots = np.array([[1, 0, 1], [0, 1, 1], [0, 0, 0]])
    sensitivity, specificity = np.array([0.9, 0.6, 0.7]), np.array([0.8, 0.7, 0.5])
    rule = gl.WeightedVote(sensitivity=sensitivity, specificity=specificity, prevalence=0.2).fit(ballots)
    positive = 0.2 * np.prod(np.where(ballots == 1, sensitivity, 1 - sensitivity), axis=1)
    negative = 0.8 * np.prod(np.where(ballots == 1, 1 - specificity, specificity), axis=1)
    np.testing.assert_allclose(rule.predict_proba(ballots)[:, 1], positive / (positive + negative))
    np.testing.assert_allclose(rule.decision_function(ballots), np.log(positive / negative))


def test_weighted_vote_beats_majority_where_accuracies_differ(data, ballots):
    weighted = gl.WeightedVote(**dict(zip(("sensitivity", "specificity"), rates(data, ballots), strict=True)))
    scores = [rule.fit(ballots).decision_function(ballots) for rule in (weighted, gl.MajorityVote())]
    better, worse = (gl.metrics.auroc(data.labels, score) for score in scores)
    assert better > worse + 0.005
    assert weighted.weights_.argmax() == np.argmax(np.sum(rates(data, ballots), axis=0))


@pytest.mark.parametrize("prevalence", [None, 0.3])
def test_the_spectral_meta_learner_is_summa(data, ballots, prevalence):
    spectral = gl.SpectralMetaLearner(prevalence).fit(ballots)
    summa = gl.Summa(prevalence).fit(ballots)
    assert spectral.prevalence_ == pytest.approx(summa.prevalence_, rel=1e-10)
    np.testing.assert_allclose(spectral.balanced_accuracy_, summa.auroc_, rtol=1e-10)
    np.testing.assert_allclose(spectral.weights_, summa.weights_, rtol=1e-8)
    # f = ±1 is 4 z + 2π - 1, so that the scores differ by their scale and a constant.
    shift = (2 * ballots.mean(axis=0) - 1) @ summa.weights_
    np.testing.assert_allclose(spectral.decision_function(ballots), 4 * summa.decision_function(ballots) + shift)
    np.testing.assert_allclose(spectral.predict_proba(ballots), summa.predict_proba(ballots), atol=1e-3)


def test_the_label_of_the_spectral_meta_learner_is_that_of_the_heavier_votes(ballots):
    spectral = gl.SpectralMetaLearner().fit(ballots)
    heavier = np.sign(np.where(ballots == 1, 1, -1) @ spectral.weights_)
    np.testing.assert_array_equal(spectral.predict(ballots), heavier > 0)


@pytest.mark.parametrize("rule", [gl.SpectralMetaLearner(), gl.DawidSkene(), gl.DawidSkene("sml")], ids=str)
def test_the_rates_are_found_without_labels(data, ballots, rule):
    rule.fit(ballots)
    sensitivity, specificity = rates(data, ballots)
    np.testing.assert_allclose(rule.sensitivity_, sensitivity, atol=0.09)
    np.testing.assert_allclose(rule.specificity_, specificity, atol=0.06)
    np.testing.assert_allclose(rule.balanced_accuracy_, (sensitivity + specificity) / 2, atol=0.05)
    assert rule.prevalence_ == pytest.approx(0.3, abs=0.06)
    board = rule.leaderboard()
    assert board.dtype.names == ("method", "balanced_accuracy", "sensitivity", "specificity", "weight", "coverage")
    assert np.all(np.diff(board["balanced_accuracy"]) <= 0)


def test_the_prevalence_may_be_known(ballots):
    assert gl.SpectralMetaLearner(prevalence=0.25).fit(ballots).prevalence_ == 0.25


def test_a_method_that_always_votes_alike_is_near_one_half(ballots):
    stubborn = np.column_stack([ballots, np.ones(len(ballots), dtype=int)])
    assert gl.SpectralMetaLearner().fit(stubborn).balanced_accuracy_[-1] == pytest.approx(0.5, abs=0.02)
    assert gl.DawidSkene().fit(stubborn).balanced_accuracy_[-1] == pytest.approx(0.5, abs=0.01)


def test_the_likelihood_of_dawid_skene_rises_to_what_is_reported(ballots):
    rule = gl.DawidSkene().fit(ballots)
    assert rule.converged_
    assert len(rule.log_likelihoods_) == rule.n_iter_
    assert rule.log_likelihood_ == rule.log_likelihoods_[-1] == max(rule.log_likelihoods_)


def test_every_start_of_dawid_skene_arrives_where_the_votes_are_clear(data, ballots):
    majority = gl.DawidSkene().fit(ballots)
    probabilities = gl.SpectralMetaLearner().fit(ballots).predict_proba(ballots)
    starts = ["sml", "random", probabilities]
    for start in starts:
        other = gl.DawidSkene(start, random_state=0, n_restarts=3).fit(ballots)
        np.testing.assert_allclose(other.confusion_, majority.confusion_, atol=1e-3)


def test_the_likeliest_restart_is_kept():
    random = np.random.default_rng(5)
    ballots = random.integers(0, 2, (40, 4))
    many = gl.DawidSkene("random", n_restarts=20, smoothing=0.1, random_state=0).fit(ballots)
    one = gl.DawidSkene("random", n_restarts=1, smoothing=0.1, random_state=0).fit(ballots)
    assert many.log_likelihood_ > one.log_likelihood_


def test_random_starts_follow_the_seed(ballots):
    one, two = (gl.DawidSkene("random", n_restarts=2, random_state=3).fit(ballots) for _ in range(2))
    np.testing.assert_array_equal(one.confusion_, two.confusion_)


@pytest.mark.parametrize("unknown", [-1, np.nan])
def test_known_labels_of_dawid_skene(data, ballots, unknown):
    few = np.where(np.arange(2000) < 1000, data.labels, unknown)
    helped, alone = gl.DawidSkene().fit(ballots, few), gl.DawidSkene().fit(ballots)
    truth = np.mean(rates(data, ballots), axis=0)
    errors = [np.abs(rule.balanced_accuracy_ - truth).mean() for rule in (helped, alone)]
    assert errors[0] < errors[1]
    every = gl.DawidSkene(smoothing=0).fit(ballots, data.labels)
    np.testing.assert_allclose(every.balanced_accuracy_, truth, rtol=1e-10)
    assert every.prevalence_ == pytest.approx(0.3)


def test_smoothing_keeps_rates_from_the_edge():
    ballots = np.array([[1, 1, 1], [0, 0, 0], [1, 1, 1], [0, 0, 1]])
    assert gl.DawidSkene(smoothing=0).fit(ballots).sensitivity_.max() == pytest.approx(1)
    assert gl.DawidSkene(smoothing=2).fit(ballots).sensitivity_.max() < 0.9


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["name"])
def test_agrees_with_crowd_kit(case):
    long = pd.DataFrame(case["votes"], columns=["task", "worker", "label"])
    wide = gl.from_long(long, sample="task", method="worker", value="label")
    wide = wide[sorted(wide.columns, key=int)]
    majority, skene = gl.MajorityVote().fit(wide), gl.DawidSkene(smoothing=0).fit(wide)
    np.testing.assert_allclose(majority.predict_proba(wide), case["majority_vote"], atol=1e-5)
    np.testing.assert_allclose(skene.predict_proba(wide), case["dawid_skene"], atol=1e-3)
    np.testing.assert_allclose(skene.class_prior_, case["prior"], atol=1e-3)
    np.testing.assert_allclose(skene.confusion_, case["confusion"], atol=1e-3)


def test_crowds_are_judged_as_well_as_the_votes_allow(shared):
    table = pd.read_csv(shared / "real" / "crowd_bluebird.csv.gz")
    labels = table.pop("label").to_numpy()
    accuracy = {
        rule: np.mean(rule.fit(table).predict(table) == labels) for rule in (gl.MajorityVote(), gl.DawidSkene())
    }
    assert min(accuracy.values()) > 0.7
    assert max(accuracy.values()) > 0.85


def test_the_best_method_needs_labels_and_is_the_best(data):
    best = gl.BestMethod(data.labels).fit(data.scores)
    truth = gl.metrics.auroc(data.labels, data.scores)
    np.testing.assert_allclose(best.auroc_, truth)
    assert best.best_ == truth.argmax()
    assert gl.metrics.auroc(data.labels, best.decision_function(data.scores)) == pytest.approx(truth.max())
    assert gl.metrics.auroc(data.labels, best.predict_proba(data.scores)[:, 1]) == pytest.approx(truth.max())
    assert best.leaderboard()["method"][0] == f"method{truth.argmax()}"
    assert best.leaderboard()["weight"].tolist() == [1] + [0] * 9


def test_the_best_method_of_votes_gives_its_votes(data, ballots):
    best = gl.BestMethod(data.labels).fit(ballots)
    np.testing.assert_array_equal(best.predict(ballots), ballots[:, best.best_])


def test_the_best_method_may_know_some_labels(data):
    some = np.where(np.arange(2000) % 3 == 0, data.labels, -1)
    scores = data.scores.copy()
    scores[some == 1, 0] = np.nan
    best = gl.BestMethod().fit(scores, some)
    truth = gl.metrics.auroc(data.labels[::3], data.scores[::3])
    np.testing.assert_allclose(best.auroc_[1:], truth[1:])
    assert np.isnan(best.auroc_[0])
    assert best.leaderboard()["method"][-1] == "method0"


def test_weights_of_more_than_two_classes():
    votes = np.random.default_rng(0).integers(0, 4, (60, 8))
    accuracy = np.linspace(0.3, 0.9, 8)
    model = gl.WeightedVote(accuracy=accuracy).fit(votes)
    np.testing.assert_allclose(model.weights_, np.log(accuracy / ((1 - accuracy) / 3)))
    assert model.leaderboard()["method"][0] == "method7"


def test_minus_one_is_a_label_where_nan_marks_the_unknown():
    data = gl.simulate(300, 5, auroc=(0.6, 0.9), random_state=0)
    votes, truth = np.where(data.scores > 0.5, 1, -1), np.where(data.labels, 1.0, -1.0)
    y = np.where(np.arange(300) < 100, truth, np.nan)
    known = gl.DawidSkene().fit(votes, y)
    same = gl.DawidSkene().fit((votes + 1) // 2, np.where(np.isnan(y), -1, (y + 1) // 2))
    np.testing.assert_array_equal(known.confusion_, same.confusion_)
    with pytest.raises(gl.InputError, match=r"Labels in y must be numbers; found .* Convert them"):
        gl.DawidSkene().fit(votes, y.astype(str))
