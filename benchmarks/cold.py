"""Whole processes: a small plan checked from the command line, Python's start and every import included."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.options import Options
from benchmarks.process import PROGRAM, answer, in_turn
from benchmarks.table import Cell, Goal, Table, ratio
from benchmarks.validators import commands
from validator.model.bundled import bundle

__all__ = ["run"]

VALID_GOAL = 7.0
"""times an empty process"""
REPAIR_GOAL = 0.08
"""CPU seconds more than a valid plan takes, of which the planner's own two starts are most"""

_EMPTY = "an empty Python process"


def run(options: Options) -> list[Table]:
    """Measure ``plan-validator check`` on a valid plan and on one to be repaired; the peers only decide."""
    model = bundle("blocks")
    good, broken = (model.domain.parent / name for name in ("good.plan", "broken-order.plan"))
    peers, missing = commands(options.val)
    check = (*PROGRAM, "check")
    ours = "plan-validator check"
    programs = {ours: check, "plan-validator check --no-repair": (*check, "--no-repair"), **peers}
    jobs: dict[str, Sequence[str]] = {_EMPTY: [sys.executable, "-I", "-c", "pass"]}
    for plan in (good, broken):
        files = tuple(map(str, (model.domain, model.problem, plan)))
        jobs |= {f"{name} {plan.name}": (*command, *files) for name, command in programs.items()}
    with TemporaryDirectory() as folder:
        done = in_turn(jobs, Path(folder), runs=options.runs or 9, seconds=60)
    rows: list[tuple[Cell, ...]] = [(_EMPTY, "", done[_EMPTY].cpu, None, "")]
    wrong = []
    for plan, right in ((good, "valid"), (broken, "not valid")):
        for name in programs:
            run, base = done[f"{name} {plan.name}"], done[f"{ours} {plan.name}"]
            said = answer(run)
            if name == "VAL":  # its exit code differs between versions, its words do not
                said = "valid" if "Plan valid" in run.output else "not valid"
            if said != right:
                wrong.append(f"{name} says '{said}' of {plan.name}")
            rows.append((name, plan.name, run.cpu, ratio(run.cpu, base.cpu), said))
    valid, repaired = (done[f"{ours} {plan.name}"].cpu for plan in (good, broken))
    goals = (
        Goal(what="a valid plan", measured=valid / done[_EMPTY].cpu, limit=VALID_GOAL, unit="empty processes"),
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
