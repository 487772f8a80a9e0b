import gzip
import io
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import goldless as gl
from goldless import files

CSV = "sample,a,b,c\nx,1,2.5,\ny,3,4,5\nz,5,1,NA\n"


@pytest.fixture
def written(tmp_path):
    def write(content, name="scores.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def check(table):
    assert table.names == ("a", "b", "c")
    assert table.samples.tolist() == ["x", "y", "z"]
    np.testing.assert_array_equal(table.scores, [[1, 2.5, np.nan], [3, 4, 5], [5, 1, np.nan]])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("scores.csv", CSV),
        ("scores.txt", CSV),
        ("scores.csv", "\ufeff" + CSV),
        ("scores.tsv", CSV.replace(",", "\t")),
        ("scores.csv", CSV.replace(",", ";").replace(".", ",")),
        ("scores.csv.gz", gzip.compress(CSV.encode())),
        ("scores.csv", CSV.replace("\n", "\r\n")),
    ],
)
def test_text_is_read_whatever_its_separator(written, name, content):
    check(gl.read_scores(written(content, name)))


@pytest.mark.parametrize("kind", ["parquet", "ipc"])
def test_parquet_and_arrow_are_known_by_how_they_begin(tmp_path, kind):
    frame = pl.read_csv(io.StringIO(CSV), null_values="NA")
    path = tmp_path / "scores"
    getattr(frame, f"write_{kind}")(path)
    check(gl.read_scores(path))


def test_standard_input_is_read(monkeypatch):
    for held in (CSV.encode(), gzip.compress(CSV.encode())):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(held)))
        check(gl.read_scores("-"))


def test_what_is_read_can_be_evaluated(written):
    data = gl.simulate(n_methods=5, random_state=0)
    lines = [",".join(["sample", *"abcde"])] + [f"s{k}," + ",".join(map(str, row)) for k, row in enumerate(data.scores)]
    table = gl.read_scores(written("\n".join(lines)))
    np.testing.assert_allclose(gl.evaluate(table).auroc, gl.evaluate(data.scores).auroc)
    assert isinstance(gl.Summa().fit(table).leaderboard(), pl.DataFrame)


@pytest.mark.parametrize(
    ("header", "first", "sample"),
    [
        ("id,a", ["7,1", "8,2"], "id"),
        (",a", ["0,1", "1,2"], ""),
        ("name,a", ["x,1", "y,2"], "name"),
        ("b,a", ["7,1", "8,2"], None),
        ("b,a", ["7,1", "8.5,2"], None),
    ],
)
def test_the_samples_are_named_by_a_column_that_could(written, header, first, sample):
    sheet = files.read(written("\n".join([header, *first])))
    assert sheet.sample == sample
    assert len(sheet.samples) == 2


def test_columns_are_chosen_by_patterns(written):
    path = written("id,team_a,team_b,note,p\n1,.1,.2,hi,.9\n2,.3,.4,ho,.8\n")
    assert gl.read_scores(path, columns=["team_*", "p"]).names == ("team_a", "team_b", "p")
    assert gl.read_scores(path, exclude=["note", "*_b"]).names == ("team_a", "p")
    with pytest.raises(gl.InputError, match=r"No column matches 'zebra\*'; there are 'team_a', 'team_b'"):
        gl.read_scores(path, exclude=["zebra*"])


