from dataclasses import dataclass

import numpy as np
import pytest

from goldless.errors import InputError
from goldless.partition import applied, mapped, picked, summed
from goldless.rows import Sums


@dataclass(frozen=True)
class Total(Sums):
    total: float


def total(z, beside, factor):
    return Total(factor * float(beside @ z.sum(axis=1)))


def test_a_partition_is_summed_in_blocks(random, monkeypatch):
    z, beside = random.normal(size=(50, 3)), random.normal(size=50)
    monkeypatch.setattr("goldless.rows.BLOCK_SIZE", 12)
    assert summed((z, beside), total, (2.0,)).total == pytest.approx(2 * beside @ z.sum(axis=1))
    assert summed((z[:0], beside[:0]), total, (2.0,)) is None


def test_a_partition_is_mapped_in_blocks(random, monkeypatch):
    z, beside = random.normal(size=(50, 3)), random.normal(size=50)
    monkeypatch.setattr("goldless.rows.BLOCK_SIZE", 12)
    function = {"function": lambda z, x, k: np.stack([x, k * z[:, 0]], axis=1), "parameters": (3,)}
    np.testing.assert_array_equal(mapped(z, beside, **function), np.stack([beside, 3 * z[:, 0]], axis=1))
    assert mapped(z[:0], beside[:0], **function).shape == (0, 2)


def test_what_is_wrong_is_said_to_be_in_a_partition():
    def refuse(z):
        raise InputError("Row 3 is bad.")

    with pytest.raises(InputError, match=r"^Within one partition: Row 3 is bad\.$"):
        applied(np.ones((5, 2)), function=refuse, parameters=())
    assert applied(np.ones((0, 2)), function=refuse, parameters=()).shape == (0, 2)


def test_rows_are_picked(random):
    z = random.normal(size=(10, 2))
    found, beside = picked((z, z[:, 0]), np.array([1, 4, 7]))
    np.testing.assert_array_equal(found, z[[1, 4, 7]])
    np.testing.assert_array_equal(beside, z[[1, 4, 7], 0])
