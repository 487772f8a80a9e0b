import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldless.prevalence import Prevalence, auroc, delta, prevalence


@given(st.floats(0.001, 0.999), st.floats(0.01, 2))
def test_exact_moments_give_the_prevalence_back(rho, norm):
    p = rho * (1 - rho)
    found = prevalence(p * norm**2, p * (1 - 2 * rho) * norm**3)
    assert found.rho == pytest.approx(rho, abs=1e-7)
    assert found.p == pytest.approx(p, abs=1e-7)


def test_a_rare_positive_class_has_a_positive_third_moment():
    assert prevalence(0.01, 1e-3).rho < 0.5 < prevalence(0.01, -1e-3).rho


def test_noise_in_tau_does_not_push_the_prevalence_away_from_a_half():
    assert prevalence(0.01, 1e-4, tau_variance=2e-8).rho == 0.5
    assert prevalence(0.01, 2e-4).rho < prevalence(0.01, 2e-4, tau_variance=2e-8).rho < 0.5


@pytest.mark.parametrize("sign", [-1, 1])
def test_without_signal_the_prevalence_is_finite(sign):
    assert prevalence(0.0, 0.0).rho == 0.5
    assert prevalence(0.0, sign * 1e-9, least=0.01).rho == pytest.approx(0.5 - sign * 0.49)


def test_delta_and_auroc_stay_within_bounds():
    found = auroc(delta(np.array([-0.3, 0.0, 0.1, 0.3]), Prevalence(0.5).p))
    np.testing.assert_allclose(found, [0, 0.5, 0.7, 1])
