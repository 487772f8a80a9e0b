import dataclasses
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.patches import Rectangle

import goldless as gl
from goldless.figures import null_error, printable, shortened

ALL = ("leaderboard", "truth", "covariance", "scores", "calibration", "growth", "diagnosis")
NEED_TRUTH = ("truth", "calibration")


@pytest.fixture(autouse=True)
def closed():
    mpl.use("Agg")
    yield
    plt.close("all")


def revealed(n_methods=8, names=None, **settings):
    data = gl.simulate(n_methods=n_methods, random_state=0, **settings)
    scores = data.scores if names is None else pd.DataFrame(data.scores, columns=names)
    return gl.Summa().fit(scores).reveal(scores, data.labels)


@pytest.fixture(scope="module")
def found():
    return revealed()


def names_shown(ax):
    ax.figure.canvas.draw()
    return [label.get_text() for label in ax.get_yticklabels()]


def in_legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize("name", ALL)
def test_each_draws_where_it_is_told_and_returns_it(found, name):
    ax = plt.subplots()[1]
    assert getattr(gl.figures, name)(found, ax=ax) is ax
    assert ax.get_title(loc="left")
    ax.figure.canvas.draw()


@pytest.mark.parametrize("name", [name for name in ALL if name not in NEED_TRUTH])
def test_each_takes_a_fitted_estimator(name):
    model = gl.Summa().fit(gl.simulate(n_methods=6, random_state=0).scores)
    ax = getattr(gl.figures, name)(model)
    ax.figure.canvas.draw()


@pytest.mark.parametrize("name", ALL)
def test_each_leaves_the_settings_of_matplotlib_alone(found, name):
    before = dict(mpl.rcParams)
    getattr(gl.figures, name)(found)
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("source", [gl.Summa(), "scores", None], ids=str)
def test_what_holds_no_evaluation_is_refused(source):
    with pytest.raises(gl.InputError, match="holds no evaluation"):
        gl.figures.leaderboard(source)


@pytest.mark.parametrize("name", NEED_TRUTH)
def test_the_truth_is_asked_for_where_it_is_missing(found, name):
    with pytest.raises(gl.InputError, match=r"reveal\(X, y\)"):
        getattr(gl.figures, name)(dataclasses.replace(found, truth=None))


def test_too_few_methods_have_no_diagnosis():
    with pytest.raises(gl.InputError, match="takes 5"):
        gl.figures.diagnosis(revealed(4))


@pytest.mark.parametrize("n_methods", [3, 30, 300])
def test_the_leaderboard_names_methods_best_first_and_none_over_another(n_methods):
    found = revealed(n_methods, n_samples=700)
    ax = gl.figures.leaderboard(found)
    named = names_shown(ax)
    places = ax.get_yticks()
    best_first = found.leaderboard()["method"]
    assert named == [best_first[int(place)] for place in places]
    assert named[0] == best_first[0]
    assert ax.yaxis_inverted()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(upper.y0 >= lower.y1 - 1 for upper, lower in pairwise(boxes))
    if n_methods <= 30:
        assert len(named) == n_methods


def test_the_leaderboard_draws_estimates_intervals_and_truth(found):
    ax = gl.figures.leaderboard(found)
    estimate, true = (line.get_xdata() for line in ax.lines[:2])
    np.testing.assert_array_equal(estimate, found.leaderboard()["auroc"])
    np.testing.assert_array_equal(true, found.leaderboard()["true_auroc"])
    segments = np.array(ax.collections[0].get_segments())
    np.testing.assert_allclose(segments[:, 0, 0], found.leaderboard()["auroc_low"])
    np.testing.assert_allclose(segments[:, 1, 0], found.leaderboard()["auroc_high"])
    assert in_legend(ax) == ["95% interval", "estimate", "truth", "chance"]
    assert "truth" not in in_legend(gl.figures.leaderboard(dataclasses.replace(found, truth=None)))


def test_names_are_shown_as_they_are():
    names = ["cost $5$", "a_b^c", "<script>", r"\frac{1}{2}", "line\nbreak\x00", "x" * 60]
    ax = gl.figures.leaderboard(revealed(6, names))
    shown = names_shown(ax)
    assert set(shown) == {
        "cost $5$",
        "a_b^c",
        "<script>",
        r"\frac{1}{2}",
        "line break\ufffd",
        "x" * 12 + "…" + "x" * 11,
    }
    assert not any(label.get_parse_math() for label in ax.get_yticklabels())


