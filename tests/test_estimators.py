import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import goldless as gl

TWO_METHODS = "the check fits a table of fewer than 3 methods, which SUMMA cannot judge"
TOO_FEW = {
    "check_estimators_fit_returns_self": TWO_METHODS,
    "check_estimators_overwrite_params": TWO_METHODS,
    "check_fit2d_1feature": TWO_METHODS,
    "check_fit_check_is_fitted": TWO_METHODS,
    "check_fit_idempotent": TWO_METHODS,
    "check_n_features_in": TWO_METHODS,
    "check_readonly_memmap_input": TWO_METHODS,
}


THREE_CLASSES = "the check gives labels 0, 1, 2, or real numbers; SUMMA knows 0, 1 and -1 (see WithoutLabels)"
LABELLED = dict.fromkeys(
    (
        "check_dict_unchanged",
        "check_dont_overwrite_parameters",
        "check_dtype_object",
        "check_estimators_dtypes",
        "check_f_contiguous_array_estimator",
        "check_fit2d_predict1d",
        "check_fit_score_takes_y",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_n_features_in_after_fitting",
        "check_positive_only_tag_during_fit",
    ),
    THREE_CLASSES,
)


class WithoutLabels(gl.Summa):
    """SUMMA that looks at no labels, so that checks with labels of other kinds reach the rest of it."""

    def fit(self, X, y=None):
        return super().fit(X)


def expected(estimator):
    if isinstance(estimator, WithoutLabels):
        return TOO_FEW
    return TOO_FEW | LABELLED if isinstance(estimator, gl.Summa) else {}


@pytest.mark.filterwarnings("ignore::goldless.errors.GoldlessWarning", "ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [gl.Summa(), WithoutLabels(), WithoutLabels(solver="sdp"), WithoutLabels(model="auto"), gl.WisdomOfCrowds()],
    expected_failed_checks=expected,
)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture
def data():
    return gl.simulate(prevalence=0.3, random_state=0)


@pytest.fixture
def model(data):
    return gl.Summa().fit(data.scores)


def test_the_ensemble_beats_the_crowd_and_the_best_method(data, model):
    crowd = gl.WisdomOfCrowds().fit(data.scores)
    ensemble = gl.metrics.auroc(data.labels, model.decision_function(data.scores))
    assert ensemble > gl.metrics.auroc(data.labels, crowd.decision_function(data.scores)) + 0.03
    assert ensemble > data.auroc.max() + 0.1


def test_attributes_are_those_of_the_evaluation(model):
    found = model.evaluation_
    for name in (
        "auroc",
        "auroc_interval",
        "prevalence",
        "prevalence_interval",
        "weights",
        "n_iter",
        "converged",
        "diagnosis",
    ):
        assert np.all(getattr(model, f"{name}_") == getattr(found, name))


def test_a_prediction_does_not_depend_on_the_batch(data, model):
    together = model.decision_function(data.scores[:20])
    alone = [model.decision_function(data.scores[k : k + 1])[0] for k in range(20)]
    np.testing.assert_allclose(together, alone, rtol=1e-12)


def test_labels_follow_the_sign_of_the_score(data, model):
    score = model.decision_function(data.scores)
    np.testing.assert_array_equal(model.predict(data.scores), (score >= 0).astype(int))


def test_probabilities_are_calibrated_where_the_model_holds():
    data = gl.simulate(n_samples=20_000, prevalence=0.3, random_state=1)
    model = gl.Summa(prevalence=0.3).fit(data.scores)
    probability = model.predict_proba(data.scores)
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    bins = np.minimum((probability[:, 1] * 10).astype(int), 9)
    gaps = [
        abs(probability[bins == b, 1].mean() - data.labels[bins == b].mean()) * np.mean(bins == b) for b in range(10)
    ]
    assert sum(gaps) < 0.03


