"""The service killed with -9 under load, and asked for a while: nothing is wrong, lost or left."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from benchmarks.service import soak
from benchmarks.service_kills import kill
from benchmarks.service_load import running


@pytest.mark.planner
@pytest.mark.parametrize("whole", [False, True], ids=["the service", "the service and its workers at once"])
def test_no_finished_result_is_lost_and_nothing_is_left(tmp_path: Path, whole: bool) -> None:
    found = kill(tmp_path, 3.0, whole=whole)
    assert found.wrong == []
    assert found.workers >= 3
    assert sum(job.status == "done" for job in found.seen.jobs) >= 1
    assert found.seen.number >= 20
    assert found.orphans >= whole  # else nobody had to be ended


@pytest.mark.planner
def test_a_load_leaves_no_process_and_no_file(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        table = soak(service, 6.0)
    assert table.wrong == ()
    assert sum(int(row[4] or 0) for row in table.rows) > 50
    assert len(table.rows) == 7 and all(row[1] and row[2] for row in table.rows)
