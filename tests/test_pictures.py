import numpy as np
import pytest

import goldless as gl
from goldless import pictures
from goldless.moments import second_moments
from goldless.ranks import rank
from goldless.rows import Rows


def evaluated(**settings):
    return gl.evaluate(gl.simulate(random_state=0, **settings).scores).pictures


def test_the_agreement_off_the_diagonal_is_what_the_fit_explains():
    shown = evaluated(n_samples=20_000, n_methods=8).agreement
    left = shown.covariance - np.outer(shown.common, shown.common)
    np.fill_diagonal(left, 0)
    assert shown.shown == tuple(range(8))
    assert np.abs(left).max() < 0.003


def test_of_many_methods_those_of_the_largest_part_are_shown(random):
    second = Rows(random.uniform(-0.5, 0.5, (50, 120))).sum(second_moments)
    q = random.normal(size=120)
    shown = pictures.agreement(second, q)
    assert len(shown.shown) == pictures.MOST_SHOWN
    assert list(shown.shown) == sorted(shown.shown)
    assert np.abs(q[list(shown.shown)]).min() >= np.sort(np.abs(q))[20]


def test_the_score_distribution_holds_every_sample_once():
    shown = evaluated(prevalence=0.2).scores
    assert shown.share.sum() == pytest.approx(1, abs=1e-4)
    assert shown.positive.sum() == pytest.approx(0.2, abs=0.03)
    assert np.all(shown.positive <= shown.share + 1e-6)


@pytest.mark.parametrize("settings", [{}, {"prevalence": 0.1}, {"n_methods": 10}, {"groups": [range(30)]}], ids=str)
def test_the_expected_growth_is_that_of_the_labels_once_the_aurocs_are_known(settings):
    data = gl.simulate(n_samples=4000, random_state=1, **settings)
    found = gl.Summa(model="auto").fit(data.scores).reveal(data.scores, data.labels)
    second = Rows(rank(data.scores)[0]).sum(second_moments)
    p = data.labels.var()
    # The order of the methods is that of the estimates, as in the truth.
    best = np.argsort(-found.auroc, kind="stable")
    known = pictures.expected_growth(second, 4000, found.truth.auroc - 0.5, p, found.weights)
    assert known.n_methods == found.truth.growth.n_methods
    assert known.auroc[-1] == pytest.approx(found.truth.ensemble, abs=0.02)
    assert known.auroc[0] == pytest.approx(found.truth.auroc.max(), abs=0.03)
    assert found.truth.growth.auroc[0] == pytest.approx(found.truth.auroc[best[0]])


def test_what_is_missing_adds_nothing(random):
    data = gl.simulate(n_samples=20_000, n_methods=12, random_state=2)
    scores = np.where(random.random(data.scores.shape) < 0.6, np.nan, data.scores)
    some = ~np.isnan(scores).all(axis=1)
    found = gl.Summa().fit(scores[some]).reveal(scores[some], data.labels[some])
    complete = gl.Summa().fit(data.scores).evaluation_
    assert found.ensemble_auroc == pytest.approx(found.truth.ensemble, abs=0.02)
    assert found.ensemble_auroc < complete.ensemble_auroc - 0.03


@pytest.mark.parametrize("n_methods", [3, 7, 30, 500])
def test_steps_go_from_one_method_to_all(n_methods):
    sizes = pictures.steps(n_methods)
    assert sizes[0] == 1
    assert sizes[-1] == n_methods
    assert len(sizes) <= pictures.STEPS


def test_calibration_bins_hold_equally_many_samples(random):
    predicted = random.random(1000)
    shown = pictures.calibration(predicted, (random.random(1000) < predicted).astype(float))
    assert np.all(shown.n_samples == 100)
    np.testing.assert_allclose(shown.observed, shown.predicted, atol=0.15)
    assert len(pictures.calibration(predicted[:4], np.ones(4)).n_samples) == 4


def test_what_two_methods_share_is_not_known_without_a_common_sample(random):
    z = random.uniform(-0.5, 0.5, (100, 4))
    z[:50, 0] = z[50:, 1] = np.nan
    covariance = pictures.agreement(Rows(z).sum(second_moments), np.full(4, 0.1)).covariance
    assert np.argwhere(np.isnan(covariance)).tolist() == [[0, 1], [1, 0]]
