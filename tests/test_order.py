import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from goldless import order

DTYPES = [np.float16, np.float32, np.float64, np.int8, np.int64, np.uint32, np.uint64, bool]


def keys_of(scores):
    room = np.empty(len(scores), np.int64 if order.holds_keys(scores.dtype) else float)
    room[:] = scores
    return order.to_keys(room.view(float), scores.dtype)


def sort(keys):
    return order.sort(keys, np.empty(len(keys), np.uint64))


@st.composite
def columns(draw):
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    elements = {"allow_nan": False} if dtype.kind == "f" else None
    return draw(arrays(dtype, st.integers(1, 40), elements=elements))


@given(columns())
def test_keys_are_ordered_and_tied_as_the_scores(scores):
    keys = keys_of(scores)
    for one, key in zip(scores.tolist(), keys.tolist(), strict=True):
        np.testing.assert_array_equal(keys < key, [other < one for other in scores.tolist()])
        np.testing.assert_array_equal(keys == key, [other == one for other in scores.tolist()])


@given(columns())
def test_keys_turn_back_into_scores(scores):
    back = order.from_keys(keys_of(scores), scores.dtype)
    assert back.dtype == scores.dtype
    np.testing.assert_array_equal(back, scores)


# Neighbours in the last bits at both ends of the range: none of them fits beside an index.
close = st.builds(lambda end, step: end + step, st.sampled_from([-(2**63), -5, 0, 2**62]), st.integers(0, 5))


@given(arrays(np.int64, st.integers(1, 60), elements=close))
def test_the_sort_is_that_of_all_64_bits(keys):
    by, tied = sort(keys)
    ordered = np.array(sorted(keys.tolist()))
    np.testing.assert_array_equal(np.sort(by), np.arange(len(keys)))
    np.testing.assert_array_equal(keys[by], ordered)
    np.testing.assert_array_equal(tied, np.flatnonzero(ordered[1:] == ordered[:-1]))


@pytest.mark.parametrize("n", [order.BLOCK_SIZE, 3 * order.BLOCK_SIZE + 1])
def test_blocks_do_not_show(random, n):
    keys = random.integers(-(2**63), 2**63 - 1, n)
    # Runs of equal and of nearly equal keys across the edges of the blocks.
    keys[::3] = 7
    keys[1::3] = 2**40 + random.integers(0, 9, len(keys[1::3]))
    by, tied = sort(keys)
    ordered = np.sort(keys, kind="stable")
    np.testing.assert_array_equal(keys[by], ordered)
    np.testing.assert_array_equal(tied, np.flatnonzero(ordered[1:] == ordered[:-1]))
