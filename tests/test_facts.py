import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

import goldless as gl
from goldless.facts import facts

BASE = {"auroc": np.linspace(0.6, 0.85, 8), "n_methods": 8}


@pytest.fixture(scope="module")
def found():
    return gl.evaluate(gl.simulate(random_state=0, **BASE).scores)


@pytest.fixture(scope="module")
def revealed():
    data = gl.simulate(random_state=0, **BASE)
    return gl.Summa(model="auto", refine="likelihood").fit(data.scores).reveal(data.scores, data.labels)


def diagnosed(found, *, whole=None, **changes):
    """Give the evaluation with another diagnosis."""
    return dataclasses.replace(found, diagnosis=dataclasses.replace(found.diagnosis, **changes), **(whole or {}))


def test_facts_are_plain_values(revealed):
    assert json.loads(json.dumps(facts(revealed)))["tone"] == facts(revealed)["tone"]


@pytest.mark.parametrize(
    ("changes", "whole", "tone", "headline", "believed"),
    [
        ({"finding": "plausible"}, {}, "good", "can be taken", "Yes"),
        ({"binary_factor": None}, {}, "care", "not tested", "Only if"),
        ({"finding": "doubtful"}, {}, "care", "some care", "in doubt"),
        ({"finding": "violated", "overstatement": 0.12}, {"model": "independent"}, "bad", "too high", "about 0.12"),
        ({"finding": "violated", "overstatement": 0.12}, {"caution": 0.8}, "care", "allow for it", "about 0.12"),
        ({"finding": "violated", "overstatement": 0.0}, {"caution": 0.8}, "care", "allow for it", "cannot be relied"),
        ({"finding": "violated"}, {"caution": 0.0}, "care", "Some methods", "listed below"),
        ({"finding": "violated"}, {"model": "calibrated"}, "care", "resemble", "Only if"),
        ({"finding": "violated"}, {"n_labels": 10}, "care", "resemble", "labels help"),
        ({"finding": "plausible"}, {"strength": 0.0}, "bad", "no more than chance", "No"),
    ],
)
def test_the_verdict_comes_in_plain_words(found, changes, whole, tone, headline, believed):
    said = facts(diagnosed(found, whole=whole, **changes))
    assert said["tone"] == tone
    assert headline in said["headline"]
    assert believed in said["believed"]


def test_what_was_found_is_said_with_numbers(found):
    said = " ".join(facts(found)["found"])
    assert f"AUROC of about {found.auroc.max():.2f}" in said
    assert f"{found.prevalence:.0%} of the samples are positive" in said
    assert f"{found.ensemble_auroc:.2f}" in said


@pytest.mark.parametrize(
    ("low", "words"),
    [(0.0, "7 others lie within"), (0.84, "No other lies within"), (0.79, "one other lies within")],
)
def test_it_says_how_many_come_as_close(found, low, words):
    auroc = np.linspace(0.5, 0.85, 8)
    interval = np.stack([auroc - 0.05, auroc + 0.05], axis=1)
    interval[-1, 0] = low
    assert words in facts(dataclasses.replace(found, auroc=auroc, auroc_interval=interval))["found"][0]


def test_a_prevalence_that_cannot_be_told_is_not_told(found):
    said = facts(dataclasses.replace(found, prevalence_interval=np.array([0.1, 0.9])))
    assert "cannot be told" in said["found"][1]
    assert said["tiles"][0]["value"] == "not known"
    assert any("Give the prevalence" in sentence for sentence in said["advice"])
    assert ("Prevalence identified", "no") in said["diagnosis"]


def test_a_prevalence_that_was_given_is_said_to_be(found):
    said = facts(dataclasses.replace(found, prevalence=0.3, prevalence_given=True))
    assert said["found"][1] == "30% of the samples are positive, as you said."
    assert "prevalence=0.3," in said["snippet"]
    assert ("Prevalence identified", "given") in said["diagnosis"]


def test_without_signal_nothing_is_promised(found):
    said = facts(dataclasses.replace(found, strength=0.0))
    assert "noise" in said["found"][0]
    assert "growth" not in said["captions"]
    assert [tile["name"] for tile in said["tiles"]] == ["Prevalence", "Strength of the agreement"]
    assert any("agree no more than chance" in sentence for sentence in said["concerns"])


def test_what_to_do_follows_from_the_diagnosis(found):
    troubled = diagnosed(
        found, finding="violated", groups=(("a", "b"),), reversed=("c",), whole={"model": "independent"}
    )
    advice = " ".join(facts(troubled)["advice"])
    for words in ('model="auto"', "Label some samples", "Keep one method", "scores of c run the other way"):
        assert words in advice


def test_the_diagnosis_names_what_it_found(found):
    many = tuple(f"m{i}" for i in range(14))
    troubled = diagnosed(
        found,
        finding="violated",
        pairs=(("a", "b"),),
        groups=(many,),
        duplicates=(("c", "d"),),
        dominant="e",
        overstatement=0.1,
        second_opinion=0.05,
    )
    said = dict(facts(troubled)["diagnosis"])
    assert said["Pairs that stand out"].startswith("a and b (")
    assert said["Look-alikes, group 1"].endswith("m11 and 2 more")
    assert said["Identical rankings"] == "c = d"
    assert said["Outdoes all others together"] == "e"
    assert said["Mean overstatement under independence"] == "0.10"
    assert "0.05" in said["If scores are calibrated probabilities"]


