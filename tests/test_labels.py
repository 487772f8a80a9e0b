import numpy as np
import pytest

import goldless as gl
from goldless import rows as rows_module
from goldless.factor import CENTRES, yardstick
from goldless.labels import label_counts, labelled_sums, row_posterior, soft_sums
from goldless.ranks import rank
from goldless.rows import Rows


@pytest.fixture(scope="module")
def alike():
    """Methods that share a factor, where the label-free answer is far off."""
    return gl.simulate(2000, 12, 0.4, auroc=(0.55, 0.85), groups=[range(12)], correlation=0.3, random_state=0)


def some(labels, n, seed=0):
    y = np.full(len(labels), -1)
    chosen = np.random.default_rng(seed).choice(len(labels), n, replace=False)
    y[chosen] = labels[chosen]
    return y


def error(model, data):
    return np.sqrt(np.mean((model.auroc_ - gl.metrics.auroc(data.labels, data.scores)) ** 2))


def test_all_labels_give_the_plain_aurocs(alike):
    model = gl.Summa(model="auto").fit(alike.scores, alike.labels)
    np.testing.assert_allclose(model.auroc_, gl.metrics.auroc(alike.labels, alike.scores), atol=1e-9)
    assert model.prevalence_ == pytest.approx(alike.labels.mean())
    np.testing.assert_allclose(np.ptp(model.auroc_interval_, axis=1), 0, atol=1e-9)


def test_all_labels_with_missing_scores_give_the_plain_aurocs(alike, random):
    scores = np.where(random.random(alike.scores.shape) < 0.3, np.nan, alike.scores)
    model = gl.Summa().fit(scores, alike.labels)
    np.testing.assert_allclose(model.auroc_, gl.metrics.auroc(alike.labels, scores), atol=1e-9)


def test_no_known_label_is_no_label(alike):
    with_none = gl.Summa().fit(alike.scores, np.full(2000, -1))
    assert with_none.evaluation_ == gl.Summa().fit(alike.scores).evaluation_


def test_the_error_falls_as_labels_come(alike):
    means = [
        np.mean(
            [error(gl.Summa(model="auto").fit(alike.scores, some(alike.labels, n, seed)), alike) for seed in range(8)]
        )
        for n in (0, 30, 300)
    ]
    assert means[0] > means[1] > means[2]


def test_intervals_shrink_and_cover(alike):
    truth = gl.metrics.auroc(alike.labels, alike.scores)
    covered, widths = [], []
    for n in (30, 300):
        for seed in range(8):
            low, high = gl.Summa(model="auto").fit(alike.scores, some(alike.labels, n, seed)).auroc_interval_.T
            covered.append(np.mean((low <= truth) & (truth <= high)))
            widths.append(np.mean(high - low))
    assert np.mean(covered) > 0.85
    assert np.mean(widths[8:]) < 0.7 * np.mean(widths[:8])


@pytest.mark.parametrize("label", [0, 1])
def test_labels_of_one_class_or_a_single_one_do_no_harm(alike, label):
    y = np.full(2000, -1)
    y[np.flatnonzero(alike.labels == label)[:8]] = label
    for labels in (y, np.where(np.arange(2000) == np.flatnonzero(y >= 0)[0], y, -1)):
        model = gl.Summa(model="auto").fit(alike.scores, labels)
        assert np.all(np.isfinite(model.auroc_interval_))
        assert 0 <= model.prevalence_ <= 1
        assert error(model, alike) < error(gl.Summa().fit(alike.scores), alike) + 0.05


def test_where_independence_holds_labels_do_no_harm():
    data = gl.simulate(1000, 20, 0.3, random_state=1)
    free = error(gl.Summa().fit(data.scores), data)
    with_labels = [error(gl.Summa().fit(data.scores, some(data.labels, 30, seed)), data) for seed in range(5)]
    assert np.mean(with_labels) < free + 0.01


def test_the_posterior_uses_the_labels(alike):
    y = some(alike.labels, 200)
    model = gl.Summa(model="auto").fit(alike.scores, y)
    probability = model.predict_proba(alike.scores)[:, 1]
    assert probability.mean() == pytest.approx(0.4, abs=0.08)
    assert model.evaluation_.n_labels == 200
    assert "with the labels of 200 of them" in str(model.evaluation_)


def test_a_given_prevalence_stays():
    data = gl.simulate(500, 8, 0.3, auroc=(0.6, 0.8), random_state=1)
    assert gl.Summa(prevalence=0.25).fit(data.scores, some(data.labels, 40)).prevalence_ == 0.25


def test_sums_do_not_depend_on_the_blocks(alike, monkeypatch):
    rows = Rows(rank(alike.scores[:300])[0], some(alike.labels[:300], 80).astype(float))
    stick, posterior = yardstick(Rows(rows.z)), 1 / (1 + np.exp(-CENTRES))
    statistics = [(label_counts, stick), (soft_sums, stick, posterior), (labelled_sums, stick, posterior)]
    whole = [rows.sum(*statistic) for statistic in statistics]
    monkeypatch.setattr(rows_module, "BLOCK_SIZE", 200)
    for statistic, expected in zip(statistics, whole, strict=True):
        for name, value in vars(rows.sum(*statistic)).items():
            np.testing.assert_allclose(value, getattr(expected, name), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(whole[1].p.sum() / whole[1].scored.sum(), row_posterior(rows.z, stick, posterior).mean())


def test_suggested_samples_are_spread_over_the_score(alike):
    model = gl.Summa().fit(alike.scores)
    y = some(alike.labels, 100)
    chosen = model.suggest(20, y=y)
    assert len(set(chosen.tolist())) == 20
    assert np.all(y[chosen] == -1)
    places = np.argsort(np.argsort(model.decision_function(alike.scores)))[chosen] / 2000
    np.testing.assert_allclose(np.sort(places), (np.arange(20) + 0.5) / 20, atol=0.03)
    np.testing.assert_array_equal(gl.Summa().fit(alike.scores, y).suggest(20), chosen)
    np.testing.assert_array_equal(model.suggest(20, alike.scores, y), chosen)
    assert len(model.suggest(9, alike.scores[:5])) == 5
    assert len(model.suggest(3, alike.scores, alike.labels)) == 0
