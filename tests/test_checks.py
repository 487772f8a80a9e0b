import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import goldless as gl
from goldless import checks


@pytest.fixture
def scores():
    return gl.simulate(n_samples=200, n_methods=5, auroc=(0.7, 0.9), random_state=0).scores


def refused(scores, match, **parameters):
    with pytest.raises(gl.InputError, match=match):
        gl.Summa(**parameters).fit(scores)


def test_input_errors_are_value_errors():
    assert issubclass(gl.InputError, ValueError)
    assert issubclass(gl.InputError, gl.GoldlessError)


def test_fewer_than_three_methods(scores):
    refused(scores[:, :2], r"Found 2 method\(s\) \(columns\): at least 3 are needed, .* Add methods")


def test_a_single_sample(scores):
    refused(pd.DataFrame(scores[:1]), r"Found 1 sample\(s\): .* Add samples")


def test_a_constant_column_is_named(scores):
    scores[:, 2] = 0.7
    refused(pd.DataFrame(scores, columns=list("abcde")), r"Method 'c' \(column 2.*the same score.*Leave it out")


def test_a_column_that_is_constant_where_it_scored(scores):
    scores[:, 1] = np.nan
    scores[:9, 1] = 2.0
    refused(scores, r"Method 'method1' .* the same score")


def test_a_column_without_scores(scores):
    scores[:, 3] = np.nan
    refused(scores, r"Method 'method3' .* no scores at all. Leave it out")


def test_rows_without_scores(scores):
    scores[[4, 7]] = np.nan
    refused(scores, r"2 sample\(s\) have no score from any method \(rows 4, 7, counted from 0\). Leave these rows out")


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_scores_are_located(scores, value):
    scores[[3, 5, 6, 7, 8, 9], 1] = value
    refused(scores, r"Method 'method1' .* contains inf \(rows 3, 5, 6, 7, 8, \.\.\., counted from 0\)")


def test_infinite_scores_in_prediction(scores):
    model = gl.Summa().fit(scores)
    scores[0, 0] = np.inf
    with pytest.raises(gl.InputError, match="contains inf"):
        model.predict(scores)


def test_a_text_column_is_named(scores):
    table = pd.DataFrame(scores, columns=list("abcde")).assign(d="x")
    refused(table, r"Method 'd' \(column 3, counted from 0\) does not hold numbers")


def test_too_few_samples_for_the_methods(scores):
    with pytest.warns(gl.SmallSampleWarning, match="9 samples are few for 5 methods") as caught:
        gl.Summa().fit(scores[:9])
    assert caught[0].filename == __file__


@pytest.mark.parametrize("prevalence", [0, 1, -0.2, float("nan")])
def test_prevalence_outside_the_unit_interval(scores, prevalence):
    refused(scores, r"prevalence=.* is outside \(0, 1\)", prevalence=prevalence)


def test_unknown_solver(scores):
    refused(scores, r"solver='magic' is not one of 'iterative', 'sdp'", solver="magic")


def test_unknown_model(scores):
    refused(scores, "model='magic' is not one of 'independent', 'shared', 'auto', 'calibrated'", model="magic")


def test_unknown_refinement(scores):
    refused(scores, "refine='magic' is not one of None, 'likelihood'", refine="magic")


@pytest.mark.parametrize("level", [0, 1, 95])
def test_level_outside_the_unit_interval(scores, level):
    refused(scores, r"level=.* is outside \(0, 1\)", level=level)


def test_scores_that_are_no_probabilities(scores):
    refused(scores, r"Method 'method0' .* outside \[0, 1\], which are no probabilities", model="calibrated")


def test_identical_methods_are_named(scores):
    scores[:, 4] = scores[:, 0]
    with pytest.warns(gl.DuplicateMethodsWarning, match="method0 = method4.* Keep one of each") as caught:
        gl.Summa().fit(scores)
    assert caught[0].filename == __file__


def test_no_signal(random):
    with pytest.warns(gl.NoSignalWarning, match="no more than chance .* do not rely on the figures"):
        gl.Summa().fit(random.normal(size=(300, 10)))


