import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata

from goldless import ranks
from goldless.ranks import rank
from reference import paper_ranks

tables = arrays(
    float, st.tuples(st.integers(2, 30), st.integers(1, 4)), elements=st.integers(-5, 5) | st.just(np.nan)
).filter(lambda X: not np.isnan(X).all(axis=0).any())


@given(tables)
def test_z_is_the_centred_paper_rank(X):
    scored = (~np.isnan(X)).sum(axis=0)
    expected = ((scored + 1) / 2 - paper_ranks(X)) / scored
    np.testing.assert_allclose(rank(X)[0], expected, atol=1e-12)


@given(tables)
def test_columns_sum_to_zero_and_stay_within_bounds(X):
    z = rank(X)[0]
    np.testing.assert_allclose(np.nansum(z, axis=0), 0, atol=1e-10)
    assert np.nanmax(np.abs(z)) < 0.5


@given(tables)
def test_a_monotone_map_changes_nothing(X):
    np.testing.assert_array_equal(rank(X)[0], rank(np.exp(X) * 3 - 7)[0])


@given(tables)
def test_negation_turns_z_round(X):
    np.testing.assert_allclose(rank(-X)[0], -rank(X)[0], atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.int64, np.uint16, bool])
def test_every_type_is_ranked_as_itself(random, dtype):
    X = random.integers(0, 2 if dtype is bool else 50, (200, 3)).astype(dtype)
    expected = (rankdata(X.astype(float), axis=0) - 100.5) / 200
    np.testing.assert_allclose(rank(X)[0], expected, atol=1e-12)


def test_values_beyond_the_precision_of_float_are_told_apart():
    X = np.array([[2**60 + 1], [2**60], [2**60 + 2]])
    np.testing.assert_allclose(rank(X)[0][:, 0], [0, -1 / 3, 1 / 3])


def test_either_memory_order_gives_the_same(random):
    X = random.normal(size=(50, 4))
    np.testing.assert_array_equal(rank(X)[0], rank(np.asfortranarray(X))[0])


@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("share", [0, 0.1])
def test_large_tables_of_every_kind_of_column(random, layout, share):
    n = 70_000
    X = np.stack(
        [
            random.normal(size=n),
            random.normal(size=n).astype(np.float32),
            random.integers(-1, 2, n),
            random.random(n).round(3),
            random.beta(0.1, 0.1, n),  # crowded at 1, where only the last bits differ
            np.exp(50 * random.normal(size=n)),
            1 + np.arange(n)[::-1] * 2.0**-52,
            np.where(random.random(n) < 0.5, -0.0, 0.0) + (np.arange(n) == 5),
            random.permutation(n),
        ],
        axis=1,
    )
    X[random.random(X.shape) < share] = np.nan
    scored = (~np.isnan(X)).sum(axis=0)
    expected = (rankdata(X, axis=0, nan_policy="omit") - (scored + 1) / 2) / scored
    z, distribution = rank(np.asarray(X, order=layout))
    np.testing.assert_allclose(z, expected, atol=1e-15)
    for knots, column in zip(distribution.knots, X.T, strict=True):
        assert len(knots) == min(np.sum(~np.isnan(column)), ranks.MOST_KNOTS)
        assert np.all(np.diff(knots) >= 0)
        assert np.isin(knots, column).all()


def test_the_input_is_left_alone(random):
    for X in (random.normal(size=(50, 4)), random.integers(0, 2**60, (50, 4))):
        before = X.copy()
        rank(X)
        np.testing.assert_array_equal(X, before)


def test_unsigned_values_beyond_the_signed_ones_stay_above_them():
    X = np.array([[2**64 - 1], [0], [2**63], [2**63 - 1]], dtype=np.uint64)
    z, distribution = rank(X)
    np.testing.assert_allclose(z[:, 0], [0.375, -0.375, 0.125, -0.125])
    np.testing.assert_array_equal(distribution.knots[0], np.sort(X[:, 0]))


@given(tables)
def test_known_samples_are_placed_where_they_were(X):
    z, distribution = rank(X)
    np.testing.assert_allclose(distribution.place(X), z, atol=1e-12)


def test_new_samples_are_placed_between_known_ones():
    _, distribution = rank(np.array([[1.0], [2.0], [2.0], [4.0]]))
    placed = distribution.place(np.array([[0.0], [1.5], [2.0], [3.0], [9.0], [np.nan]]))
    np.testing.assert_allclose(placed[:, 0], [-0.375, -0.25, 0.0, 0.25, 0.375, np.nan])


def test_a_thinned_distribution_places_to_within_a_knot(random, monkeypatch):
    X = random.normal(size=(5000, 1))
    z, _ = rank(X)
    monkeypatch.setattr(ranks, "MOST_KNOTS", 256)
    _, distribution = rank(X)
    assert len(distribution.knots[0]) == 256
    np.testing.assert_allclose(distribution.place(X), z, atol=1 / 256)


def test_levels_describe_few_values_exactly():
    z, share = rank(np.array([[0, 5], [0, 6], [1, 7], [1, 7], [1, 9]]))[1].levels(4)
    np.testing.assert_allclose(z[0, :2], [-0.3, 0.2])
    np.testing.assert_allclose(share[0], [0.4, 0.6, 0, 0])
    np.testing.assert_allclose(share[1], [0.2, 0.2, 0.4, 0.2])


def test_levels_of_many_values_are_slices(random):
    z, share = rank(random.normal(size=(1000, 1)))[1].levels(10)
    np.testing.assert_allclose(z[0], np.arange(-0.45, 0.5, 0.1))
    np.testing.assert_allclose(share[0], 0.1)
