"""One test for each definition, lemma, theorem and algorithm of the paper, named by its LaTeX label."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import goldless as gl
import reference
from goldless.ensemble import linear_posterior, log_odds, max_entropy_posterior, score
from goldless.moments import second_moments, third_moment
from goldless.prevalence import prevalence
from goldless.rank_one import iterative, sdp, tensor_iteration
from goldless.ranks import rank
from goldless.rows import Rows

RHO = 0.3
P = RHO * (1 - RHO)


@pytest.fixture(scope="module")
def data():
    """Enough conditionally independent samples that moments are near their expectation."""
    return gl.simulate(200_000, 6, RHO, auroc=[0.9, 0.8, 0.75, 0.7, 0.65, 0.4], random_state=0)


@pytest.fixture(scope="module")
def z(data):
    return rank(data.scores)[0]


def delta(data):
    return gl.metrics.delta(data.labels, data.scores)


def test_def_delta(random):
    y, scores = np.arange(40) % 3 == 0, random.normal(size=(40, 1))
    ranks = reference.paper_ranks(scores)[:, 0]
    difference = ranks[~y].mean() - ranks[y].mean()
    assert gl.metrics.delta(y.astype(int), scores[:, 0]) == pytest.approx(difference / 40)


def test_thm_auc(random):
    y, scores = np.arange(40) % 3 == 0, random.integers(0, 9, 40)
    difference = gl.metrics.delta(y.astype(int), scores)
    assert roc_auc_score(y, scores) == pytest.approx(difference + 0.5)  # auc:delta


def test_lem_mwu(random):
    y, scores = np.arange(40) % 3 == 0, random.normal(size=40)
    ranks = reference.paper_ranks(scores[:, None])[:, 0]
    n0, n1 = np.sum(~y), np.sum(y)
    u0 = ranks[~y].sum() - n0 * (n0 + 1) / 2
    big_delta = ranks[~y].mean() - ranks[y].mean()
    assert u0 == pytest.approx(n0 * n1 / 40 * (big_delta + 20))
    assert gl.metrics.mann_whitney_u(y.astype(int), scores) == pytest.approx(u0)
    assert gl.metrics.auroc(y.astype(int), scores) == pytest.approx(u0 / (n0 * n1))  # eq:u_auc


@pytest.mark.parametrize("order", [2, 3, 4])
def test_thm_indep(data, z, order):
    # In the paper's ranks; z has the opposite sign, and so have its odd moments.
    factor = P * (RHO ** (order - 1) - (RHO - 1) ** (order - 1))
    for methods in combinations(range(6), order):
        moment = np.mean(np.prod(-z[:, methods], axis=1))
        expected = factor * np.prod(delta(data)[list(methods)])
        assert moment == pytest.approx(expected, abs=5 / np.sqrt(200_000) * 12 ** (-order / 2))


def test_thm_r1(data, z):
    Q, N = second_moments(z).Q, len(z)
    np.testing.assert_allclose(np.diag(Q), (N**2 - 1) / (12 * N**2))
    expected = P * np.outer(delta(data), delta(data))
    off = ~np.eye(6, dtype=bool)
    np.testing.assert_allclose(Q[off], expected[off], atol=1e-3)


def test_thm_r1suf():
    # Rank one but dependent: methods 4 and 5 covary with the rest as if q were larger. q is found as it is.
    q = np.array([0.06, 0.07, 0.08, 0.12, 0.11])
    np.testing.assert_allclose(iterative(np.outer(q, q)).q, q, rtol=1e-6)


@pytest.mark.parametrize("form", ["linear", "exact"])
def test_lem_prob(data, z, form):
    d = delta(data)
    if form == "linear":
        a, b = linear_posterior(d, RHO, np.full(6, 1 / 12))
        np.testing.assert_allclose(b, 12 * d)
    else:
        a, b = max_entropy_posterior(d, RHO, *rank(data.scores)[1].levels())
    for i in (3, 4, 5):  # the weaker methods, for which the first order is meant
        decile = np.floor((z[:, i] + 0.5) * 10).astype(int)
        observed = np.array([data.labels[decile == k].mean() for k in range(10)])
        middle = (np.arange(10) + 0.5) / 10 - 0.5
        np.testing.assert_allclose(1 / (1 + np.exp(-a[i] - b[i] * middle)), observed, atol=0.06)


def test_theorem_mle(data, z):
    v = iterative(second_moments(z).Q).v
    paper = (reference.paper_ranks(data.scores[:300]).mean(axis=0) - reference.paper_ranks(data.scores[:300])) @ v
    few = rank(data.scores[:300])[0]
    np.testing.assert_array_equal(score(few, v) >= 0, paper >= 0)
    # The same labels as the likelihood ratio of lem:prob, whose prior cancels.
    a, b = linear_posterior(v, 0.5, np.full(6, 1 / 12))
    np.testing.assert_array_equal(score(few, v) >= 0, log_odds(few, a, b, 0.5) >= 0)


def test_thm_rankmin():
    # The diagonal is unique: any other start of the completion arrives at the same q, up to its sign.
    q = np.array([0.05, -0.02, 0.1, 0.08])
    for diagonal in (0.0, 0.01, 1.0):
        found = iterative(np.outer(q, q) + diagonal * np.eye(4)).q
        np.testing.assert_allclose(found, q, rtol=1e-6)


@pytest.mark.parametrize("strongest", [0.08, 0.10])
def test_thm_2(strongest):
    q = np.array([strongest, 0.05, 0.06, 0.07, 0.03])
    assert strongest**2 < np.sum(q[1:] ** 2)  # condition
    np.testing.assert_allclose(sdp(np.outer(q, q)).q, q, rtol=1e-3)


def test_eq_perf():
    # Where one method far outdoes the rest the minimum trace is no longer the rank-one matrix; least squares still is.
    q = np.array([0.24, 0.05, 0.06, 0.07, 0.03])
    assert np.sum(q[1:] ** 2) < q[0] ** 2
    assert np.linalg.norm(sdp(np.outer(q, q)).q - q) > 0.01
    np.testing.assert_allclose(iterative(np.outer(q, q)).q, q, rtol=1e-6)


def test_alg_iter(data, z):
    lam, v = reference.alg_iter(second_moments(z).Q)
    fit = iterative(second_moments(z).Q)
    assert fit.lam == pytest.approx(lam, rel=1e-6)
    np.testing.assert_allclose(fit.v, v, rtol=1e-5)
    expected = np.sqrt(P) * delta(data)
    np.testing.assert_allclose(fit.q, expected, atol=0.003)


def test_alg_iter_t(data, z):
    T = np.einsum("ki,kj,kl->ijl", z, z, z, optimize=True) / len(z)
    d = delta(data)
    sigma, u = reference.alg_iter_t(T, np.ones(6))
    fit, found = tensor_iteration(Rows(z), np.ones(6))
    assert found == pytest.approx(sigma, rel=1e-3)
    np.testing.assert_allclose(fit.q, u, atol=1e-3)
    assert found == pytest.approx(P * (1 - 2 * RHO) * np.linalg.norm(d) ** 3, rel=0.05)  # eq:t3


def test_thm_prevelance(data, z):
    d = delta(data)
    tau = third_moment(z, d / np.linalg.norm(d)).tau
    assert tau == pytest.approx(P * (1 - 2 * RHO) * np.linalg.norm(d) ** 3, rel=0.05)


def test_eq_solve_beta():
    for rho in (0.05, 0.4, 0.5, 0.8):
        p, norm = rho * (1 - rho), 0.6
        lam, tau = p * norm**2, p * (1 - 2 * rho) * norm**3
        found = prevalence(lam, tau)
        beta = tau**2 / lam**3
        assert found.rho**2 * (beta + 4) - (beta + 4) * found.rho + 1 == pytest.approx(0, abs=1e-6)
        assert np.sqrt(lam * (beta + 4)) == pytest.approx(norm)
        assert found.rho == pytest.approx(rho)
