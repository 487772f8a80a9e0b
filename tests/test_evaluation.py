import numpy as np
import pytest

import goldless as gl
import reference
from goldless.evaluation import Settings, evaluate
from goldless.ranks import rank
from goldless.rows import Rows


def judge(scores, **settings):
    z, distribution = rank(scores)
    levels, shares = distribution.levels(64)
    return evaluate(Rows(z), [f"m{i}" for i in range(scores.shape[1])], (levels.T, shares.T), Settings(**settings))


def test_agrees_with_the_literal_paper_where_data_are_plenty():
    data = gl.simulate(n_samples=4000, n_methods=12, prevalence=0.3, random_state=0)
    auroc, rho = reference.summa(data.scores)
    found = judge(data.scores)
    np.testing.assert_allclose(found.auroc, auroc, atol=0.002)
    assert found.prevalence == pytest.approx(rho, abs=0.005)


def test_public_example_with_labels(shared):
    """Golden figures: the newest other public implementation on the example set of R-SUMMA (README beside the data)."""
    table = np.genfromtxt(shared / "peers" / "rank.csv.gz", delimiter=",", skip_header=1)
    scores, labels = table[:, :-1], table[:, -1]
    truth = gl.metrics.auroc(labels, scores)
    found = judge(scores)
    assert np.corrcoef(found.auroc, truth)[0, 1] >= 0.993
    assert np.sqrt(np.mean((found.auroc - truth) ** 2)) <= 0.0103
    assert found.prevalence == pytest.approx(0.7, abs=0.01)
    ensemble = gl.Summa().fit(scores).decision_function(scores)
    assert gl.metrics.auroc(labels, ensemble) >= 0.972


@pytest.mark.parametrize("solver", ["iterative", "sdp"])
def test_columns_may_come_in_any_order(solver, random):
    scores = gl.simulate(random_state=1).scores
    order = random.permutation(30)
    straight, shuffled = judge(scores, solver=solver), judge(scores[:, order], solver=solver)
    tolerance = {"iterative": 1e-7, "sdp": 1e-3}[solver]
    np.testing.assert_allclose(shuffled.auroc, straight.auroc[order], atol=tolerance)
    assert shuffled.prevalence == pytest.approx(straight.prevalence, abs=tolerance)


def test_rows_may_come_in_any_order(random):
    scores = gl.simulate(random_state=1).scores
    np.testing.assert_allclose(judge(random.permutation(scores)).auroc, judge(scores).auroc, atol=1e-9)


def test_negating_all_scores_keeps_the_aurocs_and_swaps_the_classes():
    scores = gl.simulate(prevalence=0.3, random_state=2).scores
    straight, turned = judge(scores), judge(-scores)
    np.testing.assert_allclose(turned.auroc, straight.auroc, atol=1e-9)
    assert turned.prevalence == pytest.approx(1 - straight.prevalence)


def test_a_given_prevalence_is_used_as_it_is():
    scores = gl.simulate(prevalence=0.3, random_state=2).scores
    found = judge(scores, prevalence=0.2)
    assert found.prevalence == 0.2
    assert found.prevalence_given
    wider = judge(scores, prevalence=0.5)
    assert np.ptp(found.auroc) > np.ptp(wider.auroc)


def test_missing_scores_at_random_leave_the_answer_near(random):
    data = gl.simulate(n_samples=20_000, random_state=3)
    holed = np.where(random.random(data.scores.shape) < 0.3, np.nan, data.scores)
    found = judge(holed)
    np.testing.assert_allclose(found.auroc, data.auroc, atol=0.03)
    np.testing.assert_allclose(found.coverage, 0.7, atol=0.02)


def test_no_estimate_leaves_the_unit_interval():
    for seed in range(20):
        found = judge(gl.simulate(n_samples=40, n_methods=3, auroc=(0.3, 1), random_state=seed).scores)
        assert np.all((found.auroc >= 0) & (found.auroc <= 1))
        assert 0 < found.prevalence < 1


def test_no_sign_is_flipped_at_15_methods():
    for seed in range(30):
        data = gl.simulate(n_methods=15, random_state=seed)
        assert judge(data.scores).weights @ (data.auroc - 0.5) > 0


def test_pure_noise_has_no_signal(random):
    assert not judge(random.normal(size=(300, 10))).has_signal
    assert judge(gl.simulate(random_state=0).scores).has_signal


def test_identical_rankings_are_found():
    scores = gl.simulate(n_methods=5, random_state=0).scores
    scores[:, 4] = np.exp(scores[:, 1])
    assert judge(scores).diagnosis.duplicates == (("m1", "m4"),)


def test_methods_that_share_no_sample_are_no_duplicates():
    scores = gl.simulate(n_samples=100, n_methods=4, random_state=0).scores
    scores[:50, 0] = scores[50:, 1] = np.nan
    assert judge(scores).diagnosis.duplicates == ()
