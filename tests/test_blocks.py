import os
import signal
from pathlib import Path

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask import delayed
from distributed import Client, LocalCluster

import goldless as gl
from goldless import cluster, global_ranks
from goldless.moments import second_moments, third_moment
from goldless.rows import Rows
from noise import noise


@pytest.fixture(scope="module")
def client():
    """Start a cluster of two worker processes on the loopback."""
    settings = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with LocalCluster(n_workers=2, **settings) as here, Client(here) as there:
        yield there


@pytest.fixture(params=["threads", "cluster", "far cluster"])
def place(request, monkeypatch):
    """Run without a cluster, on one that shares this disk, and on one that does not."""
    if request.param == "threads":
        monkeypatch.setattr(cluster, "client", lambda: None)
        with dask.config.set(scheduler="threads"):
            yield request.param
        return
    request.getfixturevalue("client")
    if request.param == "far cluster":
        monkeypatch.setattr(cluster, "reaches", lambda path: False)
    yield request.param


@pytest.fixture(scope="module")
def data():
    return gl.simulate(n_samples=3000, n_methods=8, prevalence=0.3, random_state=0)


@pytest.fixture
def scores(data):
    """Scores of all kinds: gaps, few values, 99 % ties, a column of whole numbers."""
    scores, random = data.scores.copy(), np.random.default_rng(0)
    scores[:100, 1] = np.nan
    scores[:, 2] = np.round(scores[:, 2])
    scores[:, 3] = np.where(random.random(3000) < 0.99, 0.0, scores[:, 3])
    scores[:, 4] = np.round(100 * scores[:, 4])
    return scores


def partitioned(scores):
    """Cut into partitions of very different sizes, one of them empty, one of a single row."""
    return da.concatenate([da.from_array(part) for part in np.split(scores, [900, 900, 901, 2000])])


def close(one, other, tolerance=1e-12):
    np.testing.assert_allclose(other, one, rtol=0, atol=tolerance)


@pytest.fixture
def ranges(monkeypatch):
    """Rank no more scores of a column at a time than this."""
    monkeypatch.setattr(global_ranks, "RANGE", 800)


