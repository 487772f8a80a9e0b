from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest

import goldless as gl
from goldless import checks, datasets

SIZES = {
    "bank_marketing": (45211, 16, 5289),
    "breast_cancer": (683, 9, 239),
    "ionosphere": (351, 34, 126),
    "mammographic_mass": (830, 5, 403),
    "parkinsons": (195, 22, 48),
    "yeast": (892, 8, 429),
}

#: The class column at OpenML (at UCI for Mammographic Mass): what 0 and 1 are called there.
CLASSES = {
    "bank_marketing": ("1", "2"),
    "breast_cancer": ("benign", "malignant"),
    "ionosphere": ("g", "b"),
    "mammographic_mass": ("0", "1"),
    "parkinsons": ("2", "1"),
    "yeast": ("CYT", "NUC"),
}


def as_at_openml(table, classes):
    """Shape a tidy table as `fetch_openml` gives it: other column names, other order, classes as nominal text."""
    frame = table.drop(columns="label").sample(frac=1, random_state=0)
    frame.columns = [f"V{i}" for i in range(frame.shape[1])]
    few = [name for name in frame if frame[name].nunique() <= 2]
    kinds = dict.fromkeys([*few, *frame.select_dtypes(exclude="number")], "category")
    labels = table["label"].map(dict(enumerate(classes))).astype("category")
    # A nominal column holds text, whatever it says.
    return frame.astype(dict.fromkeys(few, str)).astype(kinds).assign(Class=labels)


@pytest.fixture
def openml(monkeypatch):
    """A stub of `fetch_openml`: give it frames by number."""
    frames = {}

    def fetch(*, data_id, as_frame, parser):
        assert as_frame
        return SimpleNamespace(frame=frames[data_id])

    monkeypatch.setattr(datasets, "fetch_openml", fetch)
    return frames


@pytest.mark.parametrize("name", datasets.UCI)
def test_the_sets_have_the_sizes_of_the_paper(name, shared):
    table = gl.datasets.load_uci(name, shared / "uci")
    samples, features, positive = SIZES[name]
    assert table.name == name
    assert table.features.shape == (samples, features)
    assert table.labels.sum() == positive
    assert table.features.notna().all(axis=None)


@pytest.mark.parametrize("name", [name for name in datasets.UCI if name != "mammographic_mass"])
def test_openml_gives_the_same_table(name, shared, openml):
    kept = gl.datasets.load_uci(name, shared / "uci")
    frame = as_at_openml(pd.read_csv(shared / "uci" / f"{name}.csv.gz"), CLASSES[name])
    openml[datasets._SOURCES[name].location] = frame
    fetched = gl.datasets.load_uci(name)
    pd.testing.assert_frame_equal(fetched.features, kept.features)
    np.testing.assert_array_equal(fetched.labels, kept.labels)


def test_mammographic_mass_comes_from_uci(shared, monkeypatch, tmp_path):
    kept = gl.datasets.load_uci("mammographic_mass", shared / "uci")
    raw = pd.read_csv(shared / "uci" / "mammographic_mass.csv.gz").astype(str)
    raw.loc[len(raw)] = ["4", "43", "1", "1", "?", "1"]
    path = tmp_path / "mammographic_masses.data"
    raw.to_csv(path, index=False, header=False)
    monkeypatch.setattr(datasets, "fetch_file", lambda url: str(path) if "mammographic_masses.data" in url else None)
    pd.testing.assert_frame_equal(gl.datasets.load_uci("mammographic_mass").features, kept.features)


def test_rows_with_gaps_and_of_other_classes_are_dropped(openml, monkeypatch):
    openml[181] = pd.DataFrame(
        {
            "a": [0.1, 0.2, np.nan, 0.4, 0.5],
            "b": pd.Categorical(["0", "1", "1", "0", "1"]),
            "class_protein_localization": pd.Categorical(["NUC", "CYT", "CYT", "MIT", "NUC"]),
        }
    )
    seen = {}
    monkeypatch.setattr(checks, "check_content", lambda name, origin, shape, *sums: seen.update(shape=shape))
    monkeypatch.setitem(datasets._SOURCES, "yeast", datasets._Source(181, ("CYT", "NUC"), "first second", ""))
    table = gl.datasets.load_uci("yeast")
    assert seen["shape"] == (3, 2)
    assert table.features.to_dict("list") == {"first": [0.1, 0.2, 0.5], "second": [0.0, 1.0, 1.0]}
    assert table.labels.tolist() == [1, 0, 1]


def test_another_table_is_refused(shared, openml):
    table = pd.read_csv(shared / "uci" / "yeast.csv.gz")
    table.loc[7, "alm"] += 0.01
    openml[181] = as_at_openml(table, CLASSES["yeast"])
    with pytest.raises(
        gl.InputError, match=r"yeast \(number 181 at OpenML\) is not the table that the paper used: 892"
    ):
        gl.datasets.load_uci("yeast")


def test_a_closed_network_is_named(monkeypatch):
    def fail(**_):
        raise URLError("no route")

    monkeypatch.setattr(datasets, "fetch_openml", fail)
    with pytest.raises(
        gl.GoldlessError, match=r"Could not fetch data set 59 at OpenML .*no route.*folder of CSV files"
    ):
        gl.datasets.load_uci("ionosphere")


def test_bad_input_gets_a_sentence(tmp_path):
    with pytest.raises(gl.InputError, match=r"name='iris' is not one of 'bank_marketing'"):
        gl.datasets.load_uci("iris")
    with pytest.raises(gl.InputError, match=r"neither yeast.csv.gz nor yeast.csv in"):
        gl.datasets.load_uci("yeast", tmp_path)


def test_the_sum_does_not_depend_on_how_numbers_are_written(shared, tmp_path):
    table = pd.read_csv(shared / "uci" / "ionosphere.csv.gz").sample(frac=1, random_state=1)
    table.to_csv(tmp_path / "ionosphere.csv", index=False, float_format="%.12f")
    kept = gl.datasets.load_uci("ionosphere", shared / "uci")
    pd.testing.assert_frame_equal(gl.datasets.load_uci("ionosphere", tmp_path).features, kept.features)
