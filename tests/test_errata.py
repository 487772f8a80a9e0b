"""One test for each erratum of the paper that DESIGN lists (D1 to D5)."""

import numpy as np
import pytest

import goldless as gl
import reference
from goldless.ensemble import score
from goldless.moments import second_moments, third_moment
from goldless.rank_one import iterative, sdp
from goldless.ranks import rank


@pytest.fixture(scope="module")
def data():
    return gl.simulate(20_000, 5, prevalence=0.2, auroc=(0.7, 0.9), random_state=0)


def test_d1_third_moment_of_ranks_has_the_sign_of_2rho_minus_1(data):
    """offdiag:tensor prints (1-2ρ), but thm:indep at l = 3 gives (2ρ-1) for ranks: rare positives make it negative."""
    ranks = (len(data.scores) + 1) / 2 - len(data.scores) * rank(data.scores)[0]  # rank 1: most positive
    centred = ranks - ranks.mean(axis=0)
    assert np.mean(centred[:, 0] * centred[:, 1] * centred[:, 2]) < 0
    assert third_moment(rank(data.scores)[0], np.ones(5)).tau > 0
    assert gl.evaluate(data.scores).prevalence == pytest.approx(0.2, abs=0.02)  # as printed it would be 0.8


def test_d2_delta_is_v_times_the_inverse_root(data):
    """The proof of theorem:mle prints Δ = sqrt(ρ(1-ρ)/λ) v; it is Δ = sqrt(λ/(ρ(1-ρ))) v."""
    found = gl.evaluate(data.scores, model="independent", refine=None)
    p = found.prevalence * (1 - found.prevalence)
    np.testing.assert_allclose(found.auroc - 0.5, np.sqrt(found.strength / p) * found.weights)
    truth = gl.metrics.delta(data.labels, data.scores)
    np.testing.assert_allclose(found.auroc - 0.5, truth, atol=0.02)
    assert np.abs(np.sqrt(p / found.strength) * found.weights - truth).max() > 0.1


def test_d3_stopping_is_relative(data):
    """alg:iter stops at an absolute ε: an answer must not depend on the scale of Q."""
    Q = second_moments(rank(data.scores)[0]).Q
    small, plain = iterative(Q * 1e-6), iterative(Q)
    assert small.n_iter == plain.n_iter
    np.testing.assert_allclose(small.v, plain.v, rtol=1e-9)


def test_d4_the_rectangle_rule_gives_the_auroc(random):
    """The proof of thm:auc slips in TPR/N₁ and 1/N; the sum over thresholds and the theorem agree."""
    y, scores = random.permutation(np.arange(30) % 2), random.normal(size=30)
    ordered = y[np.argsort(-scores)]
    true_positive_rate = np.cumsum(ordered) / ordered.sum()
    area = np.sum(true_positive_rate[ordered == 0]) / np.sum(ordered == 0)  # AUC:def
    ranks = reference.paper_ranks(scores[:, None])[:, 0]
    assert area == pytest.approx((ranks[y == 0].mean() - ranks[y == 1].mean()) / 30 + 0.5)
    assert gl.metrics.auroc(y, scores) == pytest.approx(area)


def test_d5_the_condition_has_no_square_root():
    """The proof of thm:2 ends with q_i² < sqrt(Σ q_j²); under that alone the minimum trace misses q."""
    q = np.array([0.2, 0.05, 0.06, 0.07])
    assert q[0] ** 2 < np.sqrt(np.sum(q[1:] ** 2))
    assert q[0] ** 2 > np.sum(q[1:] ** 2)
    assert np.linalg.norm(sdp(np.outer(q, q)).q - q) > 0.01


def test_the_condition_is_sufficient_but_not_necessary():
    """The paper says that thm:2 fails under eq:perf; it fails only where |q_i| > Σ |q_j| (docs/decisions.md)."""
    q = np.array([0.2, 0.05, 0.06, 0.07, 0.03])
    assert q[0] ** 2 > np.sum(q[1:] ** 2)
    assert q[0] < np.sum(q[1:])
    np.testing.assert_allclose(sdp(np.outer(q, q)).q, q, rtol=1e-3)


def test_labels_follow_the_corrected_sign(data):
    found = gl.evaluate(data.scores)
    combined = score(rank(data.scores)[0], found.weights)
    assert gl.metrics.auroc(data.labels, combined) > 0.95
