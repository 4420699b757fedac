"""Limits: every command that takes one, on more than it can do by then; whole processes, by the clock.

A limit is kept where the process has ended half a second behind it, or a tenth of it. How a process ended, whether it
printed a traceback, and what it left in its folder for temporary files is looked at each time.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.models import Generated, ring, towers
from benchmarks.options import Options
from benchmarks.process import PROGRAM, Run, measured
from benchmarks.table import Cell, Goal, Table

SECONDS = (1, 3, 10)
MEMORY = ("60M", "300M")
"""of each planner, with the middle one of these seconds"""

_STEPS, _BLOCKS, _OPERATORS = 30_000, 40, 400
"""of the long plan, in the towers, of the flow"""

_WITH_MEMORY = ("check", "plan", "why-not", "recognize")
_CODES = range(4)
"""how a command ends that has told what it knows"""

_HANGS = 30
"""seconds behind a limit after which a process is ended"""

_WAYS: Mapping[str, str] = {
    "check": "check TOWERS towers.plan",
    "check, keep": "check TOWERS towers.plan --nearest keep",
    "check, optimal": "check TOWERS towers.plan --quality optimal",
    "plan": "plan TOWERS",
    "redundant": "redundant TOWERS towers.good",
    "why-not": "why-not TOWERS towers.good",
    "recognize": "recognize TOWERS towers.seen --goals towers.goals",
    "repair-model": "repair-model TOWERS towers.plan",
    "check, long": "check LONG long.plan",
    "check, long, json": "check LONG long.plan --format json",
    "check, long, html": "check LONG long.plan --format html",
    "why-not, long": "why-not LONG long.plan",
    "adhere, long": "adhere LONG long.plan long.json",
    "conform, long": "conform LONG long.policy long.json",
    "check, flow": "check flow.json flow.plan",
    "plan, flow": "plan flow.json",
}
"""Each way in: its words, of which some stand for the two files of a model."""

_MODELS = {
    "TOWERS": ("towers/domain.pddl", "towers/problem.pddl"),
    "LONG": ("long/domain.pddl", "long/problem.pddl"),
}


@dataclass(frozen=True, slots=True)
class _Ended:
    """How a process ended, its limit in seconds, and how many files it left."""

    limit: int
    run: Run
    left: int

    @property
    def behind(self) -> float:
        """Return the seconds of the clock behind the limit."""
        return self.run.wall - self.limit

    @property
    def overrun(self) -> float:
        """Return how many times what a limit may be overrun by it is."""
        return self.behind / max(0.1 * self.limit, 0.5)

    def wrong(self, what: str) -> Iterator[str]:
        if self.run.code not in _CODES:
            yield f"{what}: it ended with {self.run.code}"
        if "Traceback" in self.run.stderr or "Exception ignored" in self.run.stderr:
            yield f"{what}: {self.run.stderr.strip().splitlines()[-1]}"
        if self.left:
            yield f"{what}: {self.left} temporary files are left"


def run(options: Options) -> list[Table]:
    """Measure all of them; ``options`` have nothing for them."""
    rows: list[tuple[Cell, ...]] = []
    wrong: list[str] = []
    worst = 0.0
    with tempfile.TemporaryDirectory() as name:
        _write(Path(name))
        for way, words in _WAYS.items():
            command = [file for word in words.split() for file in _MODELS.get(word, (word,))]
            found: list[_Ended | None] = [_ended(command, Path(name), seconds) for seconds in SECONDS]
            for size in MEMORY:
                is_bounded = command[0] in _WITH_MEMORY
                found.append(_ended(command, Path(name), SECONDS[1], size) if is_bounded else None)
            worst = max(worst, *(one.overrun for one in found if one is not None))
            wrong += [said for one in found if one is not None for said in one.wrong(way)]
            rows.append((way, *(None if one is None else round(one.behind, 2) for one in found)))
            print(f"limits: {way} done", file=sys.stderr, flush=True)
    timed, bounded = (f"{seconds} s" for seconds in SECONDS), (f"{SECONDS[1]} s, {size}" for size in MEMORY)
    return [
        Table(
            title="limits",
            about="seconds of the clock by which a process ends behind its limit, below zero before it",
            columns=("command", *timed, *bounded),
            rows=tuple(rows),
            goals=(Goal(what="of what a limit may be overrun by", measured=worst, limit=1.0, unit="times"),),
            notes=(
                f"the long plan has {_STEPS:,} steps, the towers {_BLOCKS} blocks, the flow {_OPERATORS} operators",
            ),
            wrong=tuple(wrong),
        )
    ]


def _ended(command: Sequence[str], place: Path, limit: int, memory: str | None = None) -> _Ended:
    """Run a command with limits among the files of a place, with a folder of its own for temporary ones."""
    bounds = ["--time-limit", str(limit), *(() if memory is None else ("--memory-limit", memory))]
    with tempfile.TemporaryDirectory() as folder:
        run = measured([*PROGRAM, *command, *bounds], place, seconds=limit + _HANGS, temporary=Path(folder))
        return _Ended(limit, run, len(list(Path(folder).iterdir())))


# --- what is asked -------------------------------------------------------------------------------


def _write(folder: Path) -> None:
    """Write models, plans, calls and a flow, which all are more than is done in some seconds."""
    high, long = towers(_BLOCKS), ring(60, 60, _STEPS)
    _model(folder / "towers", high)
    _model(folder / "long", long)
    goals = [f"(on b{one} b{other})\n" for one in range(4) for other in range(4, 8)]
    (folder / "towers.goals").write_text("".join(goals), encoding="utf-8")
    (folder / "towers.seen").write_text("\n".join(high.steps[:10]), encoding="utf-8")
    calls = [{"name": name, "arguments": args} for name, *args in (step[1:-1].split() for step in long.steps)]
    (folder / "long.json").write_text(json.dumps(calls), encoding="utf-8")
    (folder / "long.policy").write_text("load before unload\nat most 3 move\n", encoding="utf-8")
    operators = [
        {"name": f"op {number}", "inputs": [f"x{number}"], "outputs": [f"x{number + 1}"]}
        for number in range(_OPERATORS)
    ]
    flow = {"flow": "chain", "operators": operators, "goals": [{"known": f"x{_OPERATORS}"}]}
    (folder / "flow.json").write_text(json.dumps(flow), encoding="utf-8")
    lines = [f"x{number + 1} = op {number}(x{number})" for number in range(1, _OPERATORS)]
    (folder / "flow.plan").write_text("\n".join(lines), encoding="utf-8")


def _model(folder: Path, generated: Generated) -> None:
    """Write a model, a valid plan for it, and one without the step in its middle."""
    folder.mkdir()
    generated.write(folder)
    folder.with_suffix(".good").write_text(generated.plan, encoding="utf-8")
    middle = len(generated.steps) // 2
    steps = (*generated.steps[:middle], *generated.steps[middle + 1 :])
    folder.with_suffix(".plan").write_text("\n".join(steps), encoding="utf-8")