def test_probabilities_know_the_prevalence_and_labels_do_not(data):
    rare, common = (gl.Summa(prevalence=p).fit(data.scores) for p in (0.1, 0.9))
    assert rare.predict_proba(data.scores)[:, 1].mean() < 0.2
    assert common.predict_proba(data.scores)[:, 1].mean() > 0.8
    np.testing.assert_array_equal(rare.predict(data.scores), common.predict(data.scores))


def test_scores_may_be_missing_in_prediction(data, model):
    some = data.scores[:5].copy()
    some[0, 3:] = np.nan
    some[1] = np.nan
    assert np.isfinite(model.decision_function(some)).all()
    assert model.predict_proba(some)[1, 1] == pytest.approx(model.prevalence_)


def test_works_in_a_pipeline_clones_and_pickles(data):
    pipeline = make_pipeline(StandardScaler(), gl.Summa()).fit(data.scores)
    plain = gl.Summa().fit(data.scores)
    np.testing.assert_allclose(pipeline[-1].auroc_, plain.auroc_)
    again = pickle.loads(pickle.dumps(plain))
    np.testing.assert_array_equal(again.predict_proba(data.scores), plain.predict_proba(data.scores))
    assert clone(gl.Summa(solver="sdp", prevalence=0.2)).get_params()["solver"] == "sdp"


def test_input_is_not_changed(data):
    before = data.scores.copy()
    gl.Summa().fit(data.scores).predict_proba(data.scores)
    np.testing.assert_array_equal(data.scores, before)


def test_column_names_must_match(data):
    table = pd.DataFrame(data.scores).rename(columns=str)
    model = gl.Summa().fit(table)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[table.columns[::-1]])
    with pytest.raises(ValueError, match="29 features"):
        gl.Summa().fit(data.scores).predict(data.scores[:, 1:])


def test_the_leaderboard_of_an_array(model):
    board = model.leaderboard()
    assert board.dtype.names == ("method", "auroc", "auroc_low", "auroc_high", "weight", "coverage")
    assert np.all(np.diff(board["auroc"]) <= 0)


def test_the_crowd_judges_nobody(data):
    scores = data.scores.copy()
    scores[:500, 0] = np.nan
    crowd = gl.WisdomOfCrowds().fit(scores)
    board = crowd.leaderboard()
    assert board.dtype.names == ("method", "weight", "coverage")
    assert board["coverage"][0] == 0.5
    np.testing.assert_allclose(crowd.weights_.sum(), 1)
    probability = crowd.predict_proba(scores)
    np.testing.assert_allclose(probability[:, 1] - 0.5, crowd.decision_function(scores))
    assert not hasattr(crowd, "auroc_")


@pytest.mark.parametrize("estimator", [gl.Summa(), gl.WisdomOfCrowds()])
def test_unfitted(estimator):
    with pytest.raises(NotFittedError):
        estimator.leaderboard()


def test_ranks_to_scores_keeps_what_is_missing():
    np.testing.assert_array_equal(gl.ranks_to_scores([[1.0, np.nan], [2.0, 1.0]]), [[-1, np.nan], [-2, -1]])


def test_evaluate_is_the_front_door(data, model):
    best = gl.Summa(model="auto", refine="likelihood").fit(data.scores)
    assert gl.evaluate(data.scores) == best.evaluation_
    assert gl.evaluate(data.scores, model="independent", refine=None) == model.evaluation_
    assert gl.evaluate(data.scores, prevalence=0.2).prevalence == 0.2
    assert gl.diagnose(data.scores).verdict == "independence plausible"


@pytest.mark.parametrize("model", ["shared", "auto"])
def test_samples_beyond_those_of_the_fit_have_probabilities(model):
    data = gl.simulate(prevalence=0.3, random_state=0)
    found = gl.Summa(model=model).fit(data.scores[:100])
    assert np.all(np.isfinite(found.predict_proba(10 * data.scores)))