def test_long_and_strange_names_become_printable():
    assert printable("a\u202eb\tc") == "a\ufffdb c"
    assert shortened("short") == "short"
    assert len(shortened("x" * 99)) == 24


def test_methods_that_the_interval_misses_are_marked(found):
    true = found.truth.auroc.copy()
    true[0] = found.auroc_interval[0, 1] + 0.1
    true[1] = np.nan
    ax = gl.figures.truth(dataclasses.replace(found, truth=dataclasses.replace(found.truth, auroc=true)))
    assert [label for label in in_legend(ax) if "misses" in label] == ["interval misses it (1)"]
    assert sum(len(line.get_xdata()) for line in ax.lines[:2]) == len(true) - 1
    assert ax.lines[0].get_marker() != ax.lines[1].get_marker()


def test_the_matrices_add_up_and_have_one_scale(found):
    insets = gl.figures.covariance(found).child_axes
    observed, fitted, left = (inset.images[0].get_array().filled(np.nan) for inset in insets[:3])
    np.testing.assert_allclose(left, observed - fitted)
    assert np.isnan(np.diag(observed)).all()
    assert np.nanmax(np.abs(observed)) <= 1
    assert len({inset.images[0].get_clim() for inset in insets[:3]}) == 1


def test_dependent_groups_stand_first_and_are_outlined():
    found = revealed(30, groups=[range(20, 25), range(25, 28)], correlation=0.6, auroc=np.linspace(0.6, 0.85, 30))
    groups = found.diagnosis.groups
    assert groups
    _, _, placed, names = gl.figures.matrices(found)
    inset = gl.figures.covariance(found).child_axes[2]
    outlines = [patch for patch in inset.patches if isinstance(patch, Rectangle)]
    assert len(outlines) == len(placed) == len(groups)
    for group, (start, size), outline in zip(groups, placed, outlines, strict=True):
        assert set(names[start : start + size]) == set(group)
        assert outline.get_xy() == (start - 0.5, start - 0.5)
        assert outline.get_width() == size


def test_the_classes_add_up_to_all_samples(found):
    shares = [patch.get_data().values for patch in gl.figures.scores(found).patches]
    np.testing.assert_allclose(shares[0], shares[1] + shares[2], atol=1e-6)
    assert shares[0].sum() == pytest.approx(1, abs=1e-4)


def test_calibration_shows_the_bins_beside_the_diagonal(found):
    ax = gl.figures.calibration(found)
    np.testing.assert_array_equal(ax.lines[1].get_xdata(), found.truth.calibration.predicted)
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), found.truth.calibration.observed)


def test_growth_shows_the_truth_and_the_mean_rank_where_they_are_known(found):
    ax = gl.figures.growth(found)
    assert in_legend(ax) == ["expected", "truth", "truth, mean rank of all"]
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), found.truth.growth.auroc)
    assert set(ax.lines[2].get_ydata()) == {found.truth.mean_rank}
    assert len({line.get_linestyle() for line in ax.lines}) == 3
    assert in_legend(gl.figures.growth(dataclasses.replace(found, truth=None))) == ["expected"]


def test_steps_of_growth_are_named_without_running_into_each_other():
    ax = gl.figures.growth(revealed(300, n_samples=700))
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


@pytest.mark.parametrize(
    ("settings", "answer"), [({}, "Plausibly"), ({"groups": [range(20)]}, "No")], ids=["independent", "violated"]
)
def test_the_diagnosis_lies_inside_the_band_or_outside_as_it_says(settings, answer):
    found = revealed(20, **settings)
    ax = gl.figures.diagnosis(found)
    band = ax.patches[0].get_extents()
    inside = ax.transData.inverted().transform(band)[1, 0] >= found.diagnosis.binary_factor
    assert inside == (answer == "Plausibly")
    assert ax.get_title(loc="left").endswith(answer)


@pytest.mark.parametrize("p_value", [0.0, 0.5, 1.0])
def test_the_band_falls_back_on_the_standard_error(found, p_value):
    found = dataclasses.replace(found, diagnosis=dataclasses.replace(found.diagnosis, p_value=p_value))
    assert null_error(found) == found.diagnosis.binary_factor_error
