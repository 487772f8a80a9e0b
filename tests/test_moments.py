from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from goldless import rows
from goldless.moments import contraction, e3, second_moments, third_moment
from goldless.ranks import rank
from goldless.rows import Rows


def holed(z, share, seed=1):
    return np.where(np.random.default_rng(seed).random(z.shape) < share, np.nan, z)


def test_second_moments_are_the_covariance_of_the_ranks(random):
    X = random.normal(size=(60, 5))
    expected = reference.covariance(reference.paper_ranks(X)) / 60**2
    np.testing.assert_allclose(second_moments(rank(X)[0]).Q, expected, atol=1e-14)


def test_second_moments_are_pairwise_complete(random):
    z = holed(random.normal(size=(60, 4)), 0.4)
    moments = second_moments(z)
    for i, j in combinations(range(4), 2):
        both = ~np.isnan(z[:, i]) & ~np.isnan(z[:, j])
        assert moments.counts[i, j] == both.sum()
        np.testing.assert_allclose(moments.Q[i, j], np.mean(z[both, i] * z[both, j]), rtol=1e-12)


def test_a_pair_without_common_samples_has_moment_zero():
    z = np.array([[0.1, np.nan], [np.nan, 0.2]])
    moments = second_moments(z)
    assert moments.Q[0, 1] == 0
    assert moments.counts[0, 1] == 0


def test_e3_sums_over_triples(random):
    z, v = random.normal(size=(7, 6)), random.normal(size=6)
    a = z * v
    expected = sum(a[:, i] * a[:, j] * a[:, k] for i, j, k in combinations(range(6), 3))
    np.testing.assert_allclose(e3(z, v), expected, rtol=1e-10, atol=1e-12)


def test_tau_is_the_fit_to_the_explicit_tensor(random):
    X, v = random.exponential(size=(80, 6)), random.normal(size=6)
    # z runs against the paper's ranks, so an odd moment changes its sign.
    expected = -reference.tau(reference.tensor(reference.paper_ranks(X)), v) / 80**3
    np.testing.assert_allclose(third_moment(rank(X)[0], v).tau, expected, rtol=1e-10)


def test_tau_with_missing_scores_fits_the_scored_triples(random):
    z, v = holed(random.normal(size=(40, 5)), 0.3), random.normal(size=5)
    data = model = 0.0
    for row in z:
        for i, j, k in combinations(range(5), 3):
            if not np.isnan(row[[i, j, k]]).any():
                data += np.prod(row[[i, j, k]]) * np.prod(v[[i, j, k]])
                model += np.prod(v[[i, j, k]]) ** 2
    np.testing.assert_allclose(third_moment(z, v).tau, data / model, rtol=1e-10)


def test_variance_of_tau_is_that_of_repeated_samples(random):
    v = np.ones(5) / np.sqrt(5)
    taus, variances = [], []
    for _ in range(400):
        moment = third_moment(random.normal(size=(200, 5)), v)
        taus.append(moment.tau)
        variances.append(moment.variance)
    assert np.var(taus) == pytest.approx(np.mean(variances), rel=0.2)


def test_a_direction_with_two_entries_has_no_third_moment(random):
    moment = third_moment(random.normal(size=(10, 3)), np.array([1.0, 1.0, 0.0]))
    assert moment.tau == 0
    assert moment.variance == 0


@pytest.mark.parametrize("share", [0, 0.3])
def test_contraction_is_that_of_the_off_diagonal_tensor(random, share):
    z, u = holed(random.normal(size=(30, 5)), share), random.normal(size=5)
    data, model = np.zeros(5), np.zeros(5)
    for row in z:
        for i, j, k in reference.off_diagonal_triples(5):
            if not np.isnan(row[[i, j, k]]).any():
                data[i] += row[i] * row[j] * u[j] * row[k] * u[k]
                model[i] += u[i] * u[j] ** 2 * u[k] ** 2
    sums = contraction(z, u)
    assert sums.n == 30
    np.testing.assert_allclose(sums.data, data, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(sums.model, model, rtol=1e-10, atol=1e-12)


@given(st.integers(1, 40), st.sampled_from([0, 0.3]))
def test_any_split_into_blocks_gives_the_same_moments(block, share):
    z = holed(np.random.default_rng(3).normal(size=(80, 4)), share)
    v = np.array([0.1, -0.4, 0.5, 0.7])
    size, rows.BLOCK_SIZE = rows.BLOCK_SIZE, 4 * block
    try:
        split = [Rows(z).sum(second_moments), Rows(z).sum(third_moment, v), Rows(z).sum(contraction, v)]
    finally:
        rows.BLOCK_SIZE = size
    whole = [second_moments(z), third_moment(z, v), contraction(z, v)]
    for some, full in zip(split, whole, strict=True):
        for name, value in vars(full).items():
            np.testing.assert_allclose(getattr(some, name), value, rtol=1e-12, atol=1e-12)
