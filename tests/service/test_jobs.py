"""Jobs that are kept on a slow disk hold nobody up, and end once."""

from __future__ import annotations

import json
import signal
import threading
from types import SimpleNamespace
from typing import Any, cast

import pytest

from validator.alarms import OutOfTime
from validator.questions.check import Check
from validator.questions.job import Bounds
from validator.questions.job import Job as Asked
from validator.service.jobs import worker
from validator.service.jobs.jobs import Job, Jobs
from validator.service.jobs.worker import CANCELLED, STOPPED, Answer
from validator.service.operations.operations import OPERATIONS, Operation
from validator.service.operations.requests import read_request
from validator.service.settings import Settings

_DONE = Answer(status=200, body=b"{}", is_final=True)


class _Store:
    """A disk that keeps an answer as soon as it ``goes_on``."""

    def __init__(self) -> None:
        self.goes_on, self.is_writing = threading.Event(), threading.Event()
        self.kept: list[tuple[str, bytes]] = []

    def add(self, *_: object) -> None:
        pass

    def find(self, _: str) -> None:
        return None

    def finish(self, name: str, status: str, http: int, body: bytes) -> None:
        self.is_writing.set()
        assert self.goes_on.wait(20)
        self.kept.append((status, body))


def _kept_job() -> tuple[Jobs, _Store, Job, Any]:
    """Return jobs of which one is kept and under way, and its work."""
    store, works = _Store(), cast("list[Any]", [])
    pool = SimpleNamespace(submit=lambda work, is_owed: works.append(work), cancel=lambda work: None)
    jobs = Jobs(Settings(), cast("Any", pool), cast("Any", store))
    asked = read_request(OPERATIONS["validations"].request, b'{"domain": "d", "problem": "p", "plan": "(a)"}')
    job = jobs.submit("validations", asked, "somebody")
    jobs.keep(job)
    return jobs, store, job, works[0]


def test_others_are_served_while_an_answer_is_written() -> None:
    jobs, store, job, work = _kept_job()
    work.finish(work, _DONE)
    assert store.is_writing.wait(20)
    other = threading.Thread(target=work.news, args=(work, {}))  # takes the lock, as every request does
    other.start()
    other.join(20)
    assert not other.is_alive()
    assert not job.answer.done()
    jobs.cancel(job)  # too late: what is being written is the answer
    store.goes_on.set()
    assert job.answer.result(20) is _DONE
    assert (job.status, store.kept) == ("done", [("done", b"{}")])


def test_what_is_answered_when_the_service_has_ended_raises_nothing() -> None:
    jobs, store, job, work = _kept_job()
    store.goes_on.set()
    jobs.stop()
    work.finish(work, _DONE)
    assert job.answer.result(20) is STOPPED
    assert store.kept == [("interrupted", STOPPED.body)]


def test_a_cancelled_job_is_kept_as_such() -> None:
    jobs, store, job, work = _kept_job()
    store.goes_on.set()
    jobs.cancel(job)
    work.finish(work, _DONE)
    assert (job.status, store.kept) == ("cancelled", [("cancelled", CANCELLED.body)])


# --- one request in a worker: what is left of its limit, and whose alarm ended it -------------------

_REQUEST = b'{"domain": "", "problem": "", "plan": "", "time_limit": 10}'


def answered(run: Any, monkeypatch: pytest.MonkeyPatch, *, is_quick: bool, spent: float = 0.0) -> Answer | None:
    operation = Operation(request=Check, about="", run=run, is_final=lambda value: True)
    monkeypatch.setitem(worker.OPERATIONS, "validations", operation)
    return worker.answer(Bounds(), ("validations", _REQUEST), is_quick, spent, lambda value: None)


def rings_inside(request: Check, job: Asked) -> dict[str, str]:
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


def test_what_is_known_is_told_however_long_that_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports on long plans that were decided in time were UNKNOWN on a busy machine: writing them took too long."""

    def run(request: Check, job: Asked) -> dict[str, bool]:
        job.known()
        signal.raise_signal(signal.SIGALRM)
        return {"determination": False}

    before = signal.signal(signal.SIGALRM, signal.SIG_IGN)  # of who was there before
    try:
        found = answered(run, monkeypatch, is_quick=False)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert isinstance(found, Answer) and json.loads(found.body)["determination"] is False


@pytest.mark.parametrize(("spent", "left"), [(0.0, 10.0), (1.0, 9.0), (11.0, 0.01)])
def test_what_another_worker_had_is_in_the_limit(spent: float, left: float, monkeypatch: pytest.MonkeyPatch) -> None:
    found = answered(lambda request, job: {"left": job.seconds(request)}, monkeypatch, is_quick=False, spent=spent)
    assert isinstance(found, Answer)
    assert json.loads(found.body)["left"] == pytest.approx(left, abs=0.1)
