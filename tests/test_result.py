import dataclasses
import json

import numpy as np
import pytest

import goldless as gl


@pytest.fixture
def found():
    return gl.evaluate(gl.simulate(n_methods=6, random_state=0).scores)


@pytest.mark.parametrize("solver", ["iterative", "sdp"])
def test_json_gives_the_same_evaluation_back(solver):
    found = gl.evaluate(gl.simulate(n_methods=6, random_state=0).scores, solver=solver)
    again = gl.Evaluation.from_json(found.to_json())
    assert again == found
    assert hash(again) == hash(found)
    assert again.to_dict() == found.to_dict()
    np.testing.assert_array_equal(again.auroc, found.auroc)


def test_duplicates_survive_json(found):
    found = dataclasses.replace(found, duplicates=(("a", "b"),))
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
    assert f"{found.prevalence:.3f} (estimated)" in text
    assert len(text.splitlines()) == 3 + 6
    assert "do not rely" not in text


def test_it_says_what_stands_in_the_way(found):
    troubled = dataclasses.replace(
        found, strength=0.0, duplicates=(("a", "b"),), converged=False, prevalence_given=True
    )
    text = str(troubled)
    for words in ("do not rely", "a = b", "did not settle", "(given)"):
        assert words in text
