"""The service killed with -9 under load, and asked for a while: nothing is wrong, lost or left."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from benchmarks.service.kills import kill
from benchmarks.service.process import running
from benchmarks.service.suite import soak
from tests.support.depth import deep


@pytest.mark.planner
@pytest.mark.parametrize(
    ("whole", "seconds"),
    [
        deep(False, 1.0, id="the service, soon"),
        deep(True, 3.0, id="the service and its workers at once"),
    ],
)
def test_no_finished_result_is_lost_and_nothing_is_left(tmp_path: Path, whole: bool, seconds: float) -> None:
    found = kill(tmp_path, seconds, whole=whole)
    assert found.wrong == []
    assert found.workers >= seconds
    assert sum(job.status == "done" for job in found.seen.jobs) >= 1
    assert found.seen.number >= 20
    assert found.orphans == 0  # a planner ends with the worker that started it


@pytest.mark.deep
@pytest.mark.planner
def test_a_load_leaves_no_process_and_no_file(tmp_path: Path) -> None:
    seconds = 3.0
    with running(tmp_path) as service:
        table = soak(service, seconds)
    assert table.wrong == ()
    assert sum(int(row[4] or 0) for row in table.rows) > 50 * seconds / 6.0
    assert len(table.rows) == 7 and all(row[1] and row[2] for row in table.rows)