@pytest.mark.parametrize("model", ["shared", "auto"])
def test_without_independence_the_combined_score_is_the_mean_rank(model):
    data = gl.simulate(n_methods=12, auroc=(0.6, 0.8), groups=[range(12)], correlation=0.5, random_state=0)
    scores = np.where(np.random.default_rng(0).random(data.scores.shape) < 0.2, np.nan, data.scores)
    cautious = gl.Summa(model=model).fit(scores)
    crowd = gl.WisdomOfCrowds().fit(scores)
    np.testing.assert_allclose(cautious.weights_, 1 / np.sqrt(12))
    ratio = cautious.decision_function(scores) / crowd.decision_function(scores)
    np.testing.assert_allclose(ratio, ratio[0])
    probability = cautious.predict_proba(scores)
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    assert gl.metrics.auroc(data.labels, probability[:, 1]) > 0.6


def test_calibrated_scores_are_taken_at_their_word(random):
    label = random.random(2000) < 0.3
    truth = np.clip(0.3 + 0.4 * (label - 0.3) + random.normal(0, 0.1, 2000), 0.01, 0.99)
    scores = np.clip(truth[:, None] + random.normal(0, 0.1, (2000, 7)), 0, 1)
    model = gl.Summa(model="calibrated").fit(scores)
    median = np.median(scores, axis=1)
    assert model.prevalence_ == pytest.approx(median.mean())
    np.testing.assert_allclose(model.predict_proba(scores)[:, 1], median)
    assert gl.evaluate(scores).diagnosis.second_opinion is not None
    assert gl.evaluate(scores * 2).diagnosis.second_opinion is None
    assert gl.evaluate((scores > 0.4).astype(float)).diagnosis.second_opinion is None


def test_the_truth_can_be_revealed_later():
    data = gl.simulate(n_methods=8, prevalence=0.3, random_state=0)
    model = gl.Summa().fit(data.scores)
    labels = np.where(np.arange(1000) < 600, data.labels, -1)
    found = model.reveal(data.scores, labels)
    truth = found.truth
    np.testing.assert_array_equal(found.auroc, model.auroc_)
    np.testing.assert_allclose(truth.auroc, gl.metrics.auroc(data.labels[:600], data.scores[:600]))
    combined = model.decision_function(data.scores)
    assert truth.ensemble == pytest.approx(gl.metrics.auroc(data.labels[:600], combined[:600]))
    assert truth.n_samples == 600
    assert truth.prevalence == data.labels[:600].mean()
    assert truth.calibration.predicted.mean() == pytest.approx(0.3, abs=0.05)
    assert gl.Evaluation.from_json(found.to_json()) == found
    board = found.leaderboard()
    np.testing.assert_allclose(board["error"], board["auroc"] - board["true_auroc"])
    assert "By the labels of 600 samples" in " ".join(str(found).split())


def test_the_truth_of_a_method_that_scored_one_class_only_is_not_known():
    data = gl.simulate(n_methods=5, random_state=0)
    scores = data.scores.copy()
    model = gl.Summa().fit(scores)
    scores[data.labels == 1, 2] = np.nan
    found = model.reveal(scores, data.labels)
    assert np.flatnonzero(np.isnan(found.truth.auroc)).tolist() == [2]
    again = gl.Evaluation.from_json(found.to_json())
    assert np.isnan(again.truth.auroc[2])
    assert again == found


def test_the_truth_needs_a_label_for_each_sample():
    data = gl.simulate(n_methods=5, random_state=0)
    model = gl.Summa().fit(data.scores)
    with pytest.raises(gl.InputError, match="1000 samples, but the labels have shape"):
        model.reveal(data.scores, data.labels[:10])
    with pytest.raises(gl.InputError, match="Every label is 1"):
        model.reveal(data.scores, np.ones(1000))


