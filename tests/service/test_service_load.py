"""The service under load: many clients, killed with -9, asked for a while: nothing is wrong, lost or left."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
from benchmarks.service.kills import kill
from benchmarks.service.load import Request, body, load
from benchmarks.service.process import running
from benchmarks.service.suite import soak
from benchmarks.service.wire import message
from tests.support.depth import deep
from validator import check

pytestmark = pytest.mark.deep

FACTOR = 3.0
"""times the CPU time of an empty endpoint, beside that of the library, that a request may cost"""


def test_many_clients_are_answered_and_rightly(tmp_path: Path) -> None:
    """Every client has its answer, and no request costs twice what is aimed at, however busy the machine is."""
    health = Request(message("GET", "/health"), b'"status"')
    with running(tmp_path) as service:
        empty = asyncio.run(load(service, 8, 1.0, request=lambda: health))
        limit = 2 * (FACTOR * empty.cpu_ms + _library(1.0))
        for clients in (8, 64, 256):
            seen = asyncio.run(load(service, clients, 1.5, request=_new_model))
            assert (seen.wrong, seen.refused, seen.lost) == ([], 0, 0) and seen.number >= clients
            assert seen.cpu_ms < limit


def _new() -> dict[str, Any]:
    """Return a model and a plan that no request had before."""
    return {**body(is_broken=False, has_new_model=True), "repair": False}


def _new_model() -> Request:
    return Request(message("POST", "/v1/validations", _new(), "Prefer: wait=60\r\n"), b'"determination": true')


def _library(seconds: float) -> float:
    """Return the CPU milliseconds of the same check in this process, its answer written as the service writes it."""
    number, begun = 0, time.process_time()
    while time.process_time() - begun < seconds:
        report = check(**_new())
        json.dumps({**report.to_json(), "feedback": report.feedback()})
        number += 1
    return 1000 * (time.process_time() - begun) / number


# --- killed, and asked for a while ---------------------------------------------------------------


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
