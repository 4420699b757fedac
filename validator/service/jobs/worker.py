"""What the processes of the service run: a request in, an answer out, within its limits; and answers to no request."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from validator.alarms import OutOfTime
from validator.errors import InputError
from validator.grounding.limits import hard_limit, left_until
from validator.questions.job import Bounds, Job, NeedsPlannerError
from validator.questions.question import Question
from validator.render.json import versioned
from validator.service.operations.operations import OPERATIONS, Operation
from validator.service.operations.requests import read_request
from validator.service.problems import Problem, problem_of
from validator.workers.lanes import Unanswered
from validator.workers.limits import guard
from validator.workers.process import Tell
from validator.workers.queue import BusyError

_QUICK = 1.0, 0.5
"""Seconds, and share of its limit, that a request may take of a process that others wait for.

Then it goes to those that run planners, with what is left of its limit."""
_ENCODED = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode  # json.dumps would make one for each answer


class Answer(NamedTuple):
    """The end of a request: an HTTP status and a body of JSON; ``is_final`` if the same request would get it again."""

    status: int
    body: bytes
    is_final: bool = False


def prepare() -> None:
    """Import and use once what most requests need."""
    import validator.checking.explain
    import validator.flow.check
    import validator.metrics.compare  # noqa: F401
    from validator.model.bundled import bundle
    from validator.service.operations.operations import operate

    model = bundle("blocks")
    domain, problem, plan = (path.read_text(encoding="utf-8") for path in (model.domain, model.problem, model.plans[0]))
    operate("validations", {"domain": domain, "problem": problem, "plan": plan, "repair": False})


def answer(bounds: Bounds, given: tuple[str, bytes], is_quick: bool, spent: float, tell: Tell) -> Answer | None:
    """Answer a request, the name of its operation and its JSON; None where it needs a planner, or more time.

    To read the JSON again costs half of what it does to pickle a request.
    """
    operation = OPERATIONS[given[0]]
    request = read_request(operation.request, given[1])
    limit = bounds.seconds(request.time_limit)
    left = partial(left_until, time.monotonic() + limit - spent)
    most, share = _QUICK
    seconds = min(most, share * limit) if is_quick else hard_limit(left())  # in which a check ends itself
    try:
        with guard(seconds, bounds.memory_limit, is_exact=is_quick) as bell:
            known = (lambda: None) if is_quick else bell.end  # others wait for a quick process
            job = Job(bounds=bounds, left=left, progress=tell, with_planner=not is_quick, known=known)
            value = operation.run(request, job)
            body = _ENCODED(versioned(value)).encode("utf-8", "replace")
        if is_quick and bell.has_rung:  # and was taken for the limit of what was asked, which is a longer one
            return None
        return Answer(200, body, operation.is_final(value))
    except NeedsPlannerError:
        return None
    except OutOfTime:
        return None if is_quick else _limited(operation, request, "time", f"no answer within {limit:g} seconds")
    except MemoryError:
        return _limited(operation, request, "memory", f"more than {bounds.memory_limit:,} bytes would be needed")
    except Exception as error:
        return refusal(problem_of(error), is_final=isinstance(error, InputError | ValueError))


def _limited(operation: Operation, request: Question, kind: str, reason: str) -> Answer:
    """Answer that a limit was met: a result where there is one that says so."""
    if operation.unknown is None:
        return refusal(Problem(kind=f"{kind}-limit", status=503, title=f"The {kind} limit was met", detail=reason))
    value: Mapping[str, Any] = operation.unknown(request, f"the {kind} limit was met: {reason}")
    return Answer(200, json.dumps(versioned(value)).encode())


# --- answers of the service itself -----------------------------------------------------------------


def refusal(problem: Problem, *, is_final: bool = False) -> Answer:
    """Return a problem as an answer."""
    return Answer(problem.status, json.dumps(problem.value(), ensure_ascii=False).encode("utf-8", "replace"), is_final)


def busy(error: BusyError) -> Problem:
    """Return what a client is told whose request may not wait."""
    kind, status, title = "busy", 503, "Too many requests are waiting"
    if error.is_closed:
        kind, title = "stopping", "The service is stopping"
    elif error.is_own:
        kind, status, title = "too-many", 429, "Too many of your requests are waiting"
    return Problem(kind=kind, status=status, title=title, detail=str(error), retry_after=error.seconds)


_PROBLEMS: Mapping[Unanswered, Problem] = {
    Unanswered.CANCELLED: Problem(kind="cancelled", status=409, title="The job was cancelled"),
    Unanswered.STOPPED: Problem(
        kind="interrupted", status=503, title="The service was stopped before the job was done"
    ),
    Unanswered.OVERDUE: Problem(
        kind="time-limit", status=503, title="The time limit was met", detail=Unanswered.OVERDUE.value
    ),
    Unanswered.DIED: Problem(kind="worker", status=500, title="The worker died", detail=Unanswered.DIED.value),
    Unanswered.FAILED: Problem(kind="worker", status=500, title="The worker failed"),
    Unanswered.NO_PROCESS: Problem(
        kind="worker",
        status=503,
        title="No worker can be started",
        detail=f"{Unanswered.NO_PROCESS}; try again in 30 seconds",
    ),
}
CANCELLED, STOPPED = (refusal(_PROBLEMS[why]) for why in (Unanswered.CANCELLED, Unanswered.STOPPED))


def unanswered(why: Unanswered | BusyError) -> Answer:
    """Return why a request has no answer as one."""
    return refusal(busy(why) if isinstance(why, BusyError) else _PROBLEMS[why])
