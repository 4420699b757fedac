"""Whole processes: a small plan checked from the command line, Python's start and every import included."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.measure import interleaved, run_process
from benchmarks.options import Options
from benchmarks.table import Cell, Goal, Table, ratio
from benchmarks.validators import Command, by_code, commands, installed
from validator.model.bundled import bundle

__all__ = ["run"]

VALID_GOAL = 7.0
"""times an empty process"""
REPAIR_GOAL = 0.08
"""CPU seconds more than a valid plan takes, of which the planner's own two starts are most"""

_START = "import sys; from validator.cli import main; sys.exit(main())"
_EMPTY = "an empty Python process"


def run(options: Options) -> list[Table]:
    """Measure ``plan-validator check`` on a valid plan and on one to be repaired; the peers only decide."""
    model = bundle("blocks")
    good, broken = (model.domain.parent / name for name in ("good.plan", "broken-order.plan"))
    peers, missing = commands(options.val)
    check = (*_program(), "check")
    ours = Command(name="plan-validator check", command=check, says_valid=by_code)
    decide = Command(name="plan-validator check --no-repair", command=(*check, "--no-repair"), says_valid=by_code)
    asked = [(ours, good), (decide, good), *((peer, good) for peer in peers)]
    asked += [(ours, broken), (decide, broken), *((peer, broken) for peer in peers)]
    jobs: dict[str, Callable[[], object]] = {_EMPTY: partial(run_process, [sys.executable, "-I", "-c", "pass"])}
    for command, plan in asked:
        jobs[_key(command, plan)] = partial(run_process, command.line(model.domain, model.problem, plan))
    samples = interleaved(jobs, options.runs or 9)
    rows: list[tuple[Cell, ...]] = [(_EMPTY, "", samples[_EMPTY].cpu, None, "")]
    wrong = []
    for command, plan in asked:
        sample, base = samples[_key(command, plan)], samples[_key(ours, plan)]
        answer = "valid" if command.says_valid(sample.result) else "not valid"
        if (answer == "valid") is not (plan == good):
            wrong.append(f"{command.name} says '{answer}' of {plan.name}")
        rows.append((command.name, plan.name, sample.cpu, ratio(sample.cpu, base.cpu), answer))
    valid, repaired = (samples[_key(ours, plan)].cpu for plan in (good, broken))
    goals = (
        Goal(what="a valid plan", measured=valid / samples[_EMPTY].cpu, limit=VALID_GOAL, unit="empty processes"),
        Goal(what="what a repair adds", measured=repaired - valid, limit=REPAIR_GOAL, unit="s"),
    )
    return [
        Table(
            title="cold",
            about="CPU seconds of whole processes, bundled model blocks, plans of 8 steps (peers repair nothing)",
            columns=("command", "plan", "cpu s", "times ours", "answer"),
            rows=tuple(rows),
            goals=goals,
            notes=tuple(missing),
            wrong=tuple(wrong),
        ),
    ]


def _program() -> tuple[str, ...]:
    program = installed("plan-validator")
    return (program,) if program is not None else (sys.executable, "-c", _START)


def _key(command: Command, plan: Path) -> str:
    return f"{command.name} {plan.name}"