def test_not_converged(scores, monkeypatch):
    monkeypatch.setattr("goldless.rank_one.MOST_STEPS", 2)
    with pytest.warns(gl.NotConvergedWarning, match="did not settle within 2 steps"):
        gl.Summa().fit(scores)


def test_sound_data_give_no_warning(scores):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gl.Summa().fit(scores)


@pytest.mark.parametrize(
    ("labels", "match"),
    [
        ([0, 1], r"There are 3 samples, but the labels have shape \(2,\)"),
        ([0, 1, 2], "Labels must be 0 or 1; found 2"),
        (["a", "b", "a"], "Labels must be 0 or 1; found 'a', 'b'"),
        ([1, 1, 1], "Every label is 1: .* both classes"),
    ],
)
def test_labels(labels, match):
    with pytest.raises(gl.InputError, match=match):
        gl.metrics.auroc(labels, [0.1, 0.2, 0.3])


@pytest.mark.parametrize("bounds", [(0.8, 0.4), (-0.1, 0.5), (0.5, 1.2)])
def test_bounds(bounds):
    with pytest.raises(gl.InputError, match=r"auroc=\(.*0 <= low <= high <= 1"):
        gl.simulate(auroc=bounds)


@pytest.mark.parametrize(
    ("y", "match"),
    [
        ([0, 1, -1], r"There are 200 samples, but y has shape \(3,\)"),
        ([2] * 200, r"Labels in y must be 0, 1, or -1 \(not known\); found 2"),
        (["yes"] * 200, "found 'yes'"),
    ],
)
def test_some_labels(scores, y, match):
    with pytest.raises(gl.InputError, match=match):
        gl.Summa().fit(scores, y)


BALLOTS = np.array([[1.0, 0, 1], [0, 0, 1], [1, 1, 0], [0, 1, 0]])


def with_entry(row, column, value):
    ballots = BALLOTS.copy()
    ballots[row, column] = value
    return ballots


@pytest.mark.parametrize(
    ("rule", "ballots", "match"),
    [
        (gl.MajorityVote(), np.full((4, 3), 1.0), "Every vote is 1.0: there is nothing to decide"),
        (gl.MajorityVote(), np.arange(400.0).reshape(100, 4), "more than 127 distinct values .* gl.Summa takes scores"),
        (gl.SpectralMetaLearner(), with_entry(0, 0, 2), r"more than 2 distinct values \(0.0, 1.0, 2.0\)"),
        (gl.SpectralMetaLearner(), BALLOTS[:, :2], r"Found 2 method\(s\)"),
        (gl.MajorityVote(), with_entry(1, 2, np.inf), r"'method2' .* contains inf \(rows 1"),
        (gl.MajorityVote(), with_entry(slice(None), 1, np.nan), "'method1' .* has no votes at all"),
        (gl.MajorityVote(), with_entry(2, slice(None), np.nan), r"1 sample\(s\) have no score .* \(rows 2"),
        (gl.MajorityVote(), csr_array(with_entry(0, 0, np.nan)), "The sparse array stores NaN or inf"),
        (gl.MajorityVote(), csr_array(np.eye(4)[:, :3]), r"1 sample\(s\) have no score .* \(rows 3"),
        (gl.SpectralMetaLearner(prevalence=2), BALLOTS, "prevalence=2 is outside"),
        (gl.WeightedVote(), BALLOTS, "neither accuracy nor sensitivity .* give either"),
        (gl.WeightedVote(accuracy=[0.5] * 3, sensitivity=[0.5] * 3), BALLOTS, "Found accuracy and sensitivity"),
        (gl.WeightedVote(accuracy=[0.5] * 2), BALLOTS, r"accuracy has shape \(2,\), but there are 3 methods"),
        (gl.WeightedVote(accuracy=[0.5, 0.9, 70]), BALLOTS, "accuracy holds 70.0, which is no share"),
        (gl.WeightedVote(accuracy=[0.5] * 3, prevalence=0.5), with_entry(0, 0, 2), "votes are for 3 classes"),
        (gl.DawidSkene(start="magic"), BALLOTS, "start='magic' is not one of 'majority', 'sml', 'random'"),
        (gl.DawidSkene(start="sml"), with_entry(0, 0, 2), "start='sml' needs .* 2 classes; found 3 and 3"),
        (gl.DawidSkene(start=np.ones((4, 3)) / 3), BALLOTS, r"start has shape \(4, 3\); it needs .* \(4, 2\)"),
        (gl.DawidSkene(start=np.ones((4, 2))), BALLOTS, "start must hold probabilities"),
        (gl.DawidSkene(smoothing=-1), BALLOTS, "smoothing=-1 must be at least 0"),
        (gl.DawidSkene(start="random", n_restarts=0), BALLOTS, "n_restarts=0 must be at least 1"),
        (gl.BestMethod(), BALLOTS, "gl.BestMethod needs labels"),
        (gl.BestMethod([0, 1]), BALLOTS, r"There are 4 samples, but y has shape \(2,\)"),
        (gl.BestMethod([-1] * 4), BALLOTS, "gl.BestMethod needs labels"),
        (gl.BestMethod([0, -1, -1, 0]), BALLOTS, "Every label is 0"),
    ],
)
def test_rules_for_votes_refuse(rule, ballots, match):
    with pytest.raises(gl.InputError, match=match):
        rule.fit(ballots)


