import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array, issparse

import reference
from goldless import votes
from goldless.moments import second_moments, third_moment
from goldless.ranks import rank
from goldless.rows import Rows, hold

CODES = hnp.arrays(np.int8, (7, 4), elements=st.integers(-1, 2))


def sparse(codes):
    voted = codes >= 0
    return csr_array((codes[voted], np.nonzero(voted)), shape=codes.shape)


def simulate(random, n_samples, abilities):
    """Votes drawn from the model of Dawid and Skene, some of them missing."""
    truth = random.choice(len(abilities.prior), n_samples, p=abilities.prior)
    chance = abilities.confusion[:, truth].cumsum(axis=-1)  # (method, sample, vote)
    codes = (random.random((*chance.shape[:2], 1)) > chance).sum(axis=-1).T.astype(np.int8)
    missing = random.random(codes.shape) < 0.2
    missing[:, 0] = False  # nobody without votes
    codes[missing] = -1
    return codes, truth


@pytest.fixture
def three_classes():
    right = np.array([0.95, 0.9, 0.85, 0.8, 0.9])
    confusion = 0.9 * votes.symmetric_confusion(right, 3) + 0.1 * np.roll(np.eye(3), 1, axis=1)
    return votes.Abilities(np.array([0.5, 0.3, 0.2]), confusion)


def test_encoding_numbers_the_classes():
    values = np.array([[-1.0, 1.0], [np.nan, -1.0], [7.0, 1.0]])
    np.testing.assert_array_equal(votes.encode(values, np.array([-1, 1])), [[0, 1], [-1, 0], [-1, 1]])
    np.testing.assert_array_equal(votes.encode(np.array([[True, False]]), np.array([0, 1])), [[1, 0]])


def test_a_sparse_zero_is_a_vote():
    stored = csr_array((np.array([0.0, 1.0]), (np.array([0, 1]), np.array([1, 0]))), shape=(2, 2))
    codes = votes.encode(stored, np.array([0, 1]))
    assert issparse(codes)
    assert codes.nnz == 2
    np.testing.assert_array_equal(votes.evidence(codes, votes.equal_weights(2, 2)), [[1, 0], [0, 1]])


@given(hnp.arrays(float, (50, 3), elements=st.sampled_from([-2.0, 0.0, 0.5, 3.0, np.nan])))
def test_distinct_values(values):
    np.testing.assert_array_equal(votes.distinct(values), np.unique(values[~np.isnan(values)]))


def test_too_many_values_are_not_all_looked_for(random):
    assert len(votes.distinct(random.normal(size=(100_000, 10)))) < 100_000 * 10


@given(CODES)
def test_indicators_are_the_same_dense_and_sparse(codes):
    dense = votes.indicators(codes, 3)
    expected = [[codes[k, i] == vote for vote in range(3) for i in range(4)] for k in range(7)]
    np.testing.assert_array_equal(dense, expected)
    np.testing.assert_array_equal(votes.indicators(sparse(codes), 3).toarray(), dense)


@given(CODES)
def test_votes_are_counted(codes):
    counts = Rows(codes).sum(votes.count_votes, 3).counts
    np.testing.assert_array_equal(counts, [(codes == number).sum(axis=0) for number in range(3)])
    np.testing.assert_array_equal(hold(sparse(codes)).sum(votes.count_votes, 3).counts, counts)


@given(hnp.arrays(np.int8, (9, 4), elements=st.integers(-1, 1)))
def test_midranks_are_those_of_rank(codes):
    codes[:2] = [[0] * 4, [1] * 4]  # rank knows no column without scores
    share = (codes == 1).sum(axis=0) / (codes >= 0).sum(axis=0)
    z, _ = rank(np.where(codes < 0, np.nan, codes))
    np.testing.assert_allclose(votes.midranks(codes, share), z, atol=1e-15)
    held = votes.midranks(sparse(codes), share)
    np.testing.assert_allclose(held.toarray(), np.nan_to_num(z), atol=1e-15)
    # ... and so are the moments of both.
    v = np.array([0.7, 0.5, 0.4, -0.3])
    np.testing.assert_allclose(second_moments(held).Q, second_moments(z).Q, atol=1e-15)
    assert third_moment(held, v).tau == pytest.approx(third_moment(z, v).tau, abs=1e-15)


def test_the_weight_of_a_known_method_is_its_log_odds():
    confusion = votes.symmetric_confusion(np.array([0.9, 0.5, 0.2]), 2)
    np.testing.assert_allclose(votes.swing(confusion), np.log([9, 1, 1 / 4]), atol=1e-15)
    mixed = votes.binary_confusion(np.array([0.9]), np.array([0.6]))
    np.testing.assert_allclose(votes.swing(mixed), (np.log(9) + np.log(1.5)) / 2)


def test_a_method_that_never_errs_is_believed_and_gives_no_nan():
    weights = votes.log_weights(votes.symmetric_confusion(np.array([1.0, 0.9, 0.9]), 2))
    evidence = votes.evidence(np.array([[1, 0, 0]], dtype=np.int8), weights)
    assert np.isfinite(evidence).all()
    assert evidence[0, 1] > evidence[0, 0]


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 0.99))
def test_rates_from_balanced_accuracy_and_share(sensitivity, specificity, rho):
    share = rho * sensitivity + (1 - rho) * (1 - specificity)
    delta = (sensitivity + specificity - 1) / 2
    found = votes.binary_rates(np.array([delta]), np.array([share]), rho)
    np.testing.assert_allclose(np.ravel(found), [sensitivity, specificity], atol=1e-12)


