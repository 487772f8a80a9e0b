import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import goldless as gl
from goldless import frames

COLUMNS = {"a": [1.0, 2.0, 3.0], "b": [1, 0, 1], "c": [True, False, True]}
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_table_comes_back_in_its_own_library(library):
    make = LIBRARIES[library]
    table = frames.read(make(COLUMNS))
    assert table.names == ("a", "b", "c")
    np.testing.assert_array_equal(table.scores.astype(float), np.array(list(COLUMNS.values()), dtype=float).T)
    assert isinstance(frames.build(COLUMNS, table.backend), type(make(COLUMNS)))


@pytest.mark.parametrize("library", LIBRARIES)
def test_nothing_is_a_missing_score(library):
    table = frames.read(LIBRARIES[library]({"a": [1.0, None], "b": [2, None]}))
    np.testing.assert_array_equal(np.asarray(table.scores, dtype=float), [[1, 2], [np.nan, np.nan]])


def test_a_lazy_table_is_collected():
    assert frames.read(pl.LazyFrame(COLUMNS)).names == ("a", "b", "c")


def test_an_array_gets_names_and_gives_a_structured_array():
    table = frames.read([[1, 2], [3, 4]])
    assert table.names == ("method0", "method1")
    built = frames.build({"method": ["x", "y"], "auroc": [0.5, 0.6]}, None)
    assert built["method"].tolist() == ["x", "y"]
    assert built[1]["auroc"] == 0.6


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_gives_the_same_answer(library):
    scores = gl.simulate(n_methods=5, random_state=0).scores
    make = LIBRARIES[library]
    table = make({f"team {i}": scores[:, i] for i in range(5)})
    model = gl.Summa().fit(table)
    plain = gl.Summa().fit(scores)
    np.testing.assert_array_equal(model.auroc_, plain.auroc_)
    np.testing.assert_array_equal(model.decision_function(table), plain.decision_function(scores))
    assert model.feature_names_in_.tolist() == [f"team {i}" for i in range(5)]
    board = model.leaderboard()
    assert isinstance(board, type(table))
    assert str(board["method"][0]).startswith("team")


@pytest.mark.parametrize("library", LIBRARIES)
def test_ranks_become_scores_in_the_same_library(library):
    make = LIBRARIES[library]
    ranks = make({"a": [1, 2, 3], "b": [3, 1, 2]})
    scores = gl.ranks_to_scores(ranks)
    assert isinstance(scores, type(ranks))
    np.testing.assert_array_equal(frames.read(scores).scores, [[-1, -3], [-2, -1], [-3, -2]])
    assert frames.read(scores).names == ("a", "b")


LONG = {
    "task": ["b", "b", "a", "c", "c", "a"],
    "worker": ["Zoe", "Ann", "Zoe", "Ann", "Bob", "Bob"],
    "label": [1.0, 0.0, 1.0, 1.0, 0.0, None],
}
KEYS = {"sample": "task", "method": "worker", "value": "label"}


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_long_table_becomes_wide_in_its_own_library(library):
    make = LIBRARIES[library]
    wide = gl.from_long(make(LONG), **KEYS)
    assert isinstance(wide, type(make(LONG)))
    table = frames.read(wide)
    assert table.names == ("Zoe", "Ann", "Bob")
    np.testing.assert_array_equal(table.scores, [[1, 0, np.nan], [1, np.nan, np.nan], [np.nan, 1, 0]])
    if library == "pandas":
        assert wide.index.tolist() == ["b", "a", "c"]
        assert wide.index.name == "task"


def test_a_lazy_long_table_is_collected():
    assert gl.from_long(pl.LazyFrame(LONG), **KEYS).columns == ["Zoe", "Ann", "Bob"]


