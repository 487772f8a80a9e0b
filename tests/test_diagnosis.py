import numpy as np
import pytest

import goldless as gl
from goldless import diagnosis
from goldless.evaluation import SOLVERS
from goldless.moments import second_moments
from goldless.ranks import rank
from goldless.rows import Rows


def fitted(scores):
    rows = Rows(rank(scores)[0])
    second = rows.sum(second_moments)
    return rows, second, SOLVERS["iterative"](second, 0.25).q


def test_b_is_one_for_a_binary_factor_and_larger_for_a_shared_one():
    binary = diagnosis.factor_test(*fitted(gl.simulate(50_000, 20, 0.3, auroc=(0.6, 0.9), random_state=0).scores))
    assert pytest.approx(1, abs=4 * binary.error) == binary.B
    assert binary.error < 0.05
    alike = gl.simulate(50_000, 20, 0.3, auroc=(0.6, 0.9), groups=[range(20)], correlation=0.3, random_state=0)
    shared = diagnosis.factor_test(*fitted(alike.scores))
    assert shared.B > 1.4
    assert shared.p_value < 1e-6
    assert shared.caution == 1
    assert binary.caution == 0


@pytest.mark.filterwarnings("ignore::goldless.errors.NoSignalWarning")
def test_independent_sets_are_seldom_called_violated():
    findings = [
        gl.diagnose(gl.simulate(1000, M, rho, random_state=seed).scores).finding
        for M in (6, 12, 30)
        for rho in (0.2, 0.5, 0.8)
        for seed in range(10)
    ]
    assert findings.count("violated") <= 0.08 * len(findings)


@pytest.mark.parametrize("rho", [0.2, 0.5])
def test_a_within_class_correlation_is_called_violated(rho):
    for seed in range(8):
        data = gl.simulate(1000, 12, rho, groups=[range(12)], correlation=0.2, random_state=seed)
        found = gl.diagnose(data.scores)
        assert found.finding == "violated"
        assert found.verdict.startswith("violated: AUROCs found under independence are overstated by about")


def test_groups_and_pairs_are_named():
    data = gl.simulate(2000, 15, groups=[[0, 1], [5, 6, 7]], correlation=0.7, random_state=0)
    found = gl.diagnose(data.scores)
    assert found.groups == (("method0", "method1"), ("method5", "method6", "method7"))
    assert set(found.pairs) >= {("method0", "method1"), ("method5", "method6")}
    assert found.pairs_p_value < 1e-6


def test_effective_methods_count_copies_once():
    data = gl.simulate(2000, 10, auroc=np.full(10, 0.65), random_state=0)
    apart = gl.diagnose(data.scores).effective_methods
    data = gl.simulate(2000, 10, auroc=np.full(10, 0.65), groups=[range(10)], correlation=0.5, random_state=0)
    together = gl.diagnose(data.scores, prevalence=0.5).effective_methods
    assert apart > 8
    assert together < 5


def test_reversed_and_dominant_methods_are_named():
    data = gl.simulate(3000, 6, auroc=[0.99, 0.55, 0.56, 0.55, 0.54, 0.3], random_state=0)
    found = gl.diagnose(data.scores)
    assert found.dominant == "method0"
    assert found.reversed == ("method5",)


@pytest.mark.filterwarnings("ignore::goldless.errors.NoSignalWarning")
def test_whether_the_prevalence_is_identified():
    assert gl.diagnose(gl.simulate(random_state=0).scores).prevalence_identified
    assert not gl.diagnose(gl.simulate(200, 4, auroc=(0.55, 0.65), random_state=1).scores).prevalence_identified


def test_few_methods_have_no_fourth_moment():
    found = gl.diagnose(gl.simulate(2000, 4, auroc=(0.6, 0.9), random_state=0).scores)
    assert found.binary_factor is None
    assert found.finding == "plausible"


def test_missing_scores_change_little(random):
    data = gl.simulate(20_000, 15, groups=[range(15)], correlation=0.3, random_state=0)
    full = gl.diagnose(data.scores)
    holed = gl.diagnose(np.where(random.random(data.scores.shape) < 0.2, np.nan, data.scores))
    assert holed.finding == full.finding == "violated"
    assert holed.binary_factor == pytest.approx(full.binary_factor, abs=0.3)


def test_a_single_block_of_copies_does_not_break_the_search(random):
    base = random.normal(size=(500, 1))
    scores = np.column_stack([base + 0.1 * random.normal(size=(500, 3)), random.normal(size=(500, 3))])
    found = gl.diagnose(scores)
    assert found.finding == "violated"
    assert np.isfinite(found.effective_methods)


def test_residuals_and_near_duplicates_are_named():
    data = gl.simulate(1000, 8, 0.4, auroc=(0.6, 0.9), random_state=0)
    scores = data.scores.copy()
    scores[:, 7] = scores[:, 0]
    scores[3, 7] += 2
    found = gl.diagnose(scores)
    assert found.duplicates == ()
    assert found.near_duplicates == (("method0", "method7"),)
    assert found.residuals[0].methods == ("method0", "method7")
    assert found.residuals[0].correlation > 0.9
    assert found.residuals[0].z > 10
    sizes = [abs(residual.z) for residual in found.residuals]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == 10
    assert "Nearly the same rankings: method0 and method7." in str(found)


def test_probabilities_are_compared_with_what_they_say():
    scores = 1 / (1 + np.exp(-gl.simulate(500, 6, 0.4, auroc=(0.6, 0.9), random_state=0).scores))
    assert "If they are calibrated probabilities" in str(gl.diagnose(scores))
    assert gl.diagnose(10 * scores).second_opinion is None
