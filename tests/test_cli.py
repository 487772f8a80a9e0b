import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import goldless as gl
from goldless.__main__ import main
from goldless.cli import app


def goldless(*words, **settings):
    return CliRunner().invoke(app, [str(word) for word in words], **settings)


def said(result):
    return " ".join(result.output.split())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with scores of six methods, and labels."""
    monkeypatch.chdir(tmp_path)
    assert goldless("simulate", "scores.csv", "--truth", "labels.csv", "--methods", 6, "--samples", 400).exit_code == 0
    return tmp_path


@pytest.fixture
def dependent(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert goldless("simulate", "scores.csv", "--correlation", 0.5).exit_code == 0


def test_evaluate_prints_what_gl_evaluate_finds(folder):
    result = goldless("evaluate", "scores.csv")
    assert result.exit_code == 0
    found = gl.evaluate(gl.read_scores("scores.csv"))
    assert " ".join(found.summary().split()) in said(result)
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["method", "AUROC", "95%", "interval", "weight", "coverage"]
    assert [line.split()[0] for line in lines[1:7]] == found.leaderboard()["method"]


def test_evaluate_writes_json_and_scores(folder):
    result = goldless("evaluate", "scores.csv", "--json", "r.json", "--scores", "s.parquet", "--quiet")
    assert result.exit_code == 0
    assert result.output == ""
    found = gl.Evaluation.from_json((folder / "r.json").read_text())
    table = gl.read_scores("scores.csv")
    model = gl.Summa(model="auto", refine="likelihood").fit(table)
    np.testing.assert_array_equal(found.auroc, model.auroc_)
    written = pl.read_parquet("s.parquet")
    assert written.columns == ["sample", "score", "posterior", "label"]
    np.testing.assert_array_equal(written["score"], model.decision_function(table))
    np.testing.assert_array_equal(written["posterior"], model.predict_proba(table)[:, 1])
    np.testing.assert_array_equal(written["label"], model.predict(table))


def test_the_truth_is_set_beside_the_estimates(folder):
    result = goldless("evaluate", "scores.csv", "--truth", "labels.csv")
    assert "true AUROC" in result.stdout
    assert "By the labels of 400 samples" in said(result)


def test_some_labels_are_used(folder):
    labels = pl.read_csv("labels.csv").with_columns(
        pl.when(pl.col("sample") <= 50).then(pl.col("label")).alias("label")
    )
    labels.write_csv("some.csv")
    assert "with the labels of 50 of them" in said(goldless("evaluate", "scores.csv", "--labels", "some.csv"))
    pl.read_csv("scores.csv").join(labels, on="sample").write_csv("both.csv")
    result = goldless("evaluate", "both.csv", "--labels", "label")
    assert "with the labels of 50 of them" in said(result)
    assert "6 methods" in said(result)


def test_settings_reach_the_fit(folder):
    words = ["--prevalence", 0.3, "--model", "independent", "--solver", "sdp", "--level", 0.5, "--json", "r.json"]
    assert goldless("evaluate", "scores.csv", *words).exit_code == 0
    found = json.loads((folder / "r.json").read_text())
    assert (found["prevalence"], found["model"], found["solver"], found["level"]) == (0.3, "independent", "sdp", 0.5)
    assert found["prevalence_given"]


def test_columns_ranks_and_direction_are_chosen(folder):
    straight = goldless("evaluate", "scores.csv", "--exclude", "method1").stdout
    assert "method1" not in straight
    frame = pl.read_csv("scores.csv").drop("method1")
    methods = frame.columns[1:]
    frame.with_columns(-pl.col(methods)).write_csv("low.csv")
    assert goldless("evaluate", "low.csv", "--lower-is-positive", "method*").stdout == straight
    frame.with_columns(pl.col(methods).rank(descending=True)).write_csv("ranks.csv")
    assert goldless("evaluate", "ranks.csv", "--ranks").stdout == straight
    assert goldless("evaluate", "scores.csv", "--columns", "method[02345]").stdout == straight


def test_one_file_for_each_team_and_standard_input(folder):
    frame = pl.read_csv("scores.csv")
    teams = []
    for name in frame.columns[1:]:
        teams.append(f"{name}.csv")
        frame.select("sample", pl.col(name).alias("score")).write_csv(teams[-1])
    whole = goldless("evaluate", "scores.csv").stdout
    assert goldless("evaluate", *teams).stdout == whole
    assert goldless("evaluate", "-", input=(folder / "scores.csv").read_bytes()).stdout == whole


@pytest.mark.parametrize("method", ["woc", "sml", "dawid-skene", "majority"])
def test_other_methods_judge_votes(folder, method):
    frame = pl.read_csv("scores.csv")
    frame.with_columns((pl.col(frame.columns[1:]) > 0.3).cast(pl.Int8)).write_csv("votes.csv")
    result = goldless("evaluate", "votes.csv", "--method", method, "--truth", "labels.csv", "--scores", "out.csv")
    assert result.exit_code == 0
    assert "the combined score has an AUROC of" in said(result)
    assert "true AUROC" in result.stdout
    assert ("Prevalence" in result.stdout) == (method in {"sml", "dawid-skene"})
    assert pl.read_csv("out.csv").columns == ["sample", "score", "posterior", "label"]
    assert goldless("evaluate", "votes.csv", "--method", method, "--quiet").output == ""
    assert goldless("evaluate", "votes.csv", "--method", method, "--json", "r.json").exit_code == 2


def test_long_votes_for_many_classes(folder):
    random = np.random.default_rng(0)
    truth = random.integers(0, 3, 60)
    rows = [
        (t, w, int(k) if random.random() < 0.7 else int(random.integers(3)))
        for t, k in enumerate(truth)
        for w in "abcd"
    ]
    pl.DataFrame(rows, schema=["task", "worker", "label"], orient="row").write_csv("long.csv")
    words = ["combine", "long.csv", "--long", "task,worker,label", "--method", "dawid-skene", "-o", "out.csv"]
    assert goldless(*words).exit_code == 0
    written = pl.read_csv("out.csv")
    assert written.columns == ["task", "posterior_0", "posterior_1", "posterior_2", "label"]
    assert np.mean(written["label"].to_numpy() == truth) > 0.7
    assert goldless("combine", "long.csv", "--long", "task,worker").exit_code == 2
    assert goldless("combine", "long.csv", "--long", "task,worker,label", "--ranks").exit_code == 2


def test_the_report_is_made_from_the_json_alone(folder):
    assert goldless("evaluate", "scores.csv", "--json", "r.json", "--report", "page.html").exit_code == 0
    (folder / "scores.csv").unlink()
    result = goldless("report", "r.json", "-o", "again.html")
    assert result.exit_code == 0
    assert (folder / "again.html").read_text() == (folder / "page.html").read_text()
    assert "<!doctype html>" in (folder / "page.html").read_text()


def test_a_missing_extra_is_told_before_the_work(folder, monkeypatch):
    monkeypatch.delattr(gl, "report", raising=False)
    monkeypatch.delitem(sys.modules, "goldless.report", raising=False)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    result = goldless("evaluate", "scores.csv", "--report", "page.html")
    assert result.exit_code == 1
    assert "pip install 'goldless[report]'" in said(result)


def test_combine_prints_csv(folder):
    result = goldless("combine", "scores.csv")
    assert result.exit_code == 0
    frame = pl.read_csv(result.stdout.encode())
    assert frame.columns == ["sample", "score", "posterior", "label"]
    assert len(frame) == 400
    assert gl.metrics.auroc(pl.read_csv("labels.csv")["label"], frame["score"]) > 0.6


def test_diagnose_says_the_verdict_and_strict_ends_with_it(dependent):
    result = goldless("diagnose", "scores.csv")
    assert result.exit_code == 0
    assert "violated" in result.stdout
    assert goldless("diagnose", "scores.csv", "--strict").exit_code == 3
    strict = goldless("evaluate", "scores.csv", "--strict", "--json", "r.json")
    assert strict.exit_code == 3
    assert "AUROC" in strict.stdout
    assert gl.Evaluation.from_json(Path("r.json").read_text()).diagnosis.finding == "violated"


def test_strict_is_content_with_a_plausible_answer(folder):
    assert goldless("evaluate", "scores.csv", "--strict").exit_code == 0
    assert goldless("diagnose", "scores.csv", "--strict").exit_code == 0


def test_nothing_is_overwritten_without_force(folder):
    (folder / "r.json").write_text("mine")
    for words in (["evaluate", "scores.csv", "--json", "r.json"], ["simulate", "r.json"]):
        result = goldless(*words)
        assert result.exit_code == 1
        assert "r.json is there already. Name another file, or overwrite it with --force." in said(result)
    assert (folder / "r.json").read_text() == "mine"
    assert goldless("evaluate", "scores.csv", "--json", "r.json", "--force").exit_code == 0
    assert (folder / "r.json").read_text() != "mine"
    assert "There is no folder nowhere" in said(goldless("evaluate", "scores.csv", "--json", "nowhere/r.json"))


def test_errors_name_file_line_and_column_and_show_no_traceback(folder):
    text = (folder / "scores.csv").read_text().splitlines()
    (folder / "word.csv").write_text("\n".join([*text[:3], "3,a,b,c,d,e,f", *text[4:]]))
    (folder / "inf.csv").write_text("\n".join([*text[:3], "3,1,inf,1,1,1,1", *text[4:]]))
    (folder / "none.csv").write_text("\n".join([*text[:3], "3,,,,,,", *text[4:]]))
    (folder / "flat.csv").write_text("\n".join(",".join([*line.split(",")[:6], "1"]) for line in text))
    for name, sentence in {
        "word.csv": "word.csv, line 4 (sample 3), column 'method0': 'a' is no number",
        "inf.csv": "inf.csv, line 4 (sample 3), column 'method1': Method 'method1'",
        "none.csv": "none.csv, line 4 (sample 3): 1 sample(s) have no score from any method",
        "flat.csv": "flat.csv, column '1': Method '1'",
        "nowhere.csv": "nowhere.csv cannot be read: No such file or directory",
    }.items():
        result = goldless("evaluate", name)
        assert result.exit_code == 1
        assert said(result).startswith("Error: " + sentence)
        assert "Traceback" not in result.output
    with pytest.raises(gl.InputError, match="no number"):
        goldless("evaluate", "word.csv", "--debug", catch_exceptions=False)
    assert "cannot be read" in said(goldless("report", "nowhere.json", "-o", "page.html"))


def test_an_error_that_is_about_no_score_names_no_place(folder):
    assert said(goldless("evaluate", "scores.csv", "--level", 2)).startswith("Error: level=2.0 is outside (0, 1)")


def test_warnings_are_sentences(folder):
    frame = pl.read_csv("scores.csv").with_columns(method6=pl.col("method5") * 2)
    frame.write_csv("twice.csv")
    result = goldless("evaluate", "twice.csv")
    assert "Warning: Some methods rank the samples identically (method5 = method6)" in said(result)
    assert "UserWarning" not in result.output
    pl.read_csv("scores.csv").join(pl.read_csv("labels.csv"), on="sample").write_csv("both.csv")
    assert "Warning: column 'label' is judged as a method" in said(goldless("evaluate", "both.csv"))


def test_files_larger_than_memory_are_judged_by_dask(folder):
    # Too few samples to refine by likelihood, which takes hundreds of passes.
    frame = pl.read_csv("scores.csv")[:10]
    frame.write_csv("few.csv")
    for k in range(2):
        frame[5 * k : 5 * (k + 1)].write_parquet(f"part{k}.parquet")
    words = ["part0.parquet", "part1.parquet", "--dask", "local"]
    result = goldless("evaluate", *words, "--scores", "out", "--json", "lazy.json")
    assert result.exit_code == 0
    assert result.stdout == goldless("evaluate", "few.csv").stdout
    written = pl.read_parquet("out/*.parquet")
    assert written["sample"].to_list() == frame["sample"].to_list()
    # A folder is never overwritten.
    assert "out is there already" in said(goldless("combine", *words, "-o", "out", "--force"))
    assert goldless("combine", *words).exit_code == 2
    assert goldless("evaluate", *words, "--ranks").exit_code == 2
    assert goldless("evaluate", *words, "--method", "sml").exit_code == 2


def test_words_that_are_not_understood_end_with_2():
    assert goldless("evaluate").exit_code == 2
    assert goldless("evaluate", "x.csv", "--model", "magic").exit_code == 2
    assert goldless("juggle").exit_code == 2


def test_plan_says_how_many_samples(folder):
    result = goldless("plan", 0.3, "--methods", 5, "--labels", 0, "--repeats", 1)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1].split()[:2] == ["5", "0"]


def test_the_demo_shows_what_was_found_and_the_truth():
    result = goldless("demo")
    assert result.exit_code == 0
    assert result.output.count("\nlogistic regression") == 2
    for words in ("without labels", "The truth beside it", "goldless ensemble", "plain average", "best single method"):
        assert words in result.output


@pytest.mark.parametrize("command", [["-m", "goldless"], ["-c", "import goldless.__main__ as m; m.main()"]])
def test_the_version(command):
    result = subprocess.run([sys.executable, *command, "--version"], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == f"goldless {gl.__version__}"


def test_help_answers_before_numpy_is_loaded():
    code = "import sys, goldless.cli; print(sorted({'numpy', 'sklearn', 'polars', 'rich'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_what_nobody_expected_is_told_without_a_traceback(monkeypatch):
    def fail():
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr("goldless.cli.app", fail)
    monkeypatch.setattr(sys, "argv", ["goldless", "evaluate"])
    with pytest.raises(SystemExit, match=r"goldless failed: ZeroDivisionError: of all things. Run it with --debug"):
        main()
    monkeypatch.setattr(sys, "argv", ["goldless", "evaluate", "--debug"])
    with pytest.raises(ZeroDivisionError):
        main()


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "goldless.cli", None)
    monkeypatch.setitem(sys.modules, "typer", None)
    with pytest.raises(SystemExit, match=r"pip install 'goldless\[cli\]'"):
        main()
