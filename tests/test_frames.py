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
