import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import goldless as gl
from goldless import reproduction
from goldless.cli import app
from goldless.reproduction import OBJECTS, reproduce

EXPERIMENTS = Path(__file__).resolve().parents[1] / "experiments"
FEW = {"n_samples": 150, "n_methods": 8, "prevalence": 0.4}


@pytest.fixture
def script(monkeypatch):
    """Import a script of the folder `experiments`, to run on one core: here, where it is watched."""
    monkeypatch.syspath_prepend(EXPERIMENTS)
    monkeypatch.setattr(import_module("tally"), "CORES", 1)
    return import_module


@pytest.fixture
def folder(script, tmp_path, monkeypatch):
    """A folder with scores as if trained, and by caret beside the data, of one split; and simulations made small."""
    monkeypatch.setattr(script("synthetic"), "DEFAULT", FEW)
    names = list(script("table2").COUNTERPARTS)
    truth = np.linspace(0.55, 0.9, len(names))
    for i, name in enumerate(script("study").TITLES):
        for kind in ("scores/untuned", "predictions"):
            (tmp_path / kind).mkdir(exist_ok=True, parents=True)
            data = gl.simulate(n_samples=150, n_methods=len(names), auroc=truth, random_state=i)
            table = pd.DataFrame(data.scores, columns=names).assign(mlp=0.5, label=data.labels)
            table.to_csv(tmp_path / kind / f"{name}_split01.csv.gz", index=False)
    monkeypatch.setattr(gl.datasets, "load_uci", labelled)
    return tmp_path


def labelled(name, data=None, n_samples=200):
    data = gl.simulate(n_samples=n_samples, n_methods=4, auroc=[0.9, 0.8, 0.7, 0.6], random_state=0)
    features = pd.DataFrame(data.scores, columns=list("abcd")).assign(kind=np.where(data.labels, "x", "y"), same=1.0)
    return gl.datasets.Labelled(name, features, data.labels)


@pytest.mark.parametrize("name", OBJECTS)
def test_every_object_is_drawn_and_its_results_kept(name, folder):
    drawn = list(reproduce(name, folder, data=folder / "uci", quick=True))
    assert {path.suffix for path in drawn} <= {".png", ".md"}
    assert all(path.stat().st_size for path in drawn)
    tables = [path.read_text(encoding="utf-8") for path in drawn if path.suffix == ".md"]
    assert tables
    assert all(table.startswith("| ") for table in tables)
    assert list(folder.glob("*.csv"))


def test_what_is_in_the_results_is_not_computed_again(folder, script, monkeypatch):
    list(reproduce("fig3", folder, quick=True))
    kept = pd.read_csv(folder / "fig3.csv")
    some = kept[kept["n_samples"] > 30]
    some.to_csv(folder / "fig3.csv", index=False)
    fig3, seen = script("fig3"), []
    monkeypatch.setattr(fig3, "sweep", lambda reading, repeats, n_samples: seen.append(n_samples) or [{"mean": 0.5}])
    rows = fig3.run(folder, None, quick=True)
    assert seen == [30, 30]
    assert len(rows) == len(some) + 2


def test_a_run_that_is_stopped_keeps_what_it_has(script, tmp_path):
    def fail_late(case):
        if case == 3:
            raise KeyboardInterrupt
        return [{"value": case / 10}]

    cases = [{"case": i} for i in range(5)]
    with pytest.raises(KeyboardInterrupt):
        script("tally").collect(fail_late, cases, tmp_path / "some.csv")
    assert pd.read_csv(tmp_path / "some.csv")["value"].tolist() == [0.0, 0.1, 0.2]


def test_all_runs_every_object(monkeypatch, tmp_path):
    class Script:
        Study = staticmethod(lambda data, cache: None)

        def __init__(self, name):
            self.name = name

        def run(self, folder, study, *, quick):
            return quick

        def draw(self, rows, folder):
            return [folder / self.name]

    monkeypatch.setattr(reproduction, "_script", Script)
    assert tuple(path.name for path in reproduce("all", tmp_path)) == OBJECTS


