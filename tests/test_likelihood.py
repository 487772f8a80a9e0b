import numpy as np
import pytest
from scipy.special import expit, logit

import goldless as gl
from goldless import rows as rows_module
from goldless.likelihood import (
    SHAPES,
    Curve,
    Prior,
    cross,
    doubt,
    em,
    expectation,
    influence_squares,
    log_likelihood,
    maximised,
    polynomials,
    soft_labels,
)
from goldless.ranks import rank
from goldless.rows import Rows


def start(scores, J, rho=0.4, slope=0.5):
    z, distribution = rank(scores)
    levels, shares = (array.T for array in distribution.levels(64))
    M = z.shape[1]
    flat = Curve(rho, np.full(M, logit(rho)), np.zeros((J, M)), levels, shares)
    target = np.zeros((J, M))
    target[0] = slope * rho * (1 - rho) * 0.3
    loose = Prior(np.zeros((J, M)), np.full(J, 1e6))
    return Rows(z), maximised(flat, target, loose, np.ones(M), steps=30)


def test_the_polynomials_are_orthonormal():
    nodes, weights = np.polynomial.legendre.leggauss(20)
    phi = np.array(polynomials(nodes / 2, 3))
    np.testing.assert_allclose((phi * weights / 2) @ phi.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(phi @ weights, 0, atol=1e-12)


@pytest.mark.parametrize("J", SHAPES)
@pytest.mark.parametrize("rounded", [False, True])
def test_the_posteriors_have_mean_rho_and_the_wanted_moments(random, J, rounded):
    scores = random.normal(size=(400, 4))
    _, curve = start(np.round(scores) if rounded else scores, J)
    P = expit(curve.own_log_odds) * curve.shares
    np.testing.assert_allclose(P.sum(axis=0), 0.4, atol=1e-6)
    np.testing.assert_allclose((curve.phi[0] * P).sum(axis=0), 0.5 * 0.24 * 0.3, atol=1e-4)


@pytest.mark.parametrize("J", SHAPES)
def test_the_likelihood_is_that_of_the_mixture_and_rises_at_every_step(J):
    data = gl.simulate(300, 6, 0.3, auroc=(0.6, 0.9), random_state=0)
    rows, curve = start(data.scores, J)
    loose = Prior(np.zeros((J, 6)), np.full(J, 1e6))
    # written out: densities P/ρ and (1-P)/(1-ρ) of each method, multiplied
    before = -np.inf
    for step in range(20):
        sums = rows.sum(expectation, curve)
        value = log_likelihood(sums, curve)
        phi = np.array(polynomials(rows.z, J))
        P = expit(curve.a + np.einsum("jkm,jm->km", phi, curve.b))
        mixture = curve.rho * np.prod(P / curve.rho, axis=1)
        mixture += (1 - curve.rho) * np.prod((1 - P) / (1 - curve.rho), axis=1)
        if step == 0:
            assert value == pytest.approx(np.log(mixture).sum(), rel=1e-2, abs=0.5)
        assert value >= before - 1e-6 * abs(value)
        before = value
        rho = sums.w / sums.n
        curve = maximised(
            Curve(rho, curve.a, curve.b, curve.levels, curve.shares), sums.w_phi / sums.scored, loose, sums.scored, 20
        )


@pytest.mark.parametrize("J", SHAPES)
def test_sums_do_not_depend_on_the_blocks(J, monkeypatch, random):
    data = gl.simulate(200, 5, 0.3, random_state=0)
    scores = np.where(random.random(data.scores.shape) < 0.2, np.nan, data.scores)
    rows, curve = start(scores, J)
    delta, n = np.full(5, 0.1), np.ones(5)
    C, B = random.normal(size=(2, 6, 1 + 5 * J))
    statistics = [
        (expectation, curve),
        (doubt, curve),
        (cross, curve, delta, n),
        (soft_labels, curve, np.eye(5 * J) * 0.01),
        (influence_squares, curve, delta, n, C, B[:, 1:], random.normal(size=(5, 6))),
    ]
    whole = [rows.sum(*statistic) for statistic in statistics]
    monkeypatch.setattr(rows_module, "BLOCK_SIZE", 35)
    for statistic, expected in zip(statistics, whole, strict=True):
        for name, value in vars(rows.sum(*statistic)).items():
            np.testing.assert_allclose(value, getattr(expected, name), rtol=1e-9, atol=1e-9)


def test_refinement_comes_closer_on_the_paper_s_simulation():
    moments, refined = [], []
    for seed in range(6):
        data = gl.simulate(prevalence=0.2, random_state=seed)
        truth = gl.metrics.auroc(data.labels, data.scores)
        for errors, refine in ((moments, None), (refined, "likelihood")):
            errors.append(np.sqrt(np.mean((gl.Summa(refine=refine).fit(data.scores).auroc_ - truth) ** 2)))
    assert np.mean(refined) < 0.8 * np.mean(moments)


def test_classes_of_unequal_variance_are_no_trap():
    data = gl.simulate(variances=(1, 4), random_state=0)
    truth = gl.metrics.auroc(data.labels, data.scores)
    model = gl.Summa(refine="likelihood").fit(data.scores)
    assert np.sqrt(np.mean((model.auroc_ - truth) ** 2)) < 0.01


def test_votes_are_refined_by_their_own_levels():
    data = gl.simulate(2000, 15, 0.3, auroc=(0.6, 0.9), random_state=0)
    votes = (data.scores > np.median(data.scores, axis=0)).astype(float)
    truth = gl.metrics.auroc(data.labels, votes)
    model = gl.Summa(refine="likelihood").fit(votes)
    assert np.sqrt(np.mean((model.auroc_ - truth) ** 2)) < 0.02


def test_refined_intervals_cover_with_missing_scores_too(random):
    covered = []
    for seed in range(6):
        data = gl.simulate(1000, 20, 0.4, random_state=seed)
        scores = np.where(random.random(data.scores.shape) < 0.2, np.nan, data.scores)
        low, high = gl.Summa(refine="likelihood").fit(scores).auroc_interval_.T
        covered.append(np.mean((low <= data.auroc) & (data.auroc <= high)))
    assert 0.88 < np.mean(covered) <= 1


def test_a_given_prevalence_is_kept():
    model = gl.Summa(refine="likelihood", prevalence=0.35).fit(
        gl.simulate(300, 8, 0.3, auroc=(0.6, 0.9), random_state=0).scores
    )
    assert model.prevalence_ == pytest.approx(0.35)
    np.testing.assert_allclose(model.prevalence_interval_, 0.35)


def test_an_uncertain_prevalence_is_averaged_over():
    model = gl.Summa(refine="likelihood").fit(gl.simulate(300, 6, 0.4, auroc=(0.6, 0.8), random_state=2).scores)
    assert np.ptp(model.prevalence_interval_) > 0.2
    low, high = model.auroc_interval_.T
    assert np.all((low <= model.auroc_) & (model.auroc_ <= high))


@pytest.mark.filterwarnings("ignore::goldless.errors.GoldlessWarning")
def test_too_few_samples_are_left_to_the_moments():
    scores = gl.simulate(50, 30, random_state=0).scores
    refined, plain = gl.Summa(refine="likelihood").fit(scores), gl.Summa().fit(scores)
    np.testing.assert_array_equal(refined.auroc_, plain.auroc_)
    assert not refined.evaluation_.refined
    assert "too few samples to refine" in str(refined.evaluation_)


def test_em_settles_quickly_where_the_signal_is_good():
    z, distribution = rank(gl.simulate(random_state=0).scores)
    levels, shares = (array.T for array in distribution.levels(64))
    q = gl.Summa().fit(gl.simulate(random_state=0).scores).weights_ * 0.4
    fit = em(Rows(z), q, 0.5, 1, (levels, shares), free=True)
    assert fit.converged
    assert fit.n_iter < 40


def test_refined_intervals_do_not_change_with_the_sign_of_all_scores(random):
    data = gl.simulate(800, 12, 0.3, auroc=(0.5, 0.9), random_state=0)
    scores = np.where(random.random(data.scores.shape) < 0.2, np.nan, data.scores)
    straight, turned = (gl.Summa(refine="likelihood").fit(X) for X in (scores, -scores))
    np.testing.assert_allclose(turned.auroc_interval_, straight.auroc_interval_, atol=1e-3)
    np.testing.assert_allclose(turned.prevalence_interval_, 1 - straight.prevalence_interval_[::-1], atol=1e-3)
