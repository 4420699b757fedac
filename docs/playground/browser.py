"""The workbench's questions in a browser: what Pyodide lacks is stood in for, and answers come out as elements.

Small models are checked and repaired as anywhere else. What needs the planner, a program, says so.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
import types
from typing import Any


def _stand_in() -> None:
    """Give what a browser does not have: limits of processes, time by thread, alarms in threads."""
    resource: Any = types.ModuleType("resource")
    resource.RLIMIT_AS = resource.RLIMIT_DATA = resource.RLIMIT_CPU = resource.RUSAGE_SELF = 0
    resource.RUSAGE_CHILDREN, resource.RLIM_INFINITY = -1, -1
    resource.getrlimit = lambda *_: (-1, -1)
    resource.setrlimit = lambda *_: None
    resource.getrusage = lambda *_: types.SimpleNamespace(ru_maxrss=0, ru_utime=0.0, ru_stime=0.0)
    sys.modules.setdefault("resource", resource)
    if not hasattr(time, "thread_time"):
        time.thread_time = time.perf_counter
    import validator.alarms
    import validator.errors

    validator.alarms.alarm = lambda *_, **__: contextlib.nullcontext()  # type: ignore[misc, assignment]
    no_planner = "this needs the planner, a program that no browser runs"
    validator.errors.NotInstalledError.__str__ = lambda _: no_planner  # type: ignore[method-assign]


NEEDS_PLANNER = "The package finds and proves the nearest plan of this model: pip install plan-validator."


def answer(name: str, texts: str) -> str:
    """Return what a page of the service answers, as JSON, or under ``problem`` why there is no answer."""
    from validator.service.pages.answers import PAGES
    from validator.service.pages.forms import question_of, read_form
    from validator.service.problems import problem_of

    kind = PAGES[name].question
    try:
        found = _answered(name, question_of(kind, read_form(kind, json.loads(texts))))
    except Exception as error:
        return json.dumps({"problem": problem_of(error).value()})
    return json.dumps(found)


def _answered(name: str, asked: Any) -> dict[str, Any]:
    from validator.questions.job import Job
    from validator.records import replace
    from validator.service.pages.answers import PAGES

    try:
        found = PAGES[name].answer(asked, Job())
    except ImportError:  # of NumPy, which the searches of long plans need
        quality = type(asked.quality)("sound" if asked.quality == "sound" else "valid")
        found = PAGES[name].answer(replace(asked, quality=quality, repair=False), Job())
    report = found.get("report")
    if report is None or not report["is_understood"]:
        return found
    if report["determination"] or report["repaired_plan"] is not None or report["planner_response"]["no_solution"]:
        return found
    note = ["p", {"class": "why"}, NEEDS_PLANNER]
    return {**found, "body": [*found["body"][:1], note, *found["body"][1:]]}


_stand_in()
ANSWER = answer