def test_a_given_prevalence_is_that_of_calibrated_scores_too():
    data = gl.simulate(500, 7, 0.3, auroc=(0.7, 0.9), random_state=0)
    scores = 1 / (1 + np.exp(-data.scores))
    model = gl.Summa(model="calibrated", prevalence=0.1).fit(scores)
    assert model.prevalence_ == 0.1
    np.testing.assert_array_equal(model.prevalence_interval_, [0.1, 0.1])
    assert model.predict_proba(scores)[:, 1].mean() == pytest.approx(0.1)
    free = gl.Summa(model="calibrated").fit(scores)
    order = np.argsort(free.predict_proba(scores)[:, 1], kind="stable")
    assert np.all(np.diff(model.predict_proba(scores)[order, 1]) >= -1e-12)
    assert gl.evaluate(scores, prevalence=0.1).diagnosis.second_opinion is not None


@pytest.mark.filterwarnings("ignore::goldless.errors.GoldlessWarning")
@pytest.mark.parametrize("model", ["independent", "shared", "auto"])
def test_without_signal_every_model_knows_nothing(model, random):
    found = gl.Summa(model=model).fit(random.normal(size=(500, 10))).evaluation_
    np.testing.assert_array_equal(found.auroc_interval, [[0, 1]] * 10)
    np.testing.assert_array_equal(found.weights_interval, [[-1, 1]] * 10)
    np.testing.assert_array_equal(found.prevalence_interval, [0, 1])
    assert found.diagnosis.finding == "unknown"
    assert found.diagnosis.binary_factor is None
    said = " ".join(str(found).split())
    assert "not known, as the methods agree no more than chance. " in said
    assert "can be taken" not in said
    given = gl.Summa(model=model, prevalence=0.2).fit(random.normal(size=(500, 10)))
    np.testing.assert_allclose(given.prevalence_interval_, [0.2, 0.2])


@pytest.mark.filterwarnings("ignore::goldless.errors.GoldlessWarning")
@pytest.mark.parametrize("solver", ["iterative", "sdp"])
@pytest.mark.parametrize(
    ("n_samples", "n_methods", "missing"),
    [(2, 3, 0), (3, 4, 0), (5, 3, 0), (10, 3, 0), (10, 3, 0.6), (30, 4, 0.6), (50, 10, 0.9)],
)
def test_tables_of_next_to_nothing_have_intervals(n_samples, n_methods, missing, solver):
    for seed in range(12):
        data = gl.simulate(n_samples, n_methods, auroc=(0.5, 0.95), random_state=seed)
        holes = np.random.default_rng(seed).random(data.scores.shape) < missing
        scores = np.where(holes, np.nan, data.scores)
        scores[np.isnan(scores).all(axis=1)] = data.scores[np.isnan(scores).all(axis=1)]
        y = np.where(np.arange(n_samples) < 2, [0, 1] * (n_samples // 2) + [0] * (n_samples % 2), -1)
        for labels in (None, y):
            try:
                model = gl.Summa(model="auto", solver=solver).fit(scores, labels)
            except gl.InputError:
                continue
            low, high = model.auroc_interval_.T
            assert np.all((low <= model.auroc_) & (model.auroc_ <= high) & (low < high))
            assert np.all(np.isfinite(model.predict_proba(scores)))


@pytest.mark.parametrize("name", ["roc_auc", "accuracy", "neg_brier_score"])
def test_scorers_of_scikit_learn_take_it(data, model, name):
    assert get_scorer(name)(model, data.scores, data.labels) > (-0.1 if name == "neg_brier_score" else 0.8)
    search = GridSearchCV(gl.Summa(), {"solver": ["iterative", "sdp"]}, scoring=name, cv=2)
    assert search.fit(data.scores[:300], data.labels[:300]).best_score_ > -0.2


def test_a_sample_beyond_all_of_the_fit_has_a_probability():
    scores = gl.simulate(1000, 5, auroc=(0.7, 0.9), random_state=0).scores
    model = gl.Summa(model="shared").fit(scores)
    assert np.isfinite(model.predict_proba([[9e9, -9e9, 9e9, -9e9, 0.0]])).all()
