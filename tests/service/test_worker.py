"""One request in a worker: what is left of its limit, and whose alarm ended it."""

from __future__ import annotations

import json
import signal
from typing import Any

import pytest

from validator.alarms import OutOfTime
from validator.questions.check import Check
from validator.questions.job import Bounds, Job
from validator.service.jobs import worker
from validator.service.jobs.worker import Answer
from validator.service.operations.operations import Operation

_REQUEST = b'{"domain": "", "problem": "", "plan": "", "time_limit": 10}'


def answered(run: Any, monkeypatch: pytest.MonkeyPatch, *, is_quick: bool, spent: float = 0.0) -> Answer | None:
    operation = Operation(request=Check, about="", run=run, is_final=lambda value: True)
    monkeypatch.setitem(worker.OPERATIONS, "validations", operation)
    return worker.answer(Bounds(), ("validations", _REQUEST), is_quick, spent, lambda value: None)


def rings_inside(request: Check, job: Job) -> dict[str, str]:
    """Answer as a check does, that takes any alarm for its own limit."""
    try:
        signal.raise_signal(signal.SIGALRM)
    except OutOfTime:
        return {"reason": "the time limit was met"}
    raise AssertionError("it rang")


def test_what_a_quick_worker_has_no_time_for_is_handed_on_and_not_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check of thirty seconds was answered after one: the time limit was met."""
    assert answered(rings_inside, monkeypatch, is_quick=True) is None
    found = answered(rings_inside, monkeypatch, is_quick=False)
    assert isinstance(found, Answer)
    assert json.loads(found.body) == {"schema": 1, "reason": "the time limit was met"}


@pytest.mark.parametrize(("spent", "left"), [(0.0, 10.0), (1.0, 9.0), (11.0, 0.01)])
def test_what_another_worker_had_is_in_the_limit(spent: float, left: float, monkeypatch: pytest.MonkeyPatch) -> None:
    found = answered(lambda request, job: {"left": job.seconds(request)}, monkeypatch, is_quick=False, spent=spent)
    assert isinstance(found, Answer)
    assert json.loads(found.body) == {"schema": 1, "left": left}