@pytest.mark.parametrize(
    ("known", "match"),
    [
        ([1, 0], r"There are 4 samples, but the labels have shape \(2,\)"),
        ([1, 0, 7, -1], "y contains 7.0, for which there are no votes; there are votes for 0.0, 1.0"),
    ],
)
def test_known_labels(known, match):
    with pytest.raises(gl.InputError, match=match):
        gl.DawidSkene().fit(BALLOTS, known)


def test_a_known_label_of_minus_one_may_be_a_vote_or_unknown():
    with pytest.raises(gl.InputError, match="y contains -1, which is a vote and the mark for an unknown label"):
        gl.DawidSkene().fit(2 * BALLOTS - 1, [1, -1, -1, -1])


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_votes_that_the_fit_has_not_seen(form):
    with pytest.raises(
        gl.InputError, match=r"'method1' \(column 1.*\) votes 3.0 \(row 2.*; the fit has seen only 0.0, 1.0"
    ):
        gl.MajorityVote().fit(BALLOTS).predict(form(with_entry(2, 1, 3)))


def test_sparse_votes_of_nobody():
    with pytest.raises(gl.InputError, match="stores NaN or inf"):
        gl.MajorityVote().fit(BALLOTS).predict(csr_array(with_entry(0, 0, np.nan)))


def test_em_that_does_not_settle(monkeypatch):
    monkeypatch.setattr("goldless.votes.MOST_STEPS", 2)
    ballots = np.random.default_rng(0).integers(0, 2, (50, 4))
    with pytest.warns(gl.NotConvergedWarning, match="did not settle within 2 steps") as caught:
        gl.DawidSkene().fit(ballots)
    assert caught[0].filename == __file__


LONG = pd.DataFrame({"task": ["a", "a", "b"], "worker": ["x", "y", "x"], "label": [1, 0, 1]})


@pytest.mark.parametrize(
    ("long", "match"),
    [
        (LONG.drop(columns="worker"), "no column 'worker'; it has 'task', 'label'"),
        (LONG.assign(task=["a", None, "b"]), "Column 'task' has empty entries"),
        (LONG.assign(label=["yes", "no", "yes"]), "Method 'label' .* does not hold numbers"),
        (LONG.assign(worker="x"), "1 sample.* scored more than once by the same method, first 'a' by 'x'"),
        ([[1, 2], [3, 4]], "must be a pandas, polars or Arrow table; found list"),
    ],
)
def test_long_tables(long, match):
    with pytest.raises(gl.InputError, match=match):
        gl.from_long(long, sample="task", method="worker", value="label")


def test_labels_of_one_class_throughout(scores):
    for label in (0, 1):
        with pytest.raises(gl.InputError, match=f"Every label is {label}: .* Add the other class"):
            gl.Summa().fit(scores, np.full(200, label))


