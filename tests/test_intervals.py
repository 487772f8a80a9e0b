import numpy as np
import pytest

import goldless as gl
from goldless.evaluation import RIDGE, SOLVERS
from goldless.intervals import moment_errors
from goldless.moments import second_moments, third_moment
from goldless.ranks import rank
from goldless.rows import Rows


def fitted(scores):
    rows = Rows(rank(scores)[0])
    second = rows.sum(second_moments)
    q = SOLVERS["iterative"](second, 0.25).q
    third = rows.sum(third_moment, q / np.linalg.norm(q))
    return q, third.tau / np.linalg.norm(q) ** 3, moment_errors(rows, len(scores), second, q, third, RIDGE)


@pytest.mark.parametrize("missing", [0, 0.3])
def test_standard_errors_are_those_of_the_bootstrap(random, missing):
    """The reference: samples drawn with replacement, ranked and fitted again."""
    scores = gl.simulate(800, 8, 0.3, auroc=(0.55, 0.85), random_state=0).scores
    scores = np.where(random.random(scores.shape) < missing, np.nan, scores)
    _, _, errors = fitted(scores)
    drawn = []
    for _ in range(150):
        q, s, _ = fitted(scores[random.integers(0, 800, 800)])
        drawn.append(np.append(q, -2 * np.arcsinh(s / 2)))
    spread = np.std(drawn, axis=0)
    np.testing.assert_allclose(np.sqrt(np.diag(errors.covariance)) / spread, 1, atol=0.3)
    assert np.mean(np.sqrt(np.diag(errors.covariance))[:8] / spread[:8]) == pytest.approx(1, abs=0.12)


def test_intervals_cover_the_population():
    covered, prevalences = [], []
    for seed in range(30):
        data = gl.simulate(1000, 15, 0.3, random_state=seed)
        model = gl.Summa().fit(data.scores)
        low, high = model.auroc_interval_.T
        covered.append(np.mean((low <= data.auroc) & (data.auroc <= high)))
        prevalences.append(model.prevalence_interval_[0] <= 0.3 <= model.prevalence_interval_[1])
    assert 0.91 < np.mean(covered) < 0.985
    assert np.mean(prevalences) >= 0.85


def test_intervals_shrink_with_the_samples_and_grow_with_the_level():
    widths = []
    for n in (200, 800, 3200):
        model = gl.Summa().fit(gl.simulate(n, 15, random_state=1).scores)
        widths.append(np.ptp(model.auroc_interval_, axis=1).mean())
    assert widths[0] > 1.5 * widths[1] > 2.2 * widths[2]
    scores = gl.simulate(random_state=1).scores
    narrow, wide = (np.ptp(gl.Summa(level=level).fit(scores).auroc_interval_, axis=1) for level in (0.5, 0.99))
    assert np.all(wide > narrow)


@pytest.mark.filterwarnings("ignore::goldless.errors.NoSignalWarning")
def test_intervals_hold_the_estimate_and_stay_within_bounds():
    for seed in range(10):
        model = gl.Summa().fit(gl.simulate(200, 5, 0.2, auroc=(0.3, 1), random_state=seed).scores)
        low, high = model.auroc_interval_.T
        assert np.all((low >= 0) & (low <= model.auroc_ + 1e-9) & (model.auroc_ <= high + 1e-9) & (high <= 1))
        assert 0 <= model.prevalence_interval_[0] <= model.prevalence_interval_[1] <= 1
        weights = model.evaluation_.weights_interval
        assert np.all((weights[:, 0] <= model.weights_) & (model.weights_ <= weights[:, 1]))


@pytest.mark.parametrize("settings", [{}, {"model": "auto", "refine": "likelihood"}, {"model": "shared"}])
def test_every_weight_lies_in_its_interval(settings):
    data = gl.simulate(1000, 15, 0.3, groups=[range(15)], correlation=0.3, auroc=(0.5, 0.9), random_state=0)
    for y in (None, np.where(np.arange(1000) < 50, data.labels, -1)):
        model = gl.Summa(**settings).fit(data.scores, y)
        low, high = model.evaluation_.weights_interval.T
        assert np.all((low <= model.weights_) & (model.weights_ <= high))


def test_intervals_of_weights_cover_those_of_plenty():
    plenty = gl.simulate(200_000, 10, 0.3, auroc=np.linspace(0.55, 0.85, 10), random_state=0)
    truth = gl.Summa().fit(plenty.scores).weights_
    covered = []
    for seed in range(30):
        found = gl.Summa().fit(gl.simulate(1000, 10, 0.3, auroc=plenty.auroc, random_state=seed).scores).evaluation_
        low, high = found.weights_interval.T
        covered.append(np.mean((low <= truth) & (truth <= high)))
    assert 0.9 < np.mean(covered) < 0.99


@pytest.mark.filterwarnings("ignore::goldless.errors.GoldlessWarning")
def test_without_signal_the_intervals_are_wide(random):
    model = gl.Summa().fit(random.normal(size=(300, 4)))
    assert np.all(np.isfinite(model.auroc_interval_))
    low, high = model.auroc_interval_.T
    np.testing.assert_array_equal([low, high], [[0] * 4, [1] * 4])
    np.testing.assert_array_equal(model.prevalence_interval_, [0, 1])


def test_a_given_prevalence_has_no_interval_and_narrows_the_others():
    scores = gl.simulate(2000, 8, 0.3, auroc=(0.55, 0.9), random_state=4).scores
    known, unknown = gl.Summa(prevalence=0.3).fit(scores), gl.Summa().fit(scores)
    np.testing.assert_array_equal(known.prevalence_interval_, [0.3, 0.3])
    assert np.ptp(known.auroc_interval_, axis=1).mean() < np.ptp(unknown.auroc_interval_, axis=1).mean()


def test_some_rows_give_the_standard_errors_of_all(monkeypatch):
    monkeypatch.setattr("goldless.rows.ENOUGH", 30_000)
    monkeypatch.setattr("goldless.rows.ENOUGH_ROWS", 5_000)
    rows = Rows(rank(gl.simulate(20_000, 6, random_state=0).scores)[0])
    second = rows.sum(second_moments)
    q = SOLVERS["iterative"](second, 0.25).q
    third = rows.sum(third_moment, q / np.linalg.norm(q))
    every, some = (
        np.sqrt(np.diag(moment_errors(part, 20_000, second, q, third).covariance)) for part in (rows, rows.some())
    )
    assert rows.some().n_samples == 5_000
    np.testing.assert_allclose(some, every, rtol=0.1)


@pytest.mark.filterwarnings("ignore::goldless.errors.GoldlessWarning")
def test_nothing_is_known_of_nothing():
    first = np.tile([0.0, 1.0], 50)
    second, third = np.tile([0.0, 0.0, 1.0, 1.0], 25), np.repeat([0.0, 1.0], 50)
    model = gl.Summa().fit(np.column_stack([first, second, third]))
    assert np.all(np.isfinite(model.weights_))
    np.testing.assert_allclose(model.auroc_, 0.5, atol=0.1)
    np.testing.assert_array_equal(model.auroc_interval_, [[0, 1]] * 3)
