"""One engine of unified-planning in a process of its own, which is ended with all that it started.

As a program (``python -m validator.up.process ENGINE MODULE CLASS``) it solves the two PDDL files of the
working directory: the child of ``solve``. Importing this module imports unified-planning.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from unified_planning.environment import get_environment
from unified_planning.io import PDDLReader
from unified_planning.model import Problem as UpProblem

from validator.errors import PlannerError
from validator.grounding.limits import Limits, Status
from validator.grounding.processes.leftovers import private_directory, processes_of
from validator.grounding.processes.process import Process, status_of
from validator.reading.plan import Step
from validator.records import dataclass
from validator.up.edit_problem import dump

_PATIENCE = 0.5
"""Seconds between the polite request to end and the other one."""

_ENDS = {
    "SOLVED_SATISFICING": Status.SOLVED,
    "SOLVED_OPTIMALLY": Status.SOLVED,
    "UNSOLVABLE_PROVEN": Status.UNSOLVABLE,
    "TIMEOUT": Status.TIME_LIMIT,
    "MEMOUT": Status.MEMORY_LIMIT,
}
"""What an engine's answer says; any other is none."""

_DENIALS = {"up_enhsp": ("Problem unsolvable", "Unsolvable Problem")}
"""Packages whose engines take every end without a plan for a proof, with the lines that they print for a real one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineResult:
    """How an engine ended: ``steps`` of its plan in the names of the problem, ``optimal`` as it says itself."""

    status: Status
    steps: tuple[Step, ...] | None = None
    optimal: bool = False


def solve(name: str, engine: Any, problem: UpProblem, limits: Limits) -> EngineResult:
    """Let an engine solve a problem, which it reads from PDDL.

    ``engine`` is its class, for where the child finds it. Raises PlannerError when it fails, or gives up.
    """
    try:
        with private_directory() as directory:
            writer = dump(problem, directory)
            met = _run(name, engine, directory, limits)
            if met is not None:
                return EngineResult(status=met)
            written = directory / "answer.json"
            if not written.exists():
                raise PlannerError(f"the engine '{name}' ended without an answer")
            answer = json.loads(written.read_text(encoding="utf-8"))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise PlannerError(f"the engine '{name}' could not be run: {where}{error.strerror}") from error
    status = _ENDS.get(answer["status"])
    if status is None:
        raise PlannerError(f"the engine '{name}' has no answer: {answer['status']}{answer['said']}")
    if answer["plan"] is None:
        if status is Status.SOLVED:
            raise PlannerError(f"the engine '{name}' says that it has a plan, and gives none{answer['said']}")
        return EngineResult(status=status)
    steps = tuple(_step(entry, writer) for entry in answer["plan"])
    return EngineResult(status=status, steps=steps, optimal=answer["status"] == "SOLVED_OPTIMALLY")


def _step(words: Sequence[str], writer: Any) -> Step:
    name, *args = (str(writer.get_item_named(word).name) for word in words)
    return Step(name=name, args=tuple(args))


# --- the process -------------------------------------------------------------------------------


def _run(name: str, engine: Any, directory: Path, limits: Limits) -> Status | None:
    """Run the child to its end, or return the limit that it met. Raises PlannerError when it failed."""
    command = [sys.executable, "-m", "validator.up.process", name, engine.__module__, engine.__qualname__]
    path = os.pathsep.join(str(Path(place).resolve()) for place in sys.path)
    # unified-planning starts engines in sessions of their own: the directory is what their processes are known by.
    own = {"PYTHONPATH": path, "TMPDIR": str(directory), "JAVA_TOOL_OPTIONS": _java(limits.memory)}
    try:
        with Process(command, directory, limits, environment={**os.environ, **own}, has_session=True) as process:
            code, printed = process.wait(), process.last_lines()
    except KeyboardInterrupt:
        return Status.INTERRUPTED
    finally:
        _end(directory)
    if code is None:
        return Status.TIME_LIMIT
    met = status_of(code, printed, limits)
    if met is not None:
        return None if met is Status.SOLVED else met
    last = "".join(printed.decode("utf-8", "replace").strip().splitlines()[-1:])
    ended = f"was ended by signal {-code}" if code < 0 else f"failed: {last}"
    raise PlannerError(f"the engine '{name}' {ended}")


def _java(memory: int) -> str:
    """Return options for a Java machine that has to live in so much address space.

    By itself it asks for a gigabyte for classes alone and for a quarter of the machine as heap. Out of memory, it is
    to end at once, not to look for the rest for minutes.
    """
    heap = max(memory * 5 // 8 // 2**20, 16)
    sizes = f"-Xmx{heap}m -XX:CompressedClassSpaceSize=64m -XX:ReservedCodeCacheSize=64m"
    return f"{sizes} -XX:+UseSerialGC -XX:+ExitOnOutOfMemoryError"


def _end(directory: Path) -> None:
    """End every process that was started for a directory: politely, then not."""
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + _PATIENCE
        for pid in processes_of(directory):
            with suppress(OSError):
                os.kill(pid, signal_number)
        while processes_of(directory) and time.monotonic() < deadline:
            time.sleep(0.02)


# --- the child ---------------------------------------------------------------------------------


def _solve(name: str, module: str, implementation: str) -> None:
    """Solve the PDDL files of the working directory and write the answer beside them."""
    environment = get_environment()
    environment.credits_stream = None
    environment.error_used_name = False
    if name not in environment.factory.engines:  # it was added by hand where the child was started
        environment.factory.add_engine(name, module, implementation)
    problem = PDDLReader(environment).parse_problem("domain.pddl", "problem.pddl")
    with warnings.catch_warnings(), environment.factory.OneshotPlanner(name=name) as planner:
        warnings.simplefilter("ignore")
        result = planner.solve(problem)
    if result is None:  # what does not keep to the interface ends without an answer
        return
    plan = None if result.plan is None else [_words(action) for action in result.plan.actions]
    logged = list(_logged(result))
    answer = {"status": _status(module, result.status.name, logged), "plan": plan, "said": _last_words(logged)}
    Path("answer.json").write_text(json.dumps(answer), encoding="utf-8")


def _logged(result: Any) -> Iterator[str]:
    """Yield what an engine logged, without what a Java machine says of the options that it was given here."""
    for message in result.log_messages or ():
        for line in message.message.splitlines():
            if not line.startswith("Picked up JAVA_TOOL_OPTIONS"):
                yield line.strip()


def _words(action: Any) -> list[str]:
    return [action.action.name, *(str(value) for value in action.actual_parameters)]


def _status(module: str, status: str, logged: list[str]) -> str:
    """Return what an engine's status is worth: an end for want of memory, or for no reason given, proves nothing."""
    if any("OutOfMemoryError" in line for line in logged):
        return "MEMOUT"
    said = _DENIALS.get(module.partition(".")[0])
    if status == "UNSOLVABLE_PROVEN" and said is not None and not any(line in said for line in logged):
        return "INTERNAL_ERROR"
    return status


def _last_words(logged: list[str]) -> str:
    """Return the last line that an engine logged, in parentheses."""
    lines = list(filter(None, logged))
    return f" ({lines[-1]})" if lines else ""


if __name__ == "__main__":
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what engines print is not read, but for how they fail
    _solve(*sys.argv[1:])
