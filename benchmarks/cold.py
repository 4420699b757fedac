"""Whole processes: a small plan checked from the command line, Python's start and every import included."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise
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
        _parts(options, model.domain, model.problem, good),
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


def _parts(options: Options, *files: Path) -> Table:
    """Return what is added by each part of a check: processes that go a part further than the one before."""
    imports = "import sys, re, argparse, enum, fractions, pathlib, typing"
    ours = (
        "import validator.model.pddl, validator.render.text, validator.reading.tokens; "
        "import validator.checking.check; "
        "from validator.commands.plans import check; from validator import cli"
    )
    argv = ["check", *map(str, files), "--no-repair"]
    steps = {
        _EMPTY: "pass",
        "import of the standard library's modules": imports,
        "import of this package's modules for a check": f"{imports}; {ours}",
        "reading, execution and printing": f"{imports}; {ours}; cli.main({argv!r})",
    }
    jobs = {name: partial(run_process, [sys.executable, "-c", code]) for name, code in steps.items()}
    samples = interleaved(jobs, options.runs or 9)
    whole = [samples[name].cpu for name in steps]
    added = [whole[0], *(further - nearer for nearer, further in pairwise(whole))]
    failed = [f"{name}: {samples[name].result.output[-300:]}" for name in steps if samples[name].result.code != 0]
    return Table(
        title="cold: parts",
        about="CPU seconds that each part adds to a check of blocks, good.plan, in a fresh process",
        columns=("part", "cpu s", "percent"),
        rows=tuple((name, part, 100 * part / whole[-1]) for name, part in zip(steps, added, strict=True)),
        wrong=tuple(failed),
    )


def _program() -> tuple[str, ...]:
    program = installed("plan-validator")
    return (program,) if program is not None else (sys.executable, "-c", _START)


def _key(command: Command, plan: Path) -> str:
    return f"{command.name} {plan.name}"
