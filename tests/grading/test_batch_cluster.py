"""Batches on a Dask cluster of this machine; skipped where Dask is not installed."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.batch_models import BAD, GOOD, deadly, problem, record, records_of, results, write
from tests.support.places import ROOT
from validator.cli import main
from validator.errors import WorkerError
from validator.grading.batch.cluster import cluster
from validator.grading.batch.runner import run
from validator.grading.batch.worker import Settings

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")

DECIDE = Settings(repair=False)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as found:
        yield found.scheduler_address
    os.environ["PYTHONPATH"] = before


def delivered(address: str, items: list[dict[str, Any]], task: Any) -> dict[object, Any]:
    found: list[Any] = []
    with cluster(address) as workers:
        run(records_of(*items), workers, DECIDE, lambda done, lines: found.extend(map(json.loads, lines)), task)
    assert Counter(item["id"] for item in found) == Counter(item["id"] for item in items)
    return {item["id"]: item for item in found}


def test_a_batch_on_a_cluster_writes_what_one_here_writes(address: str, tmp_path: Path) -> None:
    file = write(tmp_path / "in.jsonl", [record(n, GOOD if n % 3 else BAD, problem=problem(n % 7)) for n in range(100)])
    for out, where in (("here", ["--workers", "1"]), ("there", ["--cluster", address])):
        assert main(["batch", str(file), "-o", str(tmp_path / out), "--no-repair", *where]) == 0
    here, there = ({item["id"]: item["verdict"] for item in results(tmp_path / out)} for out in ("here", "there"))
    assert here == there
    assert len(results(tmp_path / "there")) == 100


def test_a_record_that_ends_its_workers_is_reported(address: str) -> None:
    found = delivered(address, [record(n, kills=n == 7) for n in range(20)], deadly)
    assert {name for name, item in found.items() if item["verdict"] == "error"} == {7}
    assert found[7]["error"]["kind"] == "worker"


def test_no_scheduler_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.grading.batch.cluster._PATIENCE", 1)
    with pytest.raises(WorkerError, match="no Dask scheduler answers"), cluster("tcp://127.0.0.1:9"):
        pass


def test_a_cluster_that_goes_away_is_said(tmp_path: Path) -> None:
    items = [record(n, problem=problem(n % 3)) for n in range(2000)]
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, silence_logs=50) as found:
        processes = [worker.pid for worker in found.workers.values()]

        def stop(records: Any, lines: Any) -> None:
            found.close(timeout=5)

        with pytest.raises(WorkerError, match="the cluster is gone"), cluster(found.scheduler_address) as workers:
            run(records_of(*items), workers, DECIDE, stop, deadly)
    for process in processes:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue
