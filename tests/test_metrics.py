import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

import goldless as gl
import reference
from goldless import metrics

labelled = st.lists(st.tuples(st.integers(0, 1), st.integers(-4, 4)), min_size=2, max_size=40).filter(
    lambda pairs: len({label for label, _ in pairs}) == 2
)


@given(labelled)
def test_auroc_is_that_of_scikit_learn(pairs):
    y, scores = np.array(pairs).T
    assert metrics.auroc(y, scores) == pytest.approx(roc_auc_score(y, scores))


@given(labelled)
def test_u_is_that_of_scipy_and_of_counting(pairs):
    y, scores = np.array(pairs).T
    u = metrics.mann_whitney_u(y, scores)
    assert u == pytest.approx(mannwhitneyu(scores[y == 1], scores[y == 0]).statistic)
    assert u == pytest.approx(reference.mann_whitney(y, scores))


@given(labelled)
def test_balanced_accuracy_is_that_of_scikit_learn_and_an_auroc(pairs):
    y, scores = np.array(pairs).T
    votes = (scores > 0).astype(int)
    assert metrics.balanced_accuracy(y, votes) == pytest.approx(balanced_accuracy_score(y, votes))
    assert metrics.balanced_accuracy(y, votes) == pytest.approx(metrics.auroc(y, votes))


def test_columns_are_judged_one_by_one(random):
    y, scores = np.arange(50) % 2, random.normal(size=(50, 3))
    for metric in (metrics.delta, metrics.auroc, metrics.mann_whitney_u):
        together = metric(y, scores)
        np.testing.assert_allclose(together, [metric(y, scores[:, i]) for i in range(3)])


def test_samples_without_a_score_do_not_count(random):
    y, scores = np.arange(60) % 2, random.normal(size=60)
    holed = np.where(random.random(60) < 0.3, np.nan, scores)
    kept = ~np.isnan(holed)
    for metric in (metrics.delta, metrics.auroc, metrics.mann_whitney_u):
        assert metric(y, holed) == pytest.approx(metric(y[kept], scores[kept]))


def test_a_method_that_scored_one_class_only_cannot_be_judged():
    found = metrics.auroc([0, 0, 1, 1], [[1.0, 1.0], [2.0, 2.0], [3.0, np.nan], [4.0, np.nan]])
    np.testing.assert_array_equal(found, [1.0, np.nan])


@pytest.mark.parametrize("strange", [[-1, 1, -1, 1], [0.2, 0.3, 0.9, 1.7]])
def test_predictions_that_are_no_labels(strange):
    with pytest.raises(gl.InputError, match=r"Predictions must be 0 or 1, or NaN .* judge scores by auroc"):
        gl.metrics.balanced_accuracy([0, 0, 1, 1], strange)


def test_a_method_without_scores_is_not_judged():
    scores = np.column_stack([[1.0, 2, 3, 4], np.full(4, np.nan)])
    np.testing.assert_array_equal(gl.metrics.auroc([0, 0, 1, 1], scores), [1, np.nan])
    np.testing.assert_array_equal(gl.metrics.auroc([0, 0, 1, 1], np.ma.masked_invalid(scores)), [1, np.nan])


def test_scores_that_are_no_numbers():
    with pytest.raises(gl.InputError, match=r"Scores must be numbers; found .* Convert them"):
        gl.metrics.auroc([0, 1], ["low", "high"])
