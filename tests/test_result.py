import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

import goldless as gl


@pytest.fixture
def found():
    return gl.evaluate(gl.simulate(n_methods=6, random_state=0).scores)


@pytest.mark.parametrize(
    "settings",
    [{"solver": "iterative"}, {"solver": "sdp"}, {"model": "shared"}, {"model": "independent", "refine": None}],
    ids=str,
)
def test_json_gives_the_same_evaluation_back(settings):
    found = gl.evaluate(gl.simulate(n_methods=6, random_state=0).scores, **settings)
    again = gl.Evaluation.from_json(found.to_json())
    assert again == found
    assert hash(again) == hash(found)
    assert again.to_dict() == found.to_dict()
    np.testing.assert_array_equal(again.auroc, found.auroc)


def test_duplicates_survive_json(found):
    diagnosis = dataclasses.replace(found.diagnosis, duplicates=(("a", "b"),), groups=(("a", "b", "c"), ("d", "e")))
    found = dataclasses.replace(found, diagnosis=diagnosis)
    assert gl.Evaluation.from_json(found.to_json()) == found


def test_json_is_standard(found):
    assert json.loads(found.to_json())["n_samples"] == 1000


def test_an_evaluation_is_frozen(found):
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.prevalence = 0.1
    assert found != "something else"


def test_the_leaderboard_is_best_first(found):
    board = found.leaderboard()
    assert np.all(np.diff(board["auroc"]) <= 0)
    assert board["method"][0] == found.methods[int(np.argmax(found.auroc))]


def test_it_reads_as_text(found):
    text = str(found)
    assert "6 methods on 1000 samples" in text
    assert f"{found.prevalence:.3f}" in text
    assert "independence plausible" in text
    assert len(text.split("\n\n")[1].splitlines()) == 1 + 6
    assert "do not rely" not in text


def test_it_says_what_stands_in_the_way(found):
    diagnosis = dataclasses.replace(
        found.diagnosis,
        finding="violated",
        overstatement=0.12,
        duplicates=(("a", "b"),),
        groups=(("c", "d"), tuple("efghijklmn")),
        reversed=("o",),
        dominant="p",
        prevalence_identified=False,
        second_opinion=0.05,
    )
    troubled = dataclasses.replace(
        found, strength=0.0, converged=False, prevalence_given=True, model="shared", diagnosis=diagnosis
    )
    text = " ".join(str(troubled).split())
    for words in (
        "do not rely",
        "did not settle",
        "(given)",
        "overstated by about 0.12",
        "a = b",
        "c, d; e, f, g, h, i, j, k, l and 2 more",
        "perhaps reversed: o",
        "p outdoes all others",
        "prevalence is not identified",
        'model="calibrated"',
        "differ by 0.05",
        "do not assume independence",
        "Keep one method of each group",
    ):
        assert words in text


def test_a_doubtful_diagnosis_says_so(found):
    doubtful = dataclasses.replace(
        found.diagnosis, finding="doubtful", binary_factor=None, binary_factor_error=None, pairs=(("a", "b"),)
    )
    text = str(doubtful)
    assert "doubtful" in text
    assert "a and b" in text
    assert "B =" not in text


def test_a_notebook_shows_the_verdict_and_the_best_methods():
    scores = gl.simulate(n_methods=25, random_state=0).scores
    table = pd.DataFrame(scores, columns=["<b>$x_1$</b>", *(f"m{i}" for i in range(24))])
    shown = gl.evaluate(table)._repr_html_()
    assert shown.count("<tr>") == 1 + 20
    assert "5 more" in shown
    assert "independence plausible" in shown
    assert "<b>" not in shown
    assert "&lt;b&gt;$x_1$&lt;/b&gt;" in shown


def test_a_notebook_shows_the_truth_where_it_is_known():
    data = gl.simulate(n_methods=5, random_state=0)
    shown = gl.Summa().fit(data.scores).reveal(data.scores, data.labels)._repr_html_()
    assert "<th>true auroc</th>" in shown
    assert "more" not in shown.split("</table>")[1]


def test_the_arrays_of_results_are_frozen_too():
    model = gl.Summa(model="shared").fit(gl.simulate(n_methods=5, random_state=0).scores)
    found = model.evaluation_
    for array in (found.auroc, found.weights, model.auroc_, found.consensus.posterior, found.pictures.growth.auroc):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        gl.Evaluation.from_json(found.to_json()).auroc[0] = 0


def test_an_answer_averaged_over_the_prevalence_says_so():
    found = gl.evaluate(gl.simulate(100, 5, auroc=(0.6, 0.9), random_state=0).scores)
    assert found.averaged
    assert "the AUROCs are averages over it" in " ".join(str(found).split())
    assert not gl.evaluate(gl.simulate(2000, 20, auroc=(0.6, 0.9), random_state=0).scores).averaged
