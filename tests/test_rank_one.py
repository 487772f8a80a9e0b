import numpy as np
import pytest

import goldless as gl
import reference
from goldless.moments import second_moments
from goldless.rank_one import _minimum_trace, chance_level, iterative, sdp, tensor_iteration
from goldless.ranks import rank
from goldless.rows import Rows

SOLVERS = [iterative, sdp]


def rank_one(q):
    return np.outer(q, q) + np.diag(np.linspace(0.05, 0.1, len(q)))


def noisy(seed=0, **setting):
    return second_moments(rank(gl.simulate(random_state=seed, **setting).scores)[0]).Q


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("M", [3, 5, 40])
def test_an_exact_rank_one_matrix_is_recovered(solver, M):
    q = np.linspace(0.06, 0.1, M) * np.where(np.arange(M) % 4 == 1, -1, 1)
    fit = solver(rank_one(q))
    np.testing.assert_allclose(fit.q, q, rtol=1e-4)
    assert fit.converged
    assert fit.lam == pytest.approx(q @ q, rel=1e-4)
    assert np.linalg.norm(fit.v) == pytest.approx(1)


@pytest.mark.parametrize("M", [5, 15, 30])
def test_least_squares_finds_what_alg_iter_finds(M):
    Q = noisy(n_methods=M, n_samples=2000)
    lam, v = reference.alg_iter(Q)
    fit = iterative(Q)
    np.testing.assert_allclose(fit.q, np.sqrt(lam) * v, rtol=1e-5)


def test_the_certificate_proves_minimum_trace():
    for M in (4, 20, 60):
        fit = sdp(noisy(n_methods=M))
        assert fit.converged
        assert fit.certificate == pytest.approx(0, abs=1e-6 * fit.lam)


def test_minimum_trace_is_below_any_other_completion(random):
    off = noisy(n_methods=6)
    np.fill_diagonal(off, 0)
    d, _, _ = _minimum_trace(off)
    for _ in range(200):
        other = -d * random.uniform(0.5, 1.5, 6)
        # Lift the diagonal just enough that no eigenvalue is negative.
        other -= min(np.linalg.eigvalsh(off + np.diag(other))[0], 0)
        if np.linalg.eigvalsh(off + np.diag(other))[0] >= -1e-12:
            assert other.sum() >= -d.sum() - 1e-9


@pytest.mark.parametrize("solver", SOLVERS)
def test_pairs_left_out_do_not_matter(solver):
    q = np.linspace(0.03, 0.1, 8)
    Q, known = rank_one(q), np.ones((8, 8))
    Q[0, 1] = Q[1, 0] = 0.06  # two methods that copy each other
    known[0, 1] = known[1, 0] = 0
    np.testing.assert_allclose(solver(Q, known).q, q, rtol=1e-3)


def test_pairs_count_by_their_weight():
    q = np.full(4, 0.1)
    Q, weights = rank_one(q), np.full((4, 4), 1000.0)
    Q[0, 1] = Q[1, 0] = 0.05
    weights[0, 1] = weights[1, 0] = 1.0
    light = iterative(Q, weights).q
    assert np.abs(light - q).max() < 0.002
    assert np.abs(iterative(Q).q - q).max() > 0.02


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_entry_leaves_the_bound(solver):
    Q = np.zeros((5, 5))
    Q[0, 1:] = Q[1:, 0] = 0.2  # one method that would need q > 1/4
    assert np.abs(solver(Q).q).max() <= 0.25
    assert np.abs(solver(Q, bound=0.1).q).max() <= 0.1


def test_the_ridge_pulls_towards_the_mean():
    q = np.array([0.02, 0.06, 0.08, 0.12])
    spreads = [np.ptp(iterative(rank_one(q), ridge=ridge).q) for ridge in (0, 0.01, 0.1, 1)]
    assert np.all(np.diff(spreads) < 0)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_sum_is_positive(solver):
    for seed in range(5):
        assert solver(noisy(seed, n_methods=8)).q.sum() >= 0


def test_counting_entries_would_flip_what_the_sum_does_not():
    q = np.array([0.12, 0.1, -0.01, -0.01, -0.01])
    np.testing.assert_allclose(iterative(rank_one(q)).q, q, rtol=1e-4)


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_signal_gives_zero_and_not_nan(solver):
    fit = solver(np.eye(4) / 12)
    np.testing.assert_array_equal(fit.v, 0)
    assert fit.lam == 0


@pytest.mark.parametrize("prevalence", [0.2, 0.8])
def test_tensor_iteration_agrees_with_the_explicit_tensor(prevalence):
    X = gl.simulate(2000, 8, prevalence, auroc=(0.6, 0.9), random_state=3).scores
    z = rank(X)[0]
    start = np.ones(8)
    T = np.einsum("ki,kj,kl->ijl", z, z, z) / len(z)
    sigma, u = reference.alg_iter_t(T, start)
    fit, found = tensor_iteration(Rows(z), start)
    assert fit.converged
    assert found == pytest.approx(sigma, rel=1e-3)
    np.testing.assert_allclose(fit.q, u, atol=1e-3)


def test_tensor_iteration_fills_what_is_missing(random):
    X = gl.simulate(20_000, 6, 0.2, auroc=(0.7, 0.9), random_state=3).scores
    z = rank(X)[0]
    full, sigma = tensor_iteration(Rows(z), np.ones(6))
    holed, sigma_holed = tensor_iteration(Rows(np.where(random.random(z.shape) < 0.2, np.nan, z)), np.ones(6))
    assert sigma_holed == pytest.approx(sigma, rel=0.1)
    np.testing.assert_allclose(holed.q, full.q, atol=0.05)


def test_tensor_iteration_of_nothing_says_so():
    fit, sigma = tensor_iteration(Rows(np.zeros((5, 3))), np.ones(3))
    assert not fit.converged
    assert sigma == 0


def test_noise_reaches_the_chance_level(random):
    z = rank(random.normal(size=(2000, 40)))[0]
    moments = second_moments(z)
    assert iterative(moments.Q).lam == pytest.approx(chance_level(moments.counts), rel=0.2)