def test_a_complete_column_keeps_its_kind():
    wide = gl.from_long(
        pd.DataFrame({"t": [1, 1, 2, 2], "w": list("abab"), "v": [True, False, False, True]}),
        sample="t",
        method="w",
        value="v",
    )
    assert wide.dtypes.tolist() == [bool, bool]


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_long_table_with_little_in_it_stays_sparse(library, random):
    task, worker = (
        np.repeat(np.arange(500), 3),
        np.concatenate([random.choice(40, 3, replace=False) for _ in range(500)]),
    )
    label = random.integers(0, 2, 1500)
    long = LIBRARIES[library]({"task": task, "worker": [f"w{i}" for i in worker], "label": label})
    wide = gl.from_long(long, **KEYS)
    assert isinstance(wide, frames.Table)
    assert wide.shape == (500, 40)
    assert wide.scores.nnz == 1500  # zeros are votes too
    dense = frames.dense(wide.scores)
    place = {name: i for i, name in enumerate(wide.names)}
    for t, w, vote in zip(task, worker, label, strict=True):
        assert dense[wide.samples.tolist().index(t), place[f"w{w}"]] == vote
    assert np.isnan(dense).sum() == 500 * 40 - 1500
    model = gl.DawidSkene().fit(wide)
    assert model.feature_names_in_.tolist() == list(wide.names)
    assert isinstance(model.leaderboard(), type(long))
    plain = gl.DawidSkene().fit(dense)
    np.testing.assert_allclose(model.predict_proba(wide), plain.predict_proba(dense), atol=1e-8)


@pytest.mark.filterwarnings("ignore::goldless.errors.GoldlessWarning")
def test_summa_takes_what_from_long_gives(random):
    data = gl.simulate(200, 30, auroc=(0.7, 0.9), random_state=0)
    scored = np.argsort(random.random(data.scores.shape), axis=1) < 3
    sample, method = np.nonzero(scored)
    long = pd.DataFrame({"task": sample, "worker": method, "label": data.scores[scored]})
    wide = gl.from_long(long, **KEYS)
    assert isinstance(wide, frames.Table)
    model = gl.Summa().fit(wide)
    np.testing.assert_array_equal(model.auroc_, gl.Summa().fit(frames.dense(wide.scores)).auroc_)
    assert model.decision_function(wide).shape == (200,)


def test_other_methods_than_those_of_the_fit_are_refused(random):
    def crowd(prefix):
        worker = np.concatenate([random.choice(30, 2, replace=False) for _ in range(300)])
        long = {"task": np.repeat(np.arange(300), 2), "worker": [f"{prefix}{i}" for i in worker]}
        return gl.from_long(pd.DataFrame(long | {"label": random.integers(0, 2, 600)}), **KEYS)

    model = gl.MajorityVote().fit(crowd("a"))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(crowd("b"))


def nullable(scores, kind):
    """The same truth values, some missing, in the kinds of tables that hold such."""
    truth = pd.DataFrame(scores > 0.5, columns=list("abcde")).astype("boolean")
    truth.iloc[3, 2] = pd.NA
    if kind == "polars":
        return pl.DataFrame({name: truth[name].astype(object).where(truth[name].notna(), None) for name in truth})
    if kind == "arrow":
        return pa.table({name: pa.array(truth[name], from_pandas=True) for name in truth})
    return truth.convert_dtypes(dtype_backend="pyarrow") if kind == "pandas of Arrow" else truth


@pytest.mark.parametrize("kind", ["pandas", "pandas of Arrow", "polars", "arrow"])
def test_truth_values_may_be_missing_in_every_library(kind):
    scores = gl.simulate(300, 5, auroc=(0.6, 0.9), random_state=0).scores
    expected = (scores > 0.5).astype(float)
    expected[3, 2] = np.nan
    table = nullable(scores, kind)
    np.testing.assert_array_equal(frames.read(table).scores, expected)
    np.testing.assert_allclose(gl.Summa().fit(table).auroc_, gl.Summa().fit(expected).auroc_)
    for estimator in (gl.MajorityVote(), gl.SpectralMetaLearner(), gl.DawidSkene()):
        assert estimator.fit(table).predict(table).dtype == bool