def test_scores_are_turned_so_that_high_is_positive(written):
    sheet = files.read(written("id,a,p\n1,.1,.2\n2,.3,.4\n"))
    np.testing.assert_allclose(files.scores(sheet, lower_is_positive=["p"]).scores, [[0.1, -0.2], [0.3, -0.4]])
    np.testing.assert_allclose(files.scores(sheet, ranks=True).scores, [[-0.1, -0.2], [-0.3, -0.4]])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "scores.csv is empty"),
        ("a,b\n", "has column names but no samples"),
        ("id,a,b\nx,1,2\ny,oops,3\n", r"line 3 \(sample y\), column 'a': 'oops' is no number. Leave the entry empty"),
        ("a,b\n1,2\n3,x\n", "line 3, column 'b': 'x' is no number"),
        ("id,a\nx,1\ny,2\nx,3\n", "line 2: column 'id' names 'x' more than once"),
        ("id,a\nx,1\n,2\n", "line 3: column 'id' is empty"),
        ("id,a,b\nx,1,2\ny,1,2,3\n", "line 3: 4 fields, but there are 3 columns"),
        ("id,a,b\nx,1,2\ny,1\n", "line 3: 2 fields, but there are 3 columns"),
        ('id,a,b\n"x,1,2\ny,1,2\n', "Perhaps a quote is not closed"),
        ("a,b,a\n1,2,3\n", "line 1: more than one column is called 'a'"),
        ("sample,a\nm\u00fcller,1\n".encode("latin-1"), "no text in UTF-8"),
        (b"PK\x03\x04 and more", "an archive or an Excel file"),
        (b"PAR1 and no more", "cannot be read"),
        (gzip.compress(CSV.encode())[:20], "cannot be read: Compressed file ended"),
    ],
)
def test_what_cannot_be_read_is_named_by_file_line_and_column(written, content, sentence):
    with pytest.raises(gl.InputError, match=sentence) as caught:
        gl.read_scores(written(content))
    assert "scores.csv" in str(caught.value)


def test_a_missing_file_or_column_is_said_to_be_missing(tmp_path, written):
    with pytest.raises(gl.InputError, match=r"nowhere.csv cannot be read: No such file"):
        gl.read_scores(tmp_path / "nowhere.csv")
    path = written(CSV)
    with pytest.raises(gl.InputError, match=r"has no column 'who'; it has 'sample', 'a', 'b', 'c'"):
        gl.read_scores(path, sample="who")


def test_an_empty_last_score_is_no_torn_line(written):
    assert np.isnan(gl.read_scores(written("id,a,b\nx,1,2\ny,3,\n")).scores[1, 1])


def test_files_of_teams_are_joined_by_sample(written):
    paths = [
        written("id,score\n1,.5\n2,.6\n", "ann.csv"),
        written("id,score\n3,.1\n2,.2\n", "bob.csv"),
        written("id,p,q\n1,1,2\n2,3,4\n3,5,6\n", "eve.csv"),
    ]
    table = gl.read_scores(paths)
    assert table.names == ("ann", "bob", "p", "q")
    assert table.samples.tolist() == [1, 2, 3]
    np.testing.assert_array_equal(table.scores, [[0.5, np.nan, 1, 2], [0.6, 0.2, 3, 4], [np.nan, 0.1, 5, 6]])


def test_files_that_name_several_columns_alike_keep_them_apart(written):
    paths = [written("id,a,b\n1,2,3\n", f"{team}.csv") for team in ("x", "y")]
    assert gl.read_scores(paths).names == ("x.a", "x.b", "y.a", "y.b")
    with pytest.raises(gl.InputError, match=r"both have a column 'x.a'"):
        gl.read_scores([paths[0], written("id,x.a\n1,2\n", "z.csv"), paths[1]])


def test_names_of_samples_may_be_numbers_in_one_file_and_text_in_the_other(written):
    table = gl.read_scores([written("id,a\n1,2\n2,3\n", "x.csv"), written("id,b\nA1,2\nA2,3\n", "y.csv")])
    assert table.samples.tolist() == ["1", "2", "A1", "A2"]


def test_files_without_names_of_samples_are_not_joined(written):
    paths = [written("a\n1\n", "x.csv"), written("id,b\n1,2\n", "y.csv")]
    with pytest.raises(gl.InputError, match=r"x.csv has no column that names the samples.*--id"):
        gl.read_scores(paths)


def test_labels_come_from_a_column_or_another_file(written):
    scores = str(written("id,a,gold\nx,1,1\ny,2,\nz,3,0\n"))
    assert files.gather([scores], truth="gold").truth.tolist() == [1, -1, 0]
    assert files.gather([scores], truth="gold").table.names == ("a",)
    other = str(written("id,label\nz,1\nx,0\n", "labels.csv"))
    assert files.gather([scores], exclude=["gold"], labels=other).labels.tolist() == [0, -1, 1]
    bare = str(written("truth\n1\n0\n1\n", "bare.csv"))
    assert files.gather([scores], exclude=["gold"], labels=bare).labels.tolist() == [1, 0, 1]
    several = str(written("id,by,label\nx,3,1\n", "several.csv"))
    assert files.gather([scores], exclude=["gold"], labels=several).labels.tolist() == [1, -1, -1]


