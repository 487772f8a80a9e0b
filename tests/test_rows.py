from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from goldless import rows
from goldless.rows import Rows, Sums, hold, one_of_each


@dataclass(frozen=True)
class Totals(Sums):
    total: float
    squares: np.ndarray


def totals(z, factor):
    return Totals(factor * z.sum(), (z**2).sum(axis=0))


def test_sums_add_field_by_field():
    both = Totals(1.0, np.array([1.0, 2.0])) + Totals(2.0, np.array([0.5, 0.5]))
    assert both.total == 3.0
    np.testing.assert_array_equal(both.squares, [1.5, 2.5])


@given(st.integers(1, 200), st.integers(1, 100))
def test_any_block_size_gives_the_same_sums(n_samples, block):
    z = np.random.default_rng(n_samples).normal(size=(n_samples, 3))
    whole = totals(z, 2.0)
    size, rows.BLOCK_SIZE = rows.BLOCK_SIZE, 3 * block
    try:
        summed = Rows(z).sum(totals, 2.0)
    finally:
        rows.BLOCK_SIZE = size
    np.testing.assert_allclose(summed.total, whole.total, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(summed.squares, whole.squares, rtol=1e-12)


def test_map_keeps_the_order_of_rows(monkeypatch, random):
    monkeypatch.setattr(rows, "BLOCK_SIZE", 7)
    z = random.normal(size=(50, 3))
    np.testing.assert_array_equal(Rows(z).map(lambda block, k: block.sum(axis=1) * k, 3), z.sum(axis=1) * 3)


def test_rows_know_their_size(random):
    held = Rows(random.normal(size=(50, 3)))
    assert (held.n_samples, held.n_methods) == (50, 3)


def test_sparse_rows_offer_the_same_verbs():
    z = np.array([[0.5, 0.0, 0.2], [0.0, 0.0, -0.3]])
    held = hold(csr_array(z))
    assert (held.n_samples, held.n_methods) == (2, 3)
    summed = held.sum(totals, 2.0)
    assert summed.total == Rows(z).sum(totals, 2.0).total
    np.testing.assert_array_equal(held.map(lambda block, k: block @ np.ones(3) * k, 2), z.sum(axis=1) * 2)
    assert type(hold(z)) is Rows


def test_a_number_can_be_put_beside_each_row(random):
    z, label = random.normal(size=(50, 3)), random.integers(0, 2, 50).astype(float)
    for held in (Rows(z), hold(csr_array(z))):
        beside = held.with_(label)
        np.testing.assert_allclose(beside.sum(lambda block, y: Totals(y @ block, 0)).total, label @ z)
        assert beside.with_(None).sum(totals, 1.0).total == held.sum(totals, 1.0).total


def test_some_rows_are_one_of_each_run_whatever_its_period(monkeypatch):
    monkeypatch.setattr(rows, "ENOUGH", 3000)
    monkeypatch.setattr(rows, "ENOUGH_ROWS", 1000)
    period = np.arange(10_004) % 10
    held = Rows(np.asfortranarray(np.stack([period, np.arange(10_004), period], axis=1).astype(float)), period)
    some = held.some()
    np.testing.assert_array_equal(some.z[:, 1] // 10, np.arange(1000))
    np.testing.assert_array_equal(some.z[:, 0], some.beside)
    np.testing.assert_allclose(np.bincount(some.beside) / 1000, 0.1, atol=0.03)
    np.testing.assert_array_equal(held.some().z, some.z)
    assert some.z.flags.f_contiguous


def test_all_rows_are_some_where_there_are_few():
    held = Rows(np.zeros((100, 3)))
    assert held.some() is held
    np.testing.assert_array_equal(one_of_each(5, 5) < 5, [True])


def test_what_is_held_stays_as_it_is(random):
    held = Rows(random.normal(size=(5, 3)))
    assert hold(held) is held


def test_rows_can_be_made_of_rows(random):
    z = random.normal(size=(5, 3))
    np.testing.assert_array_equal(Rows(z).apply(lambda whole, k: whole * k, 2.0).z, 2 * z)