def test_the_leaderboard_is_best_first_and_its_marks_lie_in_order(revealed):
    board = facts(revealed)["board"]
    assert [row["auroc"] for row in board["rows"]] == sorted(revealed.auroc.tolist(), reverse=True)
    assert board["truth"]
    for row in board["rows"]:
        bar = row["bar"]
        assert 0 <= bar["auroc_low"] <= bar["auroc"] <= bar["auroc_high"] <= board["width"]
        assert (bar["auroc"] > board["chance"]) == (row["auroc"] > 0.5)
        assert (bar["auroc"] - bar["true_auroc"]) * row["error"] >= 0


def test_a_truth_that_is_not_known_is_left_open(revealed):
    auroc = revealed.truth.auroc.copy()
    auroc[0] = np.nan
    known = dataclasses.replace(revealed, truth=dataclasses.replace(revealed.truth, auroc=auroc))
    rows = facts(known)["board"]["rows"]
    assert [row["true_auroc"] for row in rows].count(None) == 1
    assert "7 of 7" in facts(known)["captions"]["truth"]


def test_captions_say_what_is_seen(revealed):
    captions = facts(revealed)["captions"]
    assert list(captions) == ["truth", "scores", "growth", "calibration", "diagnosis", "covariance"]
    assert f"{revealed.truth.mean_rank:.3f}" in captions["growth"]
    assert f"{revealed.truth.auroc.max():.2f}" in captions["truth"]
    assert f"{revealed.pictures.scores.positive.sum():.0%}" in captions["scores"]
    assert f"{revealed.diagnosis.binary_factor:.2f}" in captions["diagnosis"]
    assert "Rank correlations" in captions["covariance"]
    assert "nan" not in " ".join(captions.values())


def test_labels_appear_only_where_there_are_some(found, revealed):
    assert "truth" not in facts(found)["captions"]
    assert facts(found)["by_labels"] is None
    assert f"{revealed.truth.ensemble:.3f}" in facts(revealed)["by_labels"]


@pytest.mark.parametrize(
    "settings",
    [
        {"prevalence": None, "solver": "iterative", "model": "auto", "refine": "likelihood", "level": 0.95},
        {"prevalence": 0.4, "solver": "sdp", "model": "shared", "refine": None, "level": 0.9},
    ],
    ids=["defaults", "others"],
)
def test_the_python_that_is_shown_finds_the_same(settings, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = gl.simulate(random_state=1, **BASE)
    found = gl.evaluate(data.scores, **settings)
    names = {"scores": data.scores, "truth": data.labels}
    exec(facts(found)["snippet"], names)
    assert names["found"] == found
    revealed = gl.Summa(**settings).fit(data.scores).reveal(data.scores, data.labels)
    exec(facts(revealed)["snippet"], names)
    assert names["found"] == revealed


def test_labels_that_were_used_are_in_the_python_that_is_shown():
    data = gl.simulate(random_state=1, **BASE)
    labels = np.where(np.arange(1000) < 30, data.labels, -1)
    said = facts(gl.evaluate(data.scores, labels))
    assert "    labels,\n" in said["snippet"]
    assert said["labels"] == "with the labels of 30"
    assert any("30 labels" in sentence for sentence in said["assumed"])


def test_what_was_assumed_depends_on_the_model(found):
    said = {
        model: " ".join(facts(dataclasses.replace(found, model=model))["assumed"])
        for model in ("independent", "shared", "auto", "calibrated")
    }
    assert len(set(said.values())) == 4
    assert "too few samples" in " ".join(facts(dataclasses.replace(found, refined=None))["assumed"])


def test_names_are_printable_everywhere():
    names = ["evil\u202e\x00", *"bcdef"]
    scores = pd.DataFrame(gl.simulate(n_methods=6, random_state=0).scores, columns=names)
    said = json.dumps(facts(gl.evaluate(scores)), ensure_ascii=False)
    assert "\u202e" not in said
    assert "evil\ufffd" in said


def test_pairs_without_a_common_sample_are_left_out():
    data = gl.simulate(n_methods=8, auroc=np.full(8, 0.85), random_state=0)
    odd = np.arange(1000)[:, None] % 2 == 1
    scores = np.where(odd & (np.arange(8) == 1) | ~odd & (np.arange(8) == 2), np.nan, data.scores)
    caption = facts(gl.Summa().fit(scores).evaluation_)["captions"]["covariance"]
    assert caption.endswith("Blank: no sample in common.")
    assert "nan" not in caption


def test_an_unknown_diagnosis_and_turned_labels_are_said(found):
    rows = dict(facts(diagnosed(found, finding="unknown", near_duplicates=(("a", "b"),)))["diagnosis"])
    assert rows["Independence within the classes"] == "cannot be told"
    assert rows["Nearly the same rankings"] == "a and b"
    assumed = " ".join(facts(dataclasses.replace(found, turned=True))["assumed"])
    assert "higher scores mean less likely positive: so say the labels" in assumed