def test_the_command_works_on_two_cores(tmp_path):
    result = CliRunner().invoke(app, ["reproduce", "fig1b", "--quick", "-o", str(tmp_path)])
    assert result.exit_code == 0
    assert str(tmp_path / "fig1b.png") in result.output.replace("\n", "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [(["fig7"], "'fig7' is not one of 'fig1a'"), (["table1", "--data", "nowhere"], "There is neither")],
)
def test_what_cannot_be_done_gets_a_sentence(arguments, sentence, script, tmp_path):
    result = CliRunner().invoke(app, ["reproduce", *arguments, "-o", str(tmp_path)], env={"COLUMNS": "200"})
    assert result.exit_code == 1
    assert sentence in result.output


def test_without_the_extra_it_says_what_to_install(monkeypatch, tmp_path):
    for name in ("study", "methods"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "wittgenstein", None)
    with pytest.raises(
        gl.GoldlessError, match=r"needs the package 'wittgenstein': pip install 'goldless\[reproduce\]'"
    ):
        list(reproduce("table2", tmp_path))


def test_datasets_without_pandas_say_what_to_install():
    code = "import sys; sys.modules['pandas'] = None; import goldless as gl; gl.datasets"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "needs the package 'pandas': pip install 'goldless[reproduce]'" in result.stderr


def test_the_paper_to_the_letter(script):
    data = gl.simulate(auroc=(0.6, 0.9), prevalence=0.3, n_methods=12, n_samples=4000, random_state=0)
    found = script("literal").summa(data.scores)
    np.testing.assert_allclose(found.auroc, gl.metrics.auroc(data.labels, data.scores), atol=0.03)
    assert found.prevalence == pytest.approx(0.3, abs=0.03)
    assert gl.metrics.auroc(data.labels, found.score) > 0.95


@pytest.mark.parametrize("reading", ["as stated", "variances 1, 16"])
def test_readings_hold_the_aurocs_that_they_are_given(script, reading):
    data = script("synthetic").simulate(reading, 0, n_samples=20_000)
    np.testing.assert_allclose(gl.metrics.auroc(data.labels, data.scores), data.auroc, atol=0.02)
    assert 0.4 < data.auroc.min() < data.auroc.max() < 0.8


def test_the_23_methods_learn(script):
    table = labelled("any", n_samples=160)
    X = table.features[list("abcd")].to_numpy()
    scores = script("methods").scores(X[:80], table.labels[:80], X[80:], seed=0)
    assert list(scores) == list(script("table2").COUNTERPARTS)
    areas = {name: gl.metrics.auroc(table.labels[80:], score) for name, score in scores.items()}
    assert np.mean(list(areas.values())) > 0.8
    assert min(areas.values()) >= 0.5


def test_a_logistic_tree_with_a_pure_leaf(script):
    X = np.array([[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0]])
    y = np.array([0, 1, 0, 1, 1, 1, 1, 1])
    model = script("methods").LogisticModelTree(smallest_leaf=0.5).fit(X, y)
    assert (model.predict_proba(X)[4:, 1] == 1).all()


@pytest.mark.parametrize(("n_samples", "train", "test"), [(201, 100, 101), (2500, 1000, 1000)])
def test_splits_are_those_of_the_paper(script, monkeypatch, tmp_path, n_samples, train, test):
    study, trained = script("study"), []

    def scores(X, y, X_new, seed, *, tuned):
        assert tuned
        trained.append((X, X_new))
        return {"first": X_new[:, 0], "second": X_new[:, 1]}

    monkeypatch.setattr(gl.datasets, "load_uci", lambda name, data: labelled(name, data, n_samples))
    monkeypatch.setattr(study.methods, "scores", scores)
    split = study.Study(None, tmp_path).load("trained here", "yeast", 1)
    again = study.Study(None, tmp_path).load("trained here", "yeast", 1)
    pd.testing.assert_frame_equal(split.scores, again.scores)
    [(X, X_new)] = trained
    # The constant column is left out, text becomes 0 and 1.
    assert X.shape == (train, 5)
    assert X_new.shape == (test, 5)
    assert len(split.labels) == test
    assert len(np.unique(np.concatenate([X, X_new])[:, 0])) == train + test
