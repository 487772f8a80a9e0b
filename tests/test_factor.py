import numpy as np
import pytest

import goldless as gl
from goldless import rows as rows_module
from goldless.factor import (
    BINS,
    CENTRES,
    Yardstick,
    agreement,
    calls,
    consensus_posterior,
    consensus_scores,
    histograms,
    mixtures,
    score_sums,
)
from goldless.factor import (
    shared as judge_shared,
)
from goldless.ranks import rank
from goldless.rows import Rows


def test_the_mixtures_are_standardised_densities():
    table = mixtures()
    prevalence, log_density, upper = table.prevalence, table.log_density, table.upper
    width = CENTRES[1] - CENTRES[0]
    density = np.exp(log_density) / np.sqrt(2 * np.pi)
    inside = density.sum(axis=1) * width > 0.999  # extreme mixtures reach beyond the bins
    assert inside.mean() > 0.9
    np.testing.assert_allclose((density * CENTRES).sum(axis=1)[inside] * width, 0, atol=0.02)
    np.testing.assert_allclose((density * upper).sum(axis=1)[inside] * width, prevalence[inside], atol=0.01)


def test_the_consensus_leaves_each_method_out(random):
    z = rank(random.normal(size=(20, 4)))[0]
    z[3, 1] = np.nan
    weight, precision = np.array([0.5, 1.0, 0.2, -0.1]), np.array([0.2, 0.5, 0.1, 0.1])
    S = consensus_scores(z, weight, precision)
    changed = z.copy()
    changed[:, 2] = changed[::-1, 2]
    T = consensus_scores(changed, weight, precision)
    np.testing.assert_allclose(S[:, 2], T[:, 2])
    assert np.abs(S[:, 4] - T[:, 4]).max() > 0.01
    np.testing.assert_allclose(S[3, 1], S[3, 4])


def test_sums_do_not_depend_on_the_blocks(random, monkeypatch):
    z = rank(random.normal(size=(100, 4)))[0]
    z[random.random(z.shape) < 0.2] = np.nan
    weight, precision = np.ones(4), np.full(4, 0.3)
    statistics = [
        (score_sums, weight, precision),
        (histograms, Yardstick(weight, weight, weight, precision, np.zeros(5), np.ones(5))),
        (calls, 0.3),
    ]
    whole = [Rows(z).sum(*statistic) for statistic in statistics]
    monkeypatch.setattr(rows_module, "BLOCK_SIZE", 20)
    for statistic, expected in zip(statistics, whole, strict=True):
        for name, value in vars(Rows(z).sum(*statistic)).items():
            np.testing.assert_allclose(value, getattr(expected, name), rtol=1e-9, atol=1e-9)
    counts = whole[1]
    assert counts.rows.shape == (4, BINS)
    np.testing.assert_array_equal(counts.rows.sum(axis=1), 100)
    np.testing.assert_array_equal(counts.scored.sum(axis=1), (~np.isnan(z)).sum(axis=0))
    np.testing.assert_allclose(counts.z.sum(axis=1), np.nansum(z, axis=0), atol=1e-9)


def test_agreement_with_perfect_calls_is_the_auroc(random):
    label = random.random(500) < 0.3
    scores = np.column_stack([label + 0.0, label + 0.0, label + random.normal(size=500)])
    rows = Rows(rank(scores)[0])
    delta = agreement(rows.sum(calls, label.mean()), np.array([1.0, 1.0, 0.0]))
    assert delta[2] == pytest.approx(gl.metrics.delta(label.astype(int), scores[:, 2]))


@pytest.mark.parametrize("prevalence", [None, 0.3])
def test_independent_methods_are_judged_about_right(prevalence):
    data = gl.simulate(3000, 20, 0.3, auroc=(0.6, 0.9), random_state=0)
    reading, consensus = judge_shared(Rows(rank(data.scores)[0]), 0.0, prevalence)
    np.testing.assert_allclose(0.5 + reading.delta, data.auroc, atol=0.08)
    assert reading.rho == pytest.approx(0.3, abs=0.06)
    posterior = consensus_posterior(rank(data.scores)[0], consensus)
    assert gl.metrics.auroc(data.labels, posterior) > 0.97


def test_methods_that_share_a_factor_are_not_overstated():
    plain, cautious = [], []
    for seed in range(4):
        data = gl.simulate(2000, 20, 0.5, auroc=(0.55, 0.75), groups=[range(20)], correlation=0.5, random_state=seed)
        plain.append(gl.Summa().fit(data.scores).auroc_ - data.auroc)
        cautious.append(gl.Summa(model="auto").fit(data.scores).auroc_ - data.auroc)
    assert np.mean(plain) > 0.15
    assert abs(np.mean(cautious)) < 0.5 * np.mean(plain)


def test_auto_is_the_independent_answer_where_that_is_plausible():
    for seed in range(5):
        data = gl.simulate(1000, 15, 0.4, random_state=seed)
        auto, plain = gl.Summa(model="auto").fit(data.scores), gl.Summa().fit(data.scores)
        np.testing.assert_allclose(auto.auroc_, plain.auroc_, atol=0.005)


def test_real_predictions_by_classifiers_that_resemble_each_other(shared):
    """23 caret classifiers on the mammographic set (README beside the data): independence overstates them by .1."""
    table = np.genfromtxt(shared / "predictions" / "mammographic_mass_split01.csv.gz", delimiter=",", skip_header=1)
    scores, labels = table[:, :-1], table[:, -1]
    truth = gl.metrics.auroc(labels, scores)
    plain = np.sqrt(np.mean((gl.Summa().fit(scores).auroc_ - truth) ** 2))
    model = gl.Summa(model="auto").fit(scores)
    assert np.sqrt(np.mean((model.auroc_ - truth) ** 2)) < 0.5 * plain
    low, high = model.auroc_interval_.T
    assert np.mean((low <= truth) & (truth <= high)) > 0.8
