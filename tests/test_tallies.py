import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldless import ranks, tallies
from goldless.ranks import rank


def by_tallies(column, cuts, at):
    """Rank a column in parts and ranges, and give the z of its rows and its knots."""
    parts = [tallies.tally(part) for part in np.split(column, cuts)]
    bounds = [tallies.cut(values, at) for values, _ in parts]
    n = sum(int(counts.sum()) for _, counts in parts)
    below, by_part, knots = 0, [[] for _ in parts], []
    for r in range(len(at) + 1):
        slices = [slice(b[r], b[r + 1]) for b in bounds]
        values = np.concatenate([v[s] for (v, _), s in zip(parts, slices, strict=True)])
        counts = np.concatenate([c[s] for (_, c), s in zip(parts, slices, strict=True)])
        if not len(values):
            continue
        z, among = tallies.midranks(values, counts, below, n)
        knots.append(among)
        below += counts.sum()
        for mine, answer in zip(by_part, np.split(z, np.cumsum([s.stop - s.start for s in slices])[:-1]), strict=True):
            mine.append(answer)
    rows = [tallies.spread(part, np.concatenate(z)) for part, z in zip(np.split(column, cuts), by_part, strict=True)]
    return np.concatenate(rows), np.concatenate(knots)


columns = st.sampled_from(["normal", "ties", "missing", "whole", "few"])


@given(columns, st.integers(0, 10), st.lists(st.integers(0, 200), max_size=4), st.integers(1, 5))
def test_ranks_in_parts_are_those_of_the_whole(kind, seed, cuts, ranges):
    random = np.random.default_rng(seed)
    column = random.normal(size=200)
    if kind == "ties":
        column = np.where(random.random(200) < 0.99, 0.0, column)
    elif kind == "missing":
        column[random.random(200) < 0.3] = np.nan
    elif kind == "whole":
        column = random.integers(2**62, 2**62 + 90, 200)
    elif kind == "few":
        column = np.round(column)
    at = tallies.splitters(column[::3], np.ones(67), ranges)
    z, knots = by_tallies(column, sorted(cuts), at)
    expected, distribution = rank(column[:, None])
    np.testing.assert_allclose(z, expected[:, 0], atol=1e-15)
    np.testing.assert_array_equal(knots, distribution.knots[0])


def test_knots_are_thinned_as_in_memory(random, monkeypatch):
    monkeypatch.setattr(ranks, "MOST_KNOTS", 50)
    column = random.normal(size=500)
    _, knots = by_tallies(column, [200], np.array([-0.5, 0.5]))
    np.testing.assert_array_equal(knots, rank(column[:, None])[1].knots[0])


def test_splitters_cut_into_about_equal_ranges(random):
    column = random.normal(size=10_000)
    at = tallies.splitters(column, np.ones(10_000), 4)
    assert np.histogram(column, [-np.inf, *at, np.inf])[0] == pytest.approx(2500, abs=2)
    weight = np.where(column > 0, 3.0, 1.0)
    (middle,) = tallies.splitters(column, weight, 2)
    assert weight[column < middle].sum() == pytest.approx(weight.sum() / 2, abs=3)


def test_a_column_without_scores_is_not_cut():
    assert len(tallies.splitters(np.full(5, np.nan), np.ones(5), 3)) == 0
