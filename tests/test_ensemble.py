import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldless.ensemble import combined, linear_posterior, log_odds, max_entropy_posterior, mean, posterior, score
from goldless.ranks import rank

UNIFORM = (np.arange(256) + 0.5) / 256 - 0.5


def levels(n_methods):
    return np.tile(UNIFORM, (n_methods, 1)), np.full((n_methods, 256), 1 / 256)


def test_score_leaves_out_what_is_missing():
    z = np.array([[0.1, 0.2], [np.nan, 0.2]])
    np.testing.assert_allclose(score(z, np.array([2.0, 1.0])), [0.4, 0.2])


def test_mean_is_over_the_methods_that_scored():
    np.testing.assert_allclose(mean(np.array([[0.1, 0.3], [np.nan, 0.3], [np.nan, np.nan]])), [0.2, 0.3, 0])


@given(st.floats(0.02, 0.98), st.floats(-0.45, 0.45))
def test_the_exact_posterior_meets_both_constraints(rho, delta):
    a, b = max_entropy_posterior(np.array([delta]), rho, *levels(1))
    P = 1 / (1 + np.exp(-a - b * UNIFORM))
    assert P.mean() == pytest.approx(rho, abs=1e-6)  # con:mass_conserv
    assert np.mean(UNIFORM * P) == pytest.approx(rho * (1 - rho) * delta, abs=2e-5)  # con:avg


def test_an_impossible_delta_gives_a_step_and_not_nan():
    a, b = max_entropy_posterior(np.array([0.5, -0.5]), 0.3, *levels(2))
    P = 1 / (1 + np.exp(-a - b * np.array([0.4, -0.4])))
    np.testing.assert_allclose(P, [1, 1], atol=1e-3)


def test_the_posterior_of_a_vote_is_bayes_rule():
    sensitivity, specificity, rho = 0.8, 0.7, 0.3
    positive = rho * sensitivity + (1 - rho) * (1 - specificity)
    z = np.array([[-positive / 2, (1 - positive) / 2]])
    share = np.array([[1 - positive, positive]])
    delta = np.array([(sensitivity + specificity) / 2 - 0.5])
    a, b = max_entropy_posterior(delta, rho, z, share)
    P = 1 / (1 + np.exp(-a - b * z[0]))
    np.testing.assert_allclose(P, [rho * (1 - sensitivity) / (1 - positive), rho * sensitivity / positive], atol=1e-4)


@given(st.floats(0.2, 0.8))
def test_for_weak_methods_the_linear_form_is_exact(rho):
    delta = np.array([0.01, -0.02])
    a, b = max_entropy_posterior(delta, rho, *levels(2))
    a_linear, b_linear = linear_posterior(delta, rho, np.full(2, 1 / 12))
    np.testing.assert_allclose(a, a_linear, atol=0.01)
    np.testing.assert_allclose(b, b_linear, rtol=0.01)


def test_log_odds_add_the_evidence_of_each_method_to_the_prior():
    z = np.array([[0.1, -0.2], [np.nan, -0.2], [np.nan, np.nan]])
    prior = np.log(0.2 / 0.8)
    a, b = linear_posterior(np.array([0.1, 0.2]), 0.2, np.full(2, 1 / 12))
    expected = prior + np.array([1.2 * 0.1 - 2.4 * 0.2, -2.4 * 0.2, 0])
    np.testing.assert_allclose(log_odds(z, a, b, 0.2), expected)


def test_the_posterior_sums_to_one_and_survives_extremes():
    P = posterior(np.array([-1e4, 0, 1e4]))
    np.testing.assert_allclose(P, [[1, 0], [0.5, 0.5], [0, 1]], atol=1e-12)


def test_samples_that_tie_stay_tied(random):
    z = random.permuted(np.tile(rank(random.standard_normal((30, 1)))[0].T, (50, 1)), axis=1)
    assert np.ptp(z.sum(axis=1)) > 0  # by rounding
    for tied in (mean(z), combined(z, np.full(30, 30**-0.5), 30**0.5)):
        np.testing.assert_array_equal(tied, tied[0])
