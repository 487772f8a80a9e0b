import numpy as np
import pytest

import goldless as gl
from goldless.answers import Answer, cautious
from goldless.factor import Reading

INDEPENDENT = Answer(np.array([0.3]), 0.5, np.array([[0.29, 0.31]]), np.array([0.48, 0.52]))
OTHER = Reading(np.array([0.1]), np.array([1e-6]), 0.3, 1e-6)


@pytest.mark.parametrize(("caution", "delta", "rho"), [(0.0, 0.3, 0.5), (0.5, 0.2, 0.4), (1.0, 0.1, 0.3)])
def test_the_answer_moves_from_one_to_the_other(caution, delta, rho):
    found = cautious(INDEPENDENT, OTHER, caution, np.array([1000.0]), 0.95)
    assert found.delta[0] == pytest.approx(delta)
    assert found.rho == pytest.approx(rho)


def test_the_difference_of_the_answers_stays_in_the_interval():
    for caution in (0.5, 0.8, 1.0):
        found = cautious(INDEPENDENT, OTHER, caution, np.array([1e9]), 0.95)
        assert np.ptp(found.delta_interval) == pytest.approx(2 * 1.96 * 0.1, rel=0.05)
        assert np.ptp(found.rho_interval) == pytest.approx(2 * 1.96 * 0.1, rel=0.05)


def test_intervals_cover_where_weak_methods_share_a_factor():
    covered = []
    for seed in range(5):
        data = gl.simulate(1000, 15, 0.4, groups=[range(15)], correlation=0.2, random_state=seed)
        low, high = gl.Summa(model="auto").fit(data.scores).auroc_interval_.T
        truth = gl.metrics.auroc(data.labels, data.scores)
        covered.append(np.mean((low <= truth) & (truth <= high)))
    assert np.mean(covered) >= 0.8