def test_known_labels_of_one_class(scores):
    y = np.where(np.arange(200) < 9, 1, -1)
    with pytest.warns(gl.OneClassWarning, match="All 9 known labels are 1. .* code negative samples as 0"):
        gl.Summa().fit(scores, y)
    with pytest.raises(gl.InputError, match=r"Every label is 1: .* Add the other class"):
        gl.BestMethod(y).fit(scores)


def test_labels_by_which_no_method_can_be_judged(scores):
    scores[:100, :3], scores[100:, 3:] = np.nan, np.nan
    with pytest.raises(gl.InputError, match=r"No method scored labelled samples of both classes, .* Add labels"):
        gl.BestMethod(np.repeat([0, 1], 100)).fit(scores)


@pytest.mark.parametrize("strange", [None, pd.NA, "1", 2, 0.5, np.nan])
def test_labels_of_another_kind(scores, strange):
    y = pd.Series([strange] * 100 + [0, 1] * 50, dtype=object)
    with pytest.raises(gl.InputError, match=r"must be 0, 1, or -1 \(not known\); found .*Recode them"):
        gl.Summa().fit(scores, y)


def test_labels_may_be_objects(scores):
    y = gl.simulate(n_samples=200, n_methods=5, auroc=(0.7, 0.9), random_state=0).labels
    assert gl.Summa().fit(scores, pd.Series(y, dtype=object)).evaluation_.n_labels == 200


def test_methods_that_no_sample_compares(scores):
    alone = np.where(np.arange(200)[:, None] % 5 == np.arange(5), scores, np.nan)
    refused(alone, r"No sample is scored by two methods, .* Add scores by several methods of the same samples")
    with pytest.raises(gl.InputError, match="No sample is scored by two methods"):
        gl.SpectralMetaLearner().fit(np.where(np.isnan(alone), np.nan, alone > 0))
    assert gl.WisdomOfCrowds().fit(alone).weights_[0] == 0.2


def test_refinement_that_does_not_settle(monkeypatch, scores):
    monkeypatch.setattr("goldless.likelihood.MOST_STEPS", 3)
    with pytest.warns(gl.NotConvergedWarning, match="did not settle within 3 steps"):
        model = gl.Summa(refine="likelihood").fit(scores)
    assert not model.converged_


@pytest.mark.filterwarnings("ignore::goldless.errors.NoSignalWarning")
def test_refinement_settles():
    for seed in range(10):
        assert gl.evaluate(gl.simulate(300, 10, random_state=seed).scores).converged


def test_parameters_of_another_kind(scores):
    refused(scores, "prevalence='a' must be a number", prevalence="a")
    refused(scores, "level=None must be a number", level=None)
    refused(scores, r"solver=array\(\[1, 2\]\) is not one of 'iterative', 'sdp'", solver=np.array([1, 2]))
    with pytest.raises(gl.InputError, match="smoothing='a' must be a number"):
        gl.DawidSkene(smoothing="a").fit(scores > 0)
    with pytest.raises(gl.InputError, match=r"n=2\.5 must be a whole number, 0 at least"):
        gl.Summa().fit(scores).suggest(2.5)


def test_all_columns_of_one_fault_are_named():
    scores = np.random.default_rng(0).normal(size=(20, 12))
    scores[:, [2, 5, 7]] = 1
    refused(scores, r"Method 'method2' .* Leave it out\. The same holds of 'method5', 'method7'\.$")
    scores[:, 1:] = 1
    refused(scores, r"The same holds of 'method2', .*, 'method9', \.\.\.\.$")


@given(st.integers(1, 30), st.integers(0, 10))
def test_a_table_seen_in_parts_is_seen_whole(cut, seed):
    random = np.random.default_rng(seed)
    X = random.choice([0.0, 0.5, 1.0, np.nan, np.inf], p=[0.3, 0.2, 0.2, 0.25, 0.05], size=(31, 3))
    whole, parts = checks.look(X), checks.look(X[:cut]) + checks.look(X[cut:])
    for name in ("n", "low", "high", "probable", "infinite", "n_empty", "empty"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
