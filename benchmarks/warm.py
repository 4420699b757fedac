"""A repair on a warm model: everything that one check costs, against the search it cannot do without."""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path

from benchmarks.measure import Process, interleaved, run_process
from benchmarks.models import DOMAIN, ring
from benchmarks.options import Options
from benchmarks.table import Cell, Goal, Table, ratio
from validator.checking.check import check
from validator.checking.prepared import Prepared, prepare
from validator.checking.report import Report
from validator.grounding.planner import Limits, binary
from validator.grounding.strategies import optimal_strategy
from validator.grounding.task import Task
from validator.model.pddl import read_model
from validator.reading.tokens import tokenize
from validator.repair.edit import Weighting, compile_edit

__all__ = ["run"]

GOAL = 2.0
STEPS = 30

_SIZES = ((12, 4), (30, 15), (60, 40))
"""rooms and parcels"""


def run(options: Options) -> list[Table]:
    """Measure plans of 30 steps with one fault, on three sizes of the ring, the model grounded before."""
    rows: list[tuple[Cell, ...]] = []
    goals: list[Goal] = []
    wrong: list[str] = []
    for rooms, parcels in _SIZES:
        generated = ring(rooms, parcels, STEPS)
        prepared = prepare(read_model(DOMAIN, generated.problem))
        task = prepared.task(Limits(deadline=time.monotonic() + 60, memory=4 * 2**30))
        assert isinstance(task, Task)
        for fault, plan in _faults(generated.steps).items():
            text, strategy = _search_input(prepared, task, plan), optimal_strategy(task)
            with tempfile.TemporaryDirectory() as directory:
                (Path(directory) / "output.sas").write_text(text, encoding="utf-8")
                samples = interleaved(
                    {
                        "check": partial(check, prepared, None, plan),
                        "search": partial(_search, Path(directory), strategy),
                    },
                    options.runs or 11,
                )
            ours, alone = samples["check"], samples["search"]
            report: Report = ours.result
            if not report.proven or alone.result.code != 0:
                wrong.append(f"{fault}, {rooms} rooms: proven {report.proven}; search: exit code {alone.result.code}")
            times = ours.cpu / alone.cpu
            edits = report.planner_response.cost
            rows.append((rooms, len(task.operators), fault, edits, ours.cpu, ours.own, alone.cpu, ratio(times, 1)))
            goals.append(Goal(what=f"{fault}, {rooms} rooms", measured=times, limit=GOAL, unit="times the search"))
    return [
        Table(
            title="warm",
            about=f"CPU seconds, plans of {STEPS} steps with one fault, model warm; search: the same search by itself",
            columns=("rooms", "operators", "fault", "edits", "check s", "own s", "search s", "check / search"),
            rows=tuple(rows),
            goals=tuple(goals),
            notes=("own: this process, without the search that it starts",),
            wrong=tuple(wrong),
        )
    ]


def _faults(steps: tuple[str, ...]) -> dict[str, str]:
    """Return the plan with one fault of each kind, near its middle."""
    middle = next(index for index, step in enumerate(steps) if index >= STEPS // 2 and step.startswith("(load"))
    lines = list(steps)
    return {
        "step missing": "\n".join(lines[:middle] + lines[middle + 1 :]),
        "steps swapped": "\n".join([*lines[:middle], lines[middle + 1], lines[middle], *lines[middle + 2 :]]),
        "unknown object": "\n".join([*lines[:middle], "(load bot parcel room1)", *lines[middle + 1 :]]),
    }


def _search_input(prepared: Prepared, task: Task, plan: str) -> str:
    """Return the modified task that a check of the plan gives to the planner."""
    tokens = tuple(map(prepared.simulator.resolve, tokenize(plan, prepared.vocabulary).tokens))
    return compile_edit(task, tokens, Weighting.edits(), with_goal=True).text


def _search(directory: Path, strategy: str) -> Process:
    command = [str(binary()), "--search", strategy, "--internal-plan-file", "plan"]
    return run_process(command, directory=directory, text=directory / "output.sas")
