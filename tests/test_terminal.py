import re
import sys

import pytest

import goldless as gl
from goldless import terminal
from goldless.planning import Need


def test_a_table_goes_plain_and_whole_where_nobody_looks(capsys):
    name = "[bold]" + "x" * 200
    terminal.table({"method": [name, "b"], "true_auroc": [0.5, 0.25], "coverage": [1.0, 0.5], "error": [0.1, -0.1]})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["method", "true", "AUROC", "coverage", "error"]
    assert lines[1].split() == [name, "0.500", "100%", "+0.100"]
    assert lines[2].split() == ["b", "0.250", "50%", "-0.100"]


def test_on_a_screen_a_table_keeps_to_its_width(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    terminal.table({"method": ["x" * 200], "auroc": [0.5]})
    lines = re.sub("\x1b\\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert max(map(len, lines)) <= 60


def test_prose_is_folded(capsys):
    terminal.say("word " * 100)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= terminal.LINE
    terminal.say("beside", error=True)
    assert capsys.readouterr().err == "beside\n"


def test_an_evaluation_reads_best_first(capsys):
    data = gl.simulate(n_methods=5, random_state=0)
    found = gl.Summa().fit(data.scores).reveal(data.scores, data.labels)
    terminal.evaluation(found)
    text = capsys.readouterr().out
    assert text.splitlines()[0].split("  ")[0] == "method"
    assert text.splitlines()[1].startswith(found.leaderboard()["method"][0])
    assert " ".join(found.summary().split()[:10]) in " ".join(text.split())
    terminal.revealed(found, found.truth)
    assert f"goldless ensemble   {found.truth.ensemble:.3f}" in capsys.readouterr().out


def test_what_is_not_reached_is_said(capsys):
    terminal.needs([Need(5, 0, 800, 0.09, 0.02, True), Need(5, 30, 6400, 0.3, 0.1, False)])
    text = capsys.readouterr().out
    assert "800" in text
    assert "not reached" in text
    assert "6,400 samples do not suffice" in text


@pytest.mark.parametrize("total", [None, 3])
def test_a_bar_is_for_those_who_look_on(capsys, monkeypatch, total):
    with terminal.working("Working", total) as step:
        step()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with terminal.working("Working", total) as step:
        step()
    assert "Working" in capsys.readouterr().err
    with terminal.working("Working", total, quiet=True) as step:
        step()
    assert capsys.readouterr().err == ""
