"""A check in a browser: what Pyodide lacks is stood in for, and a report comes out as HTML.

Small models are checked and repaired as anywhere else. What needs the planner, a program, says so.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
import types
from collections.abc import Callable
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

    validator.alarms.alarm = lambda *_, **__: contextlib.nullcontext()  # type: ignore[misc, assignment]


NEEDS_PLANNER = (
    "Finding and proving the nearest plan of this model needs the planner, a program that no browser runs. "
    "Install the package to see it: pip install plan-validator."
)


def answer(domain: str, problem: str, plan: str, quality: str) -> str:
    """Return what a check says, as JSON: ``html``, and of a report ``verdict``, ``diff`` and ``needs_planner``."""
    from validator.errors import ValidatorError

    try:
        report, needs_planner = _checked(domain, problem, plan, quality)
    except ValidatorError as error:
        return json.dumps({"html": _error(str(error)), "verdict": "error"})
    from validator.checking.prepared import prepare
    from validator.reading.beside import beside
    from validator.render.beside import beside_value
    from validator.render.html.report import report_body

    value = report.to_json()
    if report.reading is not None:
        value["read"] = beside_value(beside(report.reading, prepare(domain, problem).vocabulary))
    note = f"<p class=why>{NEEDS_PLANNER}</p>" if needs_planner else ""
    verdict = {True: "yes", False: "no", None: "unknown"}[report.determination]
    found = {"html": report_body(value) + note, "verdict": verdict, "diff": report.plan_diff_str}
    return json.dumps({**found, "proven": report.proven, "needs_planner": needs_planner})


def _checked(domain: str, problem: str, plan: str, quality: str) -> tuple[Any, bool]:
    """Return the report, and whether the planner was needed for more than it tells."""
    from validator import check

    try:
        report = check(domain, problem, plan, quality=quality)
    except ImportError:  # of NumPy, which the searches of long plans need
        return check(domain, problem, plan, quality="sound" if quality == "sound" else "valid", repair=False), True
    is_whole = report.determination or report.repaired_plan is not None or report.planner_response.no_solution
    return report, report.is_understood and not is_whole


def _error(message: str) -> str:
    from html import escape

    return f"<div class='verdict no'><strong>Cannot be read</strong></div><pre>{escape(message)}</pre>"


_stand_in()
ANSWER: Callable[[str, str, str, str], str] = answer
