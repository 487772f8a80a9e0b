import dataclasses

import pytest

import goldless as gl
from goldless.planning import SAMPLES, Study, need


@pytest.fixture
def study():
    return Study(width=0.2, repeats=1)


def test_the_fewest_samples_that_reach_the_width_are_found(study):
    found = need(study, 8, 0)
    assert found.reached
    assert found.width <= 0.2
    assert found.n_samples in SAMPLES
    assert found.error < 0.2


def test_a_narrower_interval_needs_more_samples(study):
    narrow = need(dataclasses.replace(study, width=0.08), 8, 0)
    assert narrow.n_samples > need(study, 8, 0).n_samples


def test_dependent_methods_need_labels(study):
    dependent = dataclasses.replace(study, width=0.15, correlation=0.5)
    without, with_labels = need(dependent, 5, 0), need(dependent, 5, 300)
    assert not without.reached
    assert without.n_samples == SAMPLES[-1]
    assert with_labels.width < without.width


def test_labelled_samples_are_fewer_than_all(study):
    assert need(study, 5, 100).n_samples > 100


def test_a_width_of_nothing_is_refused(study):
    with pytest.raises(gl.InputError, match="width=0 must be at least"):
        need(dataclasses.replace(study, width=0), 5, 0)
