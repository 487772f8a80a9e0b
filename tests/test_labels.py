import numpy as np
import pytest

import goldless as gl
from goldless import rows as rows_module
from goldless.factor import CENTRES, yardstick
from goldless.labels import label_counts, labelled_sums, row_posterior, sides, soft_sums
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


@pytest.mark.filterwarnings("ignore::goldless.errors.OneClassWarning")
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
    statistics = [
        (sides, np.full(12, 0.1), 0.2),
        (label_counts, stick),
        (soft_sums, stick, posterior),
        (labelled_sums, stick, posterior),
    ]
    whole = [rows.sum(*statistic) for statistic in statistics]
    monkeypatch.setattr(rows_module, "BLOCK_SIZE", 200)
    for statistic, expected in zip(statistics, whole, strict=True):
        for name, value in vars(rows.sum(*statistic)).items():
            np.testing.assert_allclose(value, getattr(expected, name), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(whole[2].p.sum() / whole[2].scored.sum(), row_posterior(rows.z, stick, posterior).mean())


def test_suggested_samples_are_spread_over_the_score(alike):
    model = gl.Summa().fit(alike.scores)
    y = some(alike.labels, 100)
    chosen = model.suggest(20, y=y)
    assert len(set(chosen.tolist())) == 20
    assert np.all(y[chosen] == -1)
    places = np.argsort(np.argsort(model.decision_function(alike.scores)))[chosen] / 2000
    np.testing.assert_allclose(np.sort(places), (np.arange(20) + 0.5) / 20, atol=0.03)
    with_labels = gl.Summa().fit(alike.scores, y)
    np.testing.assert_array_equal(with_labels.suggest(20), with_labels.suggest(20, alike.scores, y))
    np.testing.assert_array_equal(model.suggest(20, alike.scores, y), chosen)
    assert len(model.suggest(9, alike.scores[:5])) == 5
    assert len(model.suggest(3, alike.scores, alike.labels)) == 0


def quality(model, data):
    return gl.metrics.auroc(data.labels, model.decision_function(data.scores))


@pytest.mark.parametrize("model", ["independent", "shared", "auto"])
def test_labels_turn_methods_that_point_to_the_other_class(model):
    data = gl.simulate(1000, 10, 0.4, auroc=(0.2, 0.45), random_state=0)
    found = gl.Summa(model=model).fit(data.scores, some(data.labels, 40))
    assert found.evaluation_.turned
    assert error(found, data) < 0.06
    assert quality(found, data) > 0.85
    probability = found.predict_proba(data.scores)[:, 1]
    assert gl.metrics.auroc(data.labels, probability) > 0.85
    assert np.mean(found.predict(data.scores) == (probability > 0.5)) > 0.8
    assert probability.mean() == pytest.approx(0.4, abs=0.1)
    low, high = found.auroc_interval_.T
    assert np.all((low <= found.auroc_) & (found.auroc_ <= high))
    assert "their signs are turned" in " ".join(str(found.evaluation_).split())
    assert gl.Evaluation.from_json(found.evaluation_.to_json()) == found.evaluation_


def test_labels_turn_a_given_prevalence_too():
    data = gl.simulate(1000, 10, 0.3, auroc=(0.2, 0.45), random_state=0)
    found = gl.Summa(prevalence=0.3).fit(data.scores, some(data.labels, 100))
    assert found.prevalence_ == pytest.approx(0.3)
    assert error(found, data) < 0.05
    assert found.predict_proba(data.scores)[:, 1].mean() == pytest.approx(0.3, abs=0.03)


def test_probabilities_turn_with_the_labels():
    data = gl.simulate(1000, 10, 0.4, auroc=(0.2, 0.45), random_state=0)
    scores = 1 / (1 + np.exp(-data.scores))
    found = gl.Summa(model="calibrated").fit(scores, some(data.labels, 40))
    assert gl.metrics.auroc(data.labels, found.predict_proba(scores)[:, 1]) > 0.85


@pytest.mark.parametrize("model", ["independent", "shared", "auto"])
def test_labels_take_the_weight_from_clones(model):
    alike = {"groups": [[0, 1, 2]], "correlation": 0.8, "random_state": 0}
    data = gl.simulate(1000, 6, 0.4, auroc=[0.55, 0.55, 0.55, 0.9, 0.9, 0.9], **alike)
    models = [gl.Summa(model=model).fit(data.scores, some(data.labels, n)) for n in (0, 300, 1000)]
    qualities = [quality(model, data) for model in models]
    assert qualities[0] < qualities[1] < qualities[2]
    assert qualities[2] > 0.97
    assert gl.metrics.auroc(data.labels, models[2].predict_proba(data.scores)[:, 1]) > 0.97
    assert models[0].evaluation_.supervision == 0
    assert models[2].evaluation_.supervision == pytest.approx(1)


def test_labels_do_the_ensemble_no_harm(alike):
    free = quality(gl.Summa(model="auto").fit(alike.scores), alike)
    for n in (5, 30, 200):
        found = [
            quality(gl.Summa(model="auto").fit(alike.scores, some(alike.labels, n, seed)), alike) for seed in range(4)
        ]
        assert np.mean(found) > free - 0.005


@pytest.mark.filterwarnings("ignore::goldless.errors.NoSignalWarning")
def test_intervals_are_those_of_the_population_however_many_labels():
    covered = {n: [] for n in (0, 60, 180, 200)}
    for seed in range(25):
        data = gl.simulate(200, 6, 0.4, auroc=(0.6, 0.9), random_state=seed)
        for n, shares in covered.items():
            low, high = gl.Summa().fit(data.scores, some(data.labels, n)).auroc_interval_.T
            shares.append(np.mean((low <= data.auroc) & (data.auroc <= high)))
    assert min(np.mean(shares) for shares in covered.values()) > 0.88
    assert max(np.mean(shares) for shares in covered.values()) < 1
