import numpy as np
import polars as pl
import pytest

import goldless as gl
from goldless import files, lazy_files


@pytest.fixture
def folder(tmp_path):
    """Scores of five methods, with names and some labels, in one file and in four."""
    data = gl.simulate(n_samples=400, n_methods=5, random_state=0)
    frame = pl.DataFrame(
        {
            "sample": [f"s{k}" for k in range(400)],
            **{f"m{i}": column for i, column in enumerate(data.scores.T)},
            "known": [int(label) if k < 40 else None for k, label in enumerate(data.labels)],
        }
    )
    frame.write_parquet(tmp_path / "whole.parquet")
    for k in range(4):
        frame[100 * k : 100 * (k + 1)].write_parquet(tmp_path / f"part{k}.parquet")
    return tmp_path


def parts(folder):
    return [str(folder / f"part{k}.parquet") for k in range(4)]


@pytest.mark.parametrize("pattern", [False, True])
def test_files_are_judged_as_they_are_in_memory(folder, pattern):
    given = lazy_files.gather([str(folder / "part*.parquet")] if pattern else parts(folder), labels="known")
    whole = files.gather([str(folder / "whole.parquet")], labels="known")
    assert given.table.names == whole.table.names
    assert given.sheet.sample == "sample"
    lazy, memory = (gl.Summa(model="auto").fit(each.table, each.labels) for each in (given, whole))
    np.testing.assert_allclose(lazy.auroc_, memory.auroc_, rtol=1e-9)
    assert lazy.evaluation_.n_labels == 40
    given.sheet.save(folder / "out", {"sample": given.sheet.samples, "label": lazy.predict(given.table)})
    written = pl.read_parquet(folder / "out" / "*.parquet")
    assert written["sample"].to_list() == whole.table.samples.tolist()
    np.testing.assert_array_equal(written["label"], memory.predict(whole.table))


def test_samples_without_names_are_numbered(folder):
    given = lazy_files.gather(parts(folder), columns=["m*"], exclude=["m4"])
    assert given.table.names == ("m0", "m1", "m2", "m3")
    frame = pl.read_parquet(folder / "whole.parquet").drop("sample", "known")
    frame.write_parquet(folder / "bare.parquet")
    assert lazy_files.gather([str(folder / "bare.parquet")]).sheet.samples.compute().tolist() == list(range(1, 401))


def test_whole_numbers_name_samples_where_they_are_called_so(folder):
    frame = pl.DataFrame({"id": range(400)}).hstack(pl.read_parquet(folder / "whole.parquet").drop("sample", "known"))
    frame.write_parquet(folder / "numbered.parquet")
    assert lazy_files.gather([str(folder / "numbered.parquet")]).sheet.sample == "id"


def test_a_place_is_a_column_and_a_row(folder):
    sheet = lazy_files.gather(parts(folder)).sheet
    assert sheet.where("m1", 3) == "column 'm1', row 4"
    assert sheet.where(None, 0) == "row 1"


def test_what_is_no_parquet_or_lacks_a_column_is_refused(folder):
    (folder / "scores.csv").write_text("a,b\n1,2\n")
    with pytest.raises(gl.InputError, match=r"scores.csv cannot be read as Parquet, which --dask needs"):
        lazy_files.gather([str(folder / "scores.csv")])
    with pytest.raises(gl.InputError, match=r"has no column 'truth'; it has 'sample', 'm0'"):
        lazy_files.gather(parts(folder), labels="truth")
