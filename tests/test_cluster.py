import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from dask import delayed

import goldless as gl
from goldless import cluster


def test_a_cluster_starts_and_stops_and_can_be_joined(monkeypatch):
    monkeypatch.setattr("goldless.cores.count", lambda: 1)
    with gl.blocks.connect("local") as client:
        assert cluster.client() is client
        with gl.blocks.connect(client.scheduler.address) as other:
            assert cluster.compute([delayed(sum)([1, 2])], show=False) == [3]
            assert other is not client
    assert cluster.client() is None


def test_a_scheduler_that_is_not_there(monkeypatch):
    monkeypatch.setattr(cluster, "ANSWER", 1)
    with (
        pytest.raises(gl.ClusterError, match=r"There is no Dask scheduler at 'tcp://127.0.0.1:1'"),
        gl.blocks.connect("tcp://127.0.0.1:1"),
    ):
        pass


@pytest.fixture
def scheduler(tmp_path):
    """Start a scheduler and a worker as programs of their own."""
    file, python = str(tmp_path / "scheduler.json"), [sys.executable, "-m"]
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    commands = (
        ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"],
        ["distributed.cli.dask_worker", "--no-nanny", "--no-dashboard"],
    )
    started = [subprocess.Popen([*python, *command, "--scheduler-file", file], **options) for command in commands]
    while not Path(file).exists():
        time.sleep(0.1)
    yield json.loads(Path(file).read_text())["address"], started[0]
    for process in started:
        process.kill()
        process.wait()


def test_a_cluster_that_dies_gets_a_sentence(scheduler, monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 2)
    address, process = scheduler
    with gl.blocks.connect(address) as client:
        client.wait_for_workers(1)
        threading.Timer(1.0, process.kill).start()
        with pytest.raises(gl.ClusterError, match="The Dask cluster stopped answering"):
            cluster.compute([delayed(time.sleep)(30)], show=False)


def test_a_cluster_without_workers_is_given_up(monkeypatch):
    monkeypatch.setattr("goldless.cores.count", lambda: 1)
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    with gl.blocks.connect("local") as client:
        client.cluster.scale(0)
        while client.nthreads():
            time.sleep(0.1)
        with pytest.raises(gl.ClusterError, match="TimeoutError"):
            cluster.compute([delayed(sum)([1, 2])], show=False)


def test_parts_are_added_in_their_order(monkeypatch):
    monkeypatch.setattr(cluster, "FAN_IN", 3)
    parts = [delayed(x) for x in ["a", None, "b", "c", "d", None, "e", "f", "g", "h", "i"]]
    assert cluster.total(parts, show=False) == "abcdefghi"
