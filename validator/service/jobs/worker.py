"""What runs in a worker process: requests in, answers out, one at a time, each within its limits."""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing import connection, parent_process
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from validator.alarms import OutOfTime
from validator.errors import InputError
from validator.grounding.processes.leftovers import clear
from validator.questions.job import Bounds, Job, NeedsPlannerError
from validator.questions.question import Question
from validator.render.json import versioned
from validator.service.operations.operations import OPERATIONS, Operation
from validator.service.operations.requests import read_request
from validator.service.problems import Problem, problem_of
from validator.workers.limits import guard, memory_in_use

__all__ = ["CANCELLED", "STOPPED", "Answer", "Ask", "Later", "News", "refusal", "serve"]

_QUICK = 1.0, 0.5
"""Seconds, and share of its limit, that a request may take of a worker that others wait for.

Then it goes to those that run planners, with what is left of its limit."""
_ALLOCATIONS = 20_000
"""that are not undone between two looks of the collector; a check of a short plan makes some thousands"""
_NEWS = 0.2
"""seconds between two pieces of news"""


_ENCODED = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode  # json.dumps would make one for each answer


class Ask(NamedTuple):
    """A request for a worker, its body as JSON: to read it again costs half of what pickling it does.

    ``spent`` are the seconds of its limit that another worker had.
    """

    operation: str
    request: bytes
    is_quick: bool
    spent: float = 0.0


class Answer(NamedTuple):
    """The end of a request: an HTTP status and a body of JSON; ``resident`` are the bytes that the worker has."""

    status: int
    body: bytes
    is_final: bool
    resident: int = 0


class Later(NamedTuple):
    """A request that needs a planner, or more time than a quick worker has."""

    resident: int = 0


class News(NamedTuple):
    """What is known so far."""

    value: Mapping[str, Any]


def serve(pipe: Connection, directory: str, bounds: Bounds, niceness: int) -> None:
    """Answer requests until the pipe or the parent process ends; files and planners are below ``directory``."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, frame: _vanish(directory))
    os.environ["TMPDIR"] = tempfile.tempdir = directory
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each would take its share of the memory limit
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    threading.Thread(target=_follow, args=(directory,), daemon=True).start()
    _warm()
    _settle()
    os.nice(niceness)
    with suppress(EOFError, OSError):  # the service ended, and nobody is left to be told
        pipe.send(os.getpid())
        while True:
            ask: Ask = pipe.recv()
            pipe.send(_answer(ask, bounds, pipe))


def _warm() -> None:
    """Import and use once what most requests need."""
    import validator.checking.explanations.explain
    import validator.flow.check
    import validator.metrics.compare  # noqa: F401
    from validator.model.bundled import bundle
    from validator.service.operations.operations import operate

    model = bundle("blocks")
    domain, problem, plan = (path.read_text(encoding="utf-8") for path in (model.domain, model.problem, model.plans[0]))
    operate("validations", {"domain": domain, "problem": problem, "plan": plan, "repair": False})


def _settle() -> None:
    """Let the collector pass over what is there for good, and look less often: requests leave few cycles."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS, 20, 20)


def _answer(ask: Ask, bounds: Bounds, pipe: Connection) -> Answer | Later:
    operation = OPERATIONS[ask.operation]
    request = read_request(operation.request, ask.request)
    limit = bounds.seconds(request.time_limit)
    job = Job(bounds=bounds, spent=ask.spent, progress=_Teller(pipe).tell, with_planner=not ask.is_quick)
    most, share = _QUICK
    seconds = min(most, share * limit) if ask.is_quick else job.seconds(request)
    try:
        with guard(seconds, bounds.memory_limit, is_exact=ask.is_quick) as bell:
            value = operation.run(request, job)
            body = _ENCODED(versioned(value)).encode("utf-8", "replace")
        if ask.is_quick and bell.has_rung:  # and was taken for the limit of what was asked, which is a longer one
            return Later(resident=memory_in_use())
        return Answer(status=200, body=body, is_final=operation.is_final(value), resident=memory_in_use())
    except NeedsPlannerError:
        return Later(resident=memory_in_use())
    except OutOfTime:
        if ask.is_quick:
            return Later(resident=memory_in_use())
        return _limited(operation, request, "time", f"no answer within {limit:g} seconds")
    except MemoryError:
        return _limited(operation, request, "memory", f"more than {bounds.memory_limit:,} bytes would be needed")
    except Exception as error:
        return refusal(problem_of(error), is_final=isinstance(error, InputError | ValueError), resident=memory_in_use())


def _limited(operation: Operation, request: Question, kind: str, reason: str) -> Answer:
    """Answer that a limit was met: a result where there is one that says so."""
    if operation.unknown is None:
        problem = Problem(kind=f"{kind}-limit", status=503, title=f"The {kind} limit was met", detail=reason)
        return refusal(problem, is_final=False, resident=sys.maxsize if kind == "memory" else memory_in_use())
    value = operation.unknown(request, f"the {kind} limit was met: {reason}")
    resident = sys.maxsize if kind == "memory" else memory_in_use()
    return Answer(status=200, body=json.dumps(versioned(value)).encode(), is_final=False, resident=resident)


def refusal(problem: Problem, *, is_final: bool = False, resident: int = 0) -> Answer:
    """Return a problem as an answer."""
    body = json.dumps(problem.value(), ensure_ascii=False).encode("utf-8", "replace")
    return Answer(status=problem.status, body=body, is_final=is_final, resident=resident)


CANCELLED = refusal(Problem(kind="cancelled", status=409, title="The job was cancelled"))
STOPPED = refusal(Problem(kind="interrupted", status=503, title="The service was stopped before the job was done"))


class _Teller:
    """Sends news, not too often; planners tell from threads of their own."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()
        self._last = 0.0

    def tell(self, value: Mapping[str, Any]) -> None:
        with self._lock:
            if time.monotonic() - self._last >= _NEWS:
                self._last = time.monotonic()
                self._pipe.send(News(value=value))


# --- the end -------------------------------------------------------------------------------------


def _follow(directory: str) -> None:
    """End with the parent process, whichever way it ends."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        _vanish(directory)


def _vanish(directory: str) -> None:
    """End at once, and take planners and files along."""
    clear(Path(directory))
    with suppress(OSError):  # the last worker takes the directory of all along
        Path(directory).parent.rmdir()
    os._exit(1)
