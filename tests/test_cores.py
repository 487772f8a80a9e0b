import os
import threading

import numpy as np
import pytest

import goldless as gl
from goldless import cores


def threads_of_blas():
    return {library["num_threads"] for library in cores._controller().info() if library["user_api"] == "blas"}


@pytest.mark.parametrize("workers", ["1", "2", "5"])
def test_results_come_in_the_order_of_the_pieces(monkeypatch, workers):
    monkeypatch.setenv("OMP_NUM_THREADS", workers)
    assert list(cores.each(lambda piece: piece**2, range(20))) == [piece**2 for piece in range(20)]


def test_pieces_run_side_by_side(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    # Either piece waits for the other: alone it would wait in vain.
    meeting = threading.Barrier(2, timeout=30)
    assert sorted(cores.each(lambda _: meeting.wait(), range(2))) == [0, 1]


def test_few_results_wait_at_a_time(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    started = []
    results = cores.each(started.append, range(100))
    next(results)
    assert len(started) < 10
    assert len(list(results)) == 99


def test_an_error_in_a_piece_reaches_the_caller(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    with pytest.raises(ZeroDivisionError):
        list(cores.each(lambda piece: 1 / piece, [1, 0, 1]))


@pytest.mark.parametrize(("limit", "expected"), [("3", 3), ("4,2", 4), ("0", 1)])
def test_the_environment_limits_the_cores(monkeypatch, limit, expected):
    monkeypatch.setenv("OMP_NUM_THREADS", limit)
    assert cores.count() == expected


def test_without_a_limit_all_cores_are_used(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert 1 <= cores.count() <= os.cpu_count()


def test_a_system_without_affinity_says_how_many_cores_it_has(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert cores.count() == (os.cpu_count() or 1)


def test_plain_blas_is_given_back():
    before = threads_of_blas()
    with cores.plain_blas():
        assert threads_of_blas() == {1}
    assert threads_of_blas() == before


@pytest.mark.parametrize("share", [0, 0.2])
def test_any_number_of_cores_gives_the_same_fit(monkeypatch, random, share):
    data = gl.simulate(60_000, 12, random_state=0)
    X = np.where(random.random(data.scores.shape) < share, np.nan, data.scores)
    X[:100, 0] = data.scores[:100, 0] = 0.5
    X[np.isnan(X).all(axis=1), 0] = 1.0
    fits, scores = [], []
    for workers in ("1", "2", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", workers)
        model = gl.Summa().fit(X)
        fits.append(model)
        scores.append(model.decision_function(X))
    for model, score in zip(fits[1:], scores[1:], strict=True):
        np.testing.assert_allclose(model.auroc_, fits[0].auroc_, rtol=1e-10)
        assert model.prevalence_ == pytest.approx(fits[0].prevalence_, rel=1e-10)
        np.testing.assert_allclose(score, scores[0], rtol=1e-9, atol=1e-12)