def test_moments_are_those_in_memory(place, scores, ranges):
    rows, distribution = gl.blocks.read(partitioned(scores), ranks="exact").scores.ranked()
    held, known = Rows(scores).ranked()
    v = np.ones(8) / np.sqrt(8)
    for statistic, parameters in ((second_moments, ()), (third_moment, (v,))):
        found, expected = rows.sum(statistic, *parameters), held.sum(statistic, *parameters)
        for name, value in vars(expected).items():
            np.testing.assert_allclose(getattr(found, name), value, rtol=1e-12, atol=1e-12)
    for mine, theirs in zip(distribution.knots, known.knots, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_a_lazy_table_is_judged_and_combined_as_in_memory(place, scores):
    lazy = partitioned(scores)
    here, there = gl.Summa(model="shared").fit(scores), gl.Summa(model="shared").fit(lazy)
    close(here.auroc_, there.auroc_)
    close(here.auroc_interval_, there.auroc_interval_)
    close(here.weights_, there.weights_)
    assert there.diagnosis_.binary_factor == pytest.approx(here.diagnosis_.binary_factor, rel=1e-9)
    assert there.evaluation_.rank_error == 0
    combined = there.decision_function(lazy)
    assert isinstance(combined, da.Array)
    assert combined.chunks == (lazy.chunks[0],)
    close(here.decision_function(scores), combined.compute(), 1e-11)
    close(here.predict_proba(scores), there.predict_proba(lazy).compute())
    np.testing.assert_array_equal(there.predict(lazy).compute(), here.predict(scores))
    np.testing.assert_array_equal(there.suggest(10), here.suggest(10))
    np.testing.assert_array_equal(there.suggest(10, lazy), here.suggest(10))
    crowd = gl.WisdomOfCrowds()
    close(crowd.fit(scores).predict_proba(scores), crowd.fit(lazy).predict_proba(lazy).compute())


def test_sketches_are_close_and_say_how_close(place, scores, monkeypatch):
    monkeypatch.setattr(global_ranks, "SKETCH", 2**10)
    here, there = gl.Summa().fit(scores), gl.Summa().fit(gl.blocks.read(partitioned(scores), ranks="sketch"))
    assert 0 < there.evaluation_.rank_error < 0.003
    assert "Ranks come from sketches" in str(there.evaluation_)
    assert np.abs(here.auroc_ - there.auroc_).max() < 2 * there.evaluation_.rank_error
    monkeypatch.setattr(global_ranks, "SKETCH", 2**15)
    again = gl.Summa().fit(gl.blocks.read(partitioned(scores), ranks="sketch"))
    assert np.abs(here.auroc_ - again.auroc_).max() < 1e-3


def test_likelihood_and_labels_run_on_the_cluster(client, data):
    scores = data.scores[:, :6]
    few = np.where(np.arange(3000) % 60 == 0, data.labels, -1)
    lazy = da.from_array(scores, chunks=(1500, 3))
    here, there = (gl.Summa(prevalence=0.3, refine="likelihood").fit(X, few) for X in (scores, lazy))
    close(here.auroc_, there.auroc_, 1e-9)
    close(here.auroc_interval_, there.auroc_interval_, 1e-9)
    assert there.evaluation_.n_labels == 50
    again = gl.Summa().fit(lazy, dd.from_pandas(pd.Series(few), npartitions=5))
    close(gl.Summa().fit(scores, few).auroc_, again.auroc_)
    np.testing.assert_array_equal(there.suggest(5), here.suggest(5))


def test_medians_are_taken_by_partition(client, data):
    probabilities = 1 / (1 + np.exp(-data.scores))
    here, there = (gl.Summa(model="calibrated").fit(X) for X in (probabilities, partitioned(probabilities)))
    close(here.auroc_, there.auroc_)
    close(here.predict_proba(probabilities), there.predict_proba(partitioned(probabilities)).compute())


def test_frames_of_unknown_divisions(client, scores):
    frame = pd.DataFrame(scores, columns=list("abcdefgh"))
    lazy = dd.from_pandas(frame, npartitions=4).clear_divisions()
    here, there = gl.Summa().fit(frame), gl.Summa().fit(lazy)
    close(here.auroc_, there.auroc_)
    assert there.feature_names_in_.tolist() == list("abcdefgh")
    assert isinstance(there.leaderboard(), pd.DataFrame)
    with pytest.raises(ValueError, match="feature names should match"):
        there.decision_function(lazy.rename(columns={"a": "z"}))


def test_arrays_of_unknown_size(client, scores):
    lazy = partitioned(scores)
    lazy = lazy[da.from_array(np.arange(3000) % 2 == 0, chunks=(lazy.chunks[0],))]
    close(gl.Summa().fit(scores[::2]).auroc_, gl.Summa().fit(lazy).auroc_)


def test_a_parquet_file_needs_no_cluster(tmp_path, scores):
    frame = pd.DataFrame(scores, columns=list("abcdefgh")).assign(sample="s")
    for number, part in enumerate(np.array_split(np.arange(3000), 5)):
        frame.iloc[part].to_parquet(tmp_path / f"part{number}.parquet")
    table = gl.blocks.read(tmp_path / "*.parquet", columns=list("abcdefgh"))
    with dask.config.set(scheduler="synchronous"):
        model = gl.Summa().fit(table)
        close(gl.Summa().fit(scores).auroc_, model.auroc_)
        out = tmp_path / "combined.parquet"
        names = dd.read_parquet(tmp_path / "*.parquet")["sample"]
        gl.blocks.write({"sample": names, "score": model.decision_function(table)}, out)
    written = pd.read_parquet(out)
    close(model.decision_function(frame[list("abcdefgh")]), written["score"].to_numpy())
    assert len(list(out.glob("*.parquet"))) == 5


def test_scores_are_written_as_a_whole_or_not_at_all(client, tmp_path):
    def fail_late(block):
        if block[0] > 50:
            raise OSError("disk full")
        return block

    values = da.arange(100, chunks=20)
    with pytest.raises(OSError, match="disk full"):
        gl.blocks.write({"score": values.map_blocks(fail_late, dtype=int)}, tmp_path / "out")
    assert not list(tmp_path.iterdir())
    gl.blocks.write({"score": values}, tmp_path / "out")
    assert pd.read_parquet(tmp_path / "out")["score"].tolist() == list(range(100))
    with pytest.raises(gl.InputError, match="exists already"):
        gl.blocks.write({"score": values}, tmp_path / "out")


class Dies:
    """Gives its block, and kills the worker that asks for it the third time."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, block):
        calls = len(os.listdir(self.folder))
        Path(self.folder, str(calls)).touch()
        if calls == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return block


@pytest.mark.parametrize("shares_disk", [True, False])
def test_a_worker_that_is_killed_changes_nothing(client, scores, tmp_path, monkeypatch, ranges, shares_disk):
    monkeypatch.setattr(cluster, "reaches", lambda path: shares_disk)
    first, second = np.split(scores, 2)
    mortal = da.from_delayed(delayed(Dies(str(tmp_path)))(first), first.shape, float)
    found = gl.Summa(model="shared").fit(da.concatenate([mortal, da.from_array(second)]))
    assert len(list(tmp_path.iterdir())) > 3  # it was asked for again
    expected = gl.Summa(model="shared").fit(scores)
    close(expected.auroc_, found.auroc_)
    close(expected.auroc_interval_, found.auroc_interval_)


@pytest.mark.parametrize("shares_disk", [True, False])
def test_a_worker_that_is_killed_between_passes_changes_nothing(client, scores, monkeypatch, shares_disk):
    monkeypatch.setattr(cluster, "reaches", lambda path: shares_disk)
    rows, _ = gl.blocks.read(partitioned(scores)).scores.ranked()
    before = rows.sum(second_moments)
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
    np.testing.assert_array_equal(rows.sum(second_moments).products, before.products)


def test_workers_keep_to_a_quarter_of_the_data():
    limit, n, parts = 200_000_000, 50_000, 100
    settings = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50, "memory_limit": limit}
    with LocalCluster(n_workers=2, **settings) as here, Client(here) as there:
        lazy = [da.from_delayed(delayed(noise)(b, n), (n, 20), float) for b in range(parts)]
        lazy = da.concatenate(lazy)
        assert lazy.nbytes == 4 * limit
        before = there.run(os.getpid)
        rows, _ = gl.blocks.read(lazy, ranks="exact").scores.ranked()
        found = rows.sum(second_moments)
        assert there.run(os.getpid) == before  # a worker beyond its limit is killed, and another one started
    assert found.counts[0, 0] == n * parts
    close(np.full(20, 1 / 12), np.diag(found.Q), 1e-6)


def test_ranks_on_disk_are_used_again(place, scores, tmp_path, monkeypatch):
    def once():
        return gl.Summa().fit(gl.blocks.read(partitioned(scores), folder=tmp_path / "z"))

    first = once()
    assert not list(tmp_path.rglob("scores-*"))
    monkeypatch.setitem(global_ranks.WAYS, "exact", None)
    again = once()
    np.testing.assert_array_equal(again.auroc_, first.auroc_)
    np.testing.assert_array_equal(again.predict(scores), first.predict(scores))


def test_the_way_to_rank_is_chosen_by_size_and_said(client, scores, caplog, monkeypatch):
    caplog.set_level("INFO", "goldless")
    gl.Summa().fit(da.from_array(scores))
    assert "3000 samples of 8 methods in 1 partitions: ranks are exact" in caplog.text
    monkeypatch.setattr("goldless.blocks.EXACT", 1000)
    assert gl.Summa().fit(da.from_array(scores)).evaluation_.rank_error > 0
    assert [record.levelname for record in caplog.records if "sketches" in record.message] == ["WARNING"]


def test_bars_show_where_they_are_asked_for(place, scores, capsys):
    gl.blocks.read(partitioned(scores), progress=True).scores.ranked()
    shown = capsys.readouterr()
    assert ("%" in shown.out) == (place != "threads")  # without a cluster only what takes a second


@pytest.mark.parametrize(
    ("spoil", "match"),
    [
        (lambda X: X[:, :2], r"Found 2 method\(s\)"),
        (lambda X: X[:, 0], "Found 1 dimension"),
        (lambda X: X.astype(str), r"Method 'method0' .* does not hold numbers"),
        (lambda X: da.where(da.arange(3000)[:, None] == 2500, np.nan, X), r"1 sample\(s\) .* \(rows 2500, counted"),
        (lambda X: da.where(X.max() - 1e-9 < X, np.inf, X), r"contains inf \(rows \d+"),
        (lambda X: da.concatenate([X[:, :3], X[:, :1] * 0], axis=1), "'method3' .* the same score"),
    ],
)
def test_bad_tables_get_a_sentence(data, spoil, match):
    with dask.config.set(scheduler="synchronous"), pytest.raises(gl.InputError, match=match):
        gl.Summa().fit(spoil(da.from_array(data.scores, chunks=(1000, -1))))


def test_partitions_that_differ_get_a_sentence(client):
    def part(number, kind):
        frame = pd.DataFrame(np.random.default_rng(number).normal(size=(50, 3)), columns=list("abc"))
        if kind == "categorical":
            return frame.assign(b=pd.Categorical(["x"] * 50))
        return frame.rename(columns={"c": "d"}) if kind == "names" else frame

    meta = part(0, "plain").iloc[:0]
    for kind, match in (
        ("categorical", r"In partition 1, .*: Method 'b' \(column 1, .*\) does not hold numbers"),
        ("names", r"In partition 1, .*: Found columns 'a', 'b', 'd', but the table has 'a', 'b', 'c'"),
    ):
        lazy = dd.from_map(part, [0, 1], ["plain", kind], meta=meta, enforce_metadata=False)
        with pytest.raises(gl.InputError, match=match):
            gl.Summa().fit(lazy)
    categorical = dd.from_pandas(part(0, "categorical"), npartitions=2)
    with pytest.raises(gl.InputError, match=r"Method 'b' .* does not hold numbers"):
        gl.Summa().fit(categorical)


def test_new_scores_are_refused_when_they_are_looked_at(client, data):
    model = gl.Summa().fit(data.scores)
    bad = da.from_array(np.where(np.arange(3000)[:, None] == 7, np.inf, data.scores), chunks=(1000, -1))
    combined = model.decision_function(bad)
    with pytest.raises(gl.InputError, match=r"Within one partition: Method 'method0' .* contains inf"):
        combined.compute()


def test_labels_are_checked(client, data):
    lazy = da.from_array(data.scores, chunks=(1000, -1))
    with pytest.raises(gl.InputError, match="Labels in y must be 0, 1, or -1"):
        gl.Summa().fit(lazy, da.full(3000, 5, chunks=700))
    with pytest.raises(gl.InputError, match="There are 3000 samples"):
        gl.Summa().fit(lazy, np.zeros(5))


def test_other_estimators_say_that_they_need_memory(data):
    lazy = da.from_array(data.scores, chunks=(1000, -1))
    with dask.config.set(scheduler="synchronous"):
        for refused in (gl.MajorityVote().fit, gl.BestMethod(data.labels).fit):
            with pytest.raises(gl.InputError, match="needs a table in memory"):
                refused(lazy)
        with pytest.raises(gl.InputError, match="needs a table in memory"):
            gl.Summa().fit(lazy).reveal(lazy, data.labels)


def test_only_arrays_and_frames_are_tables():
    with pytest.raises(gl.InputError, match="an array or a data frame; found Delayed"):
        gl.Summa().fit(delayed(np.ones)((5, 3)))
