import numpy as np
import pytest

import goldless as gl


def within_class_correlation(data):
    centred = data.scores - np.stack([data.scores[data.labels == c].mean(axis=0) for c in (0, 1)])[data.labels]
    return np.corrcoef(centred.T)


def test_sizes_and_prevalence():
    data = gl.simulate(n_samples=500, n_methods=7, prevalence=0.2, random_state=0)
    assert data.scores.shape == (500, 7)
    assert data.labels.sum() == 100
    assert np.all((data.auroc >= 0.4) & (data.auroc <= 0.8))


def test_seeds_repeat():
    np.testing.assert_array_equal(gl.simulate(random_state=3).scores, gl.simulate(random_state=3).scores)
    assert not np.array_equal(gl.simulate(random_state=3).scores, gl.simulate(random_state=4).scores)


@pytest.mark.parametrize("variances", [(1.0, 1.0), (1.0, 4.0)])
def test_the_population_auroc_is_reached(variances):
    data = gl.simulate(200_000, 3, 0.3, auroc=[0.4, 0.7, 0.9], variances=variances, random_state=0)
    np.testing.assert_array_equal(data.auroc, [0.4, 0.7, 0.9])
    np.testing.assert_allclose(gl.metrics.auroc(data.labels, data.scores), data.auroc, atol=0.005)
    spread = [data.scores[data.labels == c].var(axis=0) for c in (0, 1)]
    np.testing.assert_allclose(spread, np.repeat(np.array(variances)[:, None], 3, axis=1), rtol=0.05)


def test_methods_are_independent_within_classes():
    correlation = within_class_correlation(gl.simulate(50_000, 4, random_state=0))
    np.testing.assert_allclose(correlation, np.eye(4), atol=0.02)


@pytest.mark.parametrize("groups", [[0, 0, -1, 1, 1], [[0, 1], [3, 4]]])
def test_groups_share_a_factor(groups):
    data = gl.simulate(50_000, 5, groups=groups, correlation=0.3, random_state=0)
    expected = np.eye(5)
    expected[[0, 1, 3, 4], [1, 0, 4, 3]] = 0.3
    np.testing.assert_allclose(within_class_correlation(data), expected, atol=0.02)


def test_prevalence_is_checked():
    with pytest.raises(gl.InputError, match=r"prevalence=1\.5"):
        gl.simulate(prevalence=1.5)


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        ({"auroc": 0.7}, r"auroc=0\.7 must be a pair of bounds, or 30 AUROCs"),
        ({"auroc": [0.7] * 4}, "or 30 AUROCs, one for each method"),
        ({"auroc": [0.5, 0.6, 2], "n_methods": 3}, "must be a pair of bounds, or 3 AUROCs"),
        ({"auroc": "high"}, "auroc must be numbers; found"),
        ({"variances": 3}, "variances=3 must be two positive numbers"),
        ({"variances": (1, -1)}, "must be two positive numbers, one for each class"),
        ({"n_samples": 0}, "n_samples=0 must be a whole number, 1 at least"),
        ({"n_samples": -5}, "n_samples=-5 must be a whole number, 1 at least"),
        ({"n_methods": 2.5}, r"n_methods=2\.5 must be a whole number"),
        ({"groups": [0, 1]}, "must be a group number for each of the 30 methods"),
        ({"groups": [[0, 40]]}, "or lists of columns, 0 to 29"),
        ({"groups": []}, "must be a group number for each of the 30 methods"),
        ({"prevalence": "a"}, "prevalence='a' must be a number"),
    ],
)
def test_what_cannot_be_simulated(parameters, match):
    with pytest.raises(gl.InputError, match=match):
        gl.simulate(**parameters)