@pytest.mark.parametrize("smoothing", [0.0, 1.0])
@pytest.mark.parametrize("form", [np.asarray, sparse])
def test_a_step_of_em_is_that_of_the_reference(random, three_classes, form, smoothing):
    codes, _ = simulate(random, 60, three_classes)
    listed = [{i: int(vote) for i, vote in enumerate(row) if vote >= 0} for row in codes]
    posterior = random.dirichlet([1, 1, 1], 60)
    prior, confusion, after, likelihood = reference.dawid_skene_step(listed, posterior, 3, smoothing)
    rows = hold(form(codes))
    found = votes.given_start(rows, posterior, 5, smoothing)
    np.testing.assert_allclose(found.prior, prior)
    np.testing.assert_allclose(found.confusion, [[confusion[i, k] for k in range(3)] for i in range(5)])
    sums = rows.sum(votes.expect, votes.log_weights(found.confusion), np.log(found.prior))
    np.testing.assert_allclose(sums.samples, np.sum(after, axis=0))
    assert sums.log_likelihood == pytest.approx(np.log(likelihood))


@given(st.integers(0, 10_000), st.sampled_from([0.0, 1.0, 5.0]))
def test_the_likelihood_never_falls(seed, smoothing):
    random = np.random.default_rng(seed)
    codes = random.integers(-1, 3, (30, 5)).astype(np.int8)
    codes[:, 0] = random.integers(0, 3, 30)
    start = votes.given_start(Rows(codes), random.dirichlet([1, 1, 1], 30), 5, smoothing)
    path = votes.dawid_skene(Rows(codes), start, smoothing=smoothing).log_likelihoods
    assert np.all(np.diff(path) >= -1e-9 * np.abs(path[1:]))


def test_em_finds_the_abilities(random, three_classes):
    codes, _ = simulate(random, 20_000, three_classes)
    start = votes.majority_start(Rows(codes), 5, 3, 1.0)
    fit = votes.dawid_skene(Rows(codes), start, smoothing=1.0)
    assert fit.converged
    np.testing.assert_allclose(fit.abilities.prior, three_classes.prior, atol=0.03)
    np.testing.assert_allclose(fit.abilities.confusion, three_classes.confusion, atol=0.06)


def test_em_is_the_same_dense_and_sparse(random, three_classes):
    codes, _ = simulate(random, 300, three_classes)
    fits = []
    for rows in (hold(codes), hold(sparse(codes))):
        fits.append(votes.dawid_skene(rows, votes.majority_start(rows, 5, 3, 1.0), smoothing=1.0))
    np.testing.assert_allclose(fits[0].abilities.confusion, fits[1].abilities.confusion, rtol=1e-9)
    np.testing.assert_allclose(fits[0].log_likelihoods, fits[1].log_likelihoods, rtol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sparse])
def test_known_labels_are_held_fixed(random, three_classes, form):
    codes, truth = simulate(random, 300, three_classes)
    everything = votes.append_known(hold(form(codes)), truth.astype(np.int8))
    start = votes.majority_start(everything, 5, 3, 0.0)
    counts = np.array(
        [[[np.sum(codes[truth == k, i] == vote) for vote in range(3)] for k in range(3)] for i in range(5)]
    )
    expected = counts / counts.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(start.confusion, expected, atol=1e-12)
    fit = votes.dawid_skene(everything, start, smoothing=0.0)
    np.testing.assert_allclose(fit.abilities.confusion, expected, atol=1e-12)
    np.testing.assert_allclose(fit.abilities.prior, np.bincount(truth) / 300)


def test_a_few_known_labels_name_the_classes(random, three_classes):
    codes, truth = simulate(random, 2000, three_classes)
    known = np.where(np.arange(2000) < 300, truth, -1).astype(np.int8)
    rows = votes.append_known(hold(codes), known)
    wrong = votes.Abilities(np.full(3, 1 / 3), np.full((5, 3, 3), 1 / 3))
    # From a start that knows nothing the votes alone lead nowhere.
    blind = votes.dawid_skene(Rows(codes), wrong, smoothing=1.0).abilities
    np.testing.assert_allclose(blind.confusion, blind.confusion[:, :1] * np.ones((1, 3, 1)), atol=1e-6)
    found = votes.dawid_skene(rows, wrong, smoothing=1.0).abilities
    np.testing.assert_allclose(found.confusion, three_classes.confusion, atol=0.12)


def test_a_method_that_never_votes_where_it_could_learn_gets_even_chances():
    sums = votes.Expectation(np.array([3.0, 0.0]), np.zeros((2, 2)))
    np.testing.assert_allclose(votes.maximise(sums, 1, 0.0).confusion, 0.5)
    np.testing.assert_allclose(votes.maximise(sums, 1, 0.0).prior, [1, 0])