def test_columns_may_be_of_different_kinds():
    scores = gl.simulate(300, 5, auroc=(0.6, 0.9), random_state=0).scores
    table = pd.DataFrame(scores, columns=list("abcde"))
    table["a"] = pd.array((10 * scores[:, 0]).astype(int), dtype="Int64")
    table["b"] = pd.array(scores[:, 1] > 0.5, dtype="boolean")
    table.loc[5, ["a", "b"]] = pd.NA
    read = frames.read(table).scores
    assert read.dtype == float
    assert np.isnan(read[5, :2]).all()
    np.testing.assert_array_equal(read[:, 2:], scores[:, 2:])
    assert frames.read(pl.DataFrame(scores).cast(pl.Decimal(12, 6))).scores.dtype == float


def test_what_is_missing_in_arrays():
    scores = gl.simulate(300, 5, auroc=(0.6, 0.9), random_state=0).scores
    holed = scores.copy()
    holed[3, 2] = np.nan
    expected = gl.Summa().fit(holed).auroc_
    none = scores.astype(object)
    none[3, 2] = None
    for table in (none, none.tolist(), np.ma.masked_invalid(holed)):
        np.testing.assert_array_equal(gl.Summa().fit(table).auroc_, expected)


@pytest.mark.parametrize("library", [pl.DataFrame, pa.table, pd.DataFrame])
def test_a_column_of_nothing_has_no_scores(library):
    table = library({"a": [1.0, 2.0], "b": [None, None], "c": [2.0, 1.0]})
    with pytest.raises(gl.InputError, match=r"Method 'b' .* has no scores at all"):
        gl.Summa().fit(table)


def test_names_of_columns():
    scores = gl.simulate(300, 5, random_state=0).scores
    with pytest.raises(gl.InputError, match=r"Several columns are named 'a'. Give each method a name of its own"):
        gl.Summa().fit(pd.DataFrame(scores, columns=list("aabcd")))
    with pytest.raises(gl.InputError, match=r"Some names of columns are text, but 1 is not. Make all names text"):
        gl.Summa().fit(pd.DataFrame(scores, columns=["a", 1, "c", "d", "e"]))


def test_a_long_table_may_mix_names_and_miss_votes():
    votes = pd.DataFrame({"task": [1, "a", 1, "a"], "worker": ["x", "x", "y", "y"], "label": [True, False, True, None]})
    votes["label"] = votes["label"].astype("boolean")
    wide = gl.from_long(votes, sample="task", method="worker", value="label")
    assert wide.index.tolist() == [1, "a"]
    np.testing.assert_array_equal(wide, [[1, 1], [0, np.nan]])


@pytest.mark.parametrize("kind", ["u1", "u4", "u8", "i1", "i8", bool])
def test_ranks_of_any_whole_kind_turn_into_scores(kind):
    ranks = np.array([[0, 1], [1, 0]]).astype(kind)
    np.testing.assert_array_equal(gl.ranks_to_scores(ranks), [[0, -1], [-1, 0]])
    np.testing.assert_array_equal(gl.ranks_to_scores(pl.DataFrame(ranks)).to_numpy(), [[0, -1], [-1, 0]])


def test_the_least_of_few_bits_turns_too():
    assert gl.ranks_to_scores(np.array([[-128]], np.int8))[0, 0] == 128


def test_ranks_keep_index_and_names():
    ranks = pd.DataFrame([[1, 2], [2, 1]], index=["s", "t"], columns=[7, 8])
    pd.testing.assert_frame_equal(gl.ranks_to_scores(ranks), -ranks)
    np.testing.assert_array_equal(gl.ranks_to_scores([[1, None], [2, 1]]), [[-1, np.nan], [-2, -1]])


def test_ranks_that_are_no_numbers():
    with pytest.raises(gl.InputError, match=r"Ranks must be numbers; found .*Convert them"):
        gl.ranks_to_scores([["first"], ["second"]])


@pytest.mark.parametrize("nothing", [None, 3.0, "scores.csv"])
def test_what_is_no_table(nothing):
    with pytest.raises(ValueError, match="Expected 2D array"):
        gl.Summa().fit(nothing)
