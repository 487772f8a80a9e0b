"""Scores that a worker can make without loading what the tests load."""

import numpy as np


def noise(number, n):
    return np.random.default_rng(number).integers(0, 1000, (n, 20)) / 1000