def test_labels_that_cannot_be_found_are_refused(written):
    scores = str(written("id,a\nx,1\ny,2\n"))
    with pytest.raises(gl.InputError, match="none of them, or more than one, is called 'label'"):
        files.gather([scores], labels=str(written("id,u,v\nx,1,2\n", "labels.csv")))
    with pytest.raises(gl.InputError, match="has no label for any of the samples"):
        files.gather([scores], labels=str(written("id,label\nq,1\n", "labels.csv")))
    with pytest.raises(gl.InputError, match=r"labels.csv, line 2 \(sample x\), column 'label': 'yes' is no number"):
        files.gather([scores], labels=str(written("id,label\nx,yes\n", "labels.csv")))


@pytest.mark.parametrize("sparse", [False, True])
def test_a_long_table_is_made_wide(written, sparse):
    lines = ["t1,ann,1", "t1,bob,0", "t2,ann,1"]
    if sparse:
        lines += [f"s{k},w{k},1" for k in range(30)]
    found = files.gather([str(written("\n".join(["task,worker,label", *lines])))], long=("task", "worker", "label"))
    assert found.table.names[:2] == ("ann", "bob")
    assert found.sheet.samples[:2].tolist() == ["t1", "t2"]
    assert found.table.samples[:2].tolist() == ["t1", "t2"]
    assert found.sheet.where("ann", 1) == "sample t2, column 'ann'"
    labels = files.gather(
        [str(written("\n".join(["task,worker,label", *lines])))],
        long=("task", "worker", "label"),
        truth=str(written("task,label\nt2,0\n", "gold.csv")),
    ).truth
    assert labels[:2].tolist() == [-1, 0]


def test_a_place_is_a_line_in_one_file_and_a_sample_in_several(written):
    one = files.read(written(CSV))
    assert re.fullmatch(r".*scores.csv, line 3 \(sample y\), column 'a'", one.where("a", 1))
    assert files.read(written("a,b\n1,2\n")).where(None, 0).endswith("scores.csv, line 2")
    both = files.read([written("id,a\nx,1\n", "x.csv"), written("id,b\ny,1\n", "y.csv")])
    assert re.fullmatch(r".*y.csv, sample y, column 'b'", both.where("b", 1))


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".arrow", ".feather"])
def test_what_is_written_can_be_read(tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    files.save_table(path, {"sample": ["x", "y"], "score": [0.25, 0.5]})
    table = gl.read_scores(path)
    assert table.samples.tolist() == ["x", "y"]
    np.testing.assert_array_equal(table.scores, [[0.25], [0.5]])


def test_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(gl.InputError, match=r"'.xlsx' is not one of '.csv', '.tsv'"):
        files.save_table(tmp_path / "out.xlsx", {"a": [1]})


def test_an_evaluation_comes_back_from_its_file(tmp_path):
    found = gl.evaluate(gl.simulate(n_methods=5, random_state=0).scores)
    files.save_text(tmp_path / "result.json", found.to_json())
    assert files.read_evaluation(tmp_path / "result.json") == found


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"methods": 3}', b"\xff\xfe"])
def test_what_is_no_evaluation_is_refused(written, content):
    with pytest.raises(gl.InputError, match=r"result.json holds no evaluation of this version of goldless"):
        files.read_evaluation(written(content, "result.json"))


@given(
    st.lists(
        st.lists(st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), min_size=2, max_size=2),
        min_size=1,
        max_size=20,
    )
)
def test_every_score_survives_a_file(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("survives") / "scores.csv"
    names = [f"s{k}" for k in range(len(rows))]
    files.save_table(path, {"sample": names, "a": [r[0] for r in rows], "b": [r[1] for r in rows]})
    np.testing.assert_array_equal(gl.read_scores(path).scores, np.array(rows, dtype=float))
