"""The order of one column: the sort that everything waits for.

NumPy sorts whole numbers with vector instructions, several times faster than it, or a radix sort, finds the order of
floating-point numbers. So scores become whole numbers of the same order, *keys*; the leading bits of a key and the
index of its sample share one number of 64 bits; and these are sorted. Keys that those bits do not tell apart are few,
and are put right afterwards: the order is that of all 64 bits.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]

#: Numbers worked on at a time: they and what is made of them stay in the cache.
BLOCK_SIZE = 2**15

MAGNITUDE = np.int64(2**63 - 1)
SIGN = np.int64(-(2**63))


def holds_keys(dtype: np.dtype[np.generic]) -> bool:
    """Say whether scores are whole numbers that float64 might not tell apart."""
    return dtype.kind in "iu" and dtype.itemsize == 8


def to_keys(scores: npt.NDArray[np.floating[Any]], dtype: np.dtype[np.generic]) -> IntArray:
    """Turn scores of a type, held in the 64 bits of a float64 each, into keys, in place; there is no NaN among them."""
    keys = scores.view(np.int64)
    if dtype.kind == "u" and holds_keys(dtype):
        keys ^= SIGN
    elif not holds_keys(dtype):
        for rows in blocks(len(keys)):
            # Sign and magnitude to two's complement; both zeros become 0.
            key = keys[rows]
            negative = key >> 63
            key &= MAGNITUDE
            key ^= negative
            key -= negative
    return keys


def from_keys(keys: IntArray, dtype: np.dtype[np.generic]) -> npt.NDArray[np.generic]:
    """Turn keys back into scores of the type."""
    if holds_keys(dtype):
        return (keys ^ SIGN if dtype.kind == "u" else keys).astype(dtype)
    return np.copysign(np.abs(keys).view(np.float64), keys).astype(dtype)


def sort(keys: IntArray, packed: npt.NDArray[np.uint64]) -> tuple[IntArray, IntArray]:
    """Give the order of the keys, and the places in it whose key equals the next one's.

    `packed`, as long as the keys, is the room that is worked in, and holds the order in the end.
    """
    index_bits = (len(keys) - 1).bit_length()
    lost = _pack(keys, packed, index_bits)
    packed.sort()
    index = np.uint64((1 << index_bits) - 1)
    tied = np.concatenate([_alike(packed, rows, index) for rows in blocks(len(packed))])
    packed &= index
    order = packed.view(np.int64)
    return order, _put_right(keys, order, tied) if lost and len(tied) else tied


def _pack(keys: IntArray, packed: npt.NDArray[np.uint64], index_bits: int) -> bool:
    """Pack the leading bits of each key with its index; say whether bits that differ were left behind."""
    low, high = int(keys.min()), int(keys.max())
    shift = max(0, (high - low).bit_length() + index_bits - 64)
    lowest, seen = np.uint64(low % 2**64), 0
    for rows in blocks(len(keys)):
        part = packed[rows]
        np.subtract(keys[rows].view(np.uint64), lowest, out=part)
        seen |= int(np.bitwise_or.reduce(part))
        part >>= np.uint64(shift)
        part <<= np.uint64(index_bits)
        part |= np.arange(rows.start, rows.start + len(part), dtype=np.uint64)
    return seen % (1 << shift) > 0


def _alike(packed: npt.NDArray[np.uint64], rows: slice, index: np.uint64) -> IntArray:
    """Give the places whose leading bits are those of the next place."""
    part = packed[rows.start : rows.stop + 1]
    return rows.start + np.flatnonzero((part[1:] ^ part[:-1]) <= index)


def _put_right(keys: IntArray, order: IntArray, alike: IntArray) -> IntArray:
    """Order by all bits what the leading ones left open, and give the places that are tied indeed.

    The leading bits already order the runs of keys that share them, so sorting the members of all runs at once
    leaves each in its own run.
    """
    shared = np.zeros(len(order), dtype=bool)
    shared[alike] = shared[alike + 1] = True
    members = np.flatnonzero(shared)
    found = keys[order[members]]
    if np.any(found[1:] < found[:-1]):
        by = np.argsort(found)
        order[members], found = order[members][by], found[by]
    return members[:-1][found[1:] == found[:-1]]


def blocks(n: int, size: int = BLOCK_SIZE) -> Iterator[slice]:
    """Cut n places into blocks."""
    return (slice(start, start + size) for start in range(0, n, size))
