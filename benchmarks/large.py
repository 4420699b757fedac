"""Models of 10,000 to 1,000,000 ground steps: time and memory to a repair, beside those of grounding the whole model.

Each check is a process of its own, with all that it starts; its memory is that of the largest process. Towers of
blocks are built anew, and a robot carries parcels round a ring of rooms.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from benchmarks.models import Generated, ring, towers
from benchmarks.options import Options
from benchmarks.process import PROGRAM, measured
from benchmarks.table import Cell, Table
from validator.model.pddl import read_model
from validator.repair.projection.instantiation import Parts

__all__ = ["run"]

SECONDS = 60
"""for a check, by the clock"""

FAULTS = (1, 4)
_BLOCKS = (75, 125, 250, 700)
_ROOMS = ((100, 60, 600), (300, 300, 1500), (700, 700, 2100))
"""rooms, parcels, steps of the plan"""

_MOST_WHOLE = 130_000
"""ground steps of a model that is grounded as a whole to compare with"""

_WHOLE = """\
import sys, time
from validator.checking.prepared import prepare
from validator.grounding.limits import Limits
from validator.grounding.task import Task
from validator.model.pddl import read_model
model = read_model(open("domain.pddl").read(), open("problem.pddl").read())
task = prepare(model).task(Limits(deadline=time.monotonic() + 600, memory=8 * 2**30))
sys.exit(not isinstance(task, Task))
"""


def run(options: Options) -> list[Table]:
    """Check a plan with one fault and one with four on each model."""
    rows: list[tuple[Cell, ...]] = []
    for name, generated in _models():
        with tempfile.TemporaryDirectory() as directory:
            row = _row(name, generated, Path(directory))
        rows += row
        print(f"large: {name}, {row[0][1]} done", file=sys.stderr, flush=True)
    return [
        Table(
            title="large",
            about=f"CPU seconds and MiB of whole processes to a repair, at most {SECONDS} s by the clock each",
            columns=(
                "model",
                "operators",
                "steps",
                "faults",
                "changed lines",
                "proven",
                "cpu s",
                "MiB",
                "grounding cpu s",
                "grounding MiB",
            ),
            rows=tuple(rows),
            notes=("operators: ground steps that types and facts that never change allow",),
        )
    ]


def _models() -> Iterator[tuple[str, Generated]]:
    yield from (("blocks", towers(size)) for size in _BLOCKS)
    yield from (("ring", ring(*sizes)) for sizes in _ROOMS)


def _row(name: str, generated: Generated, folder: Path) -> list[tuple[Cell, ...]]:
    generated.write(folder)
    size = int(Parts(read_model(generated.domain, generated.problem)).size())
    whole: tuple[Cell, Cell] = (None, None)
    if size <= _MOST_WHOLE:
        done = measured([sys.executable, "-c", _WHOLE], folder, seconds=600)
        whole = (done.cpu, done.memory) if done.code == 0 else whole
    rows: list[tuple[Cell, ...]] = []
    for faults in FAULTS:
        (folder / "plan").write_text("\n".join(_corrupted(generated.steps, faults)), encoding="utf-8")
        command = [*PROGRAM, "check", "domain.pddl", "problem.pddl", "plan"]
        done = measured([*command, "--format", "json", "--time-limit", f"{SECONDS}"], folder, seconds=2 * SECONDS)
        report = json.loads(done.output)
        changed = report["planner_response"]["cost"]
        is_proven = "yes" if report["proven"] else "no"
        rows.append((name, size, len(generated.steps), faults, changed, is_proven, done.cpu, done.memory, *whole))
    return rows


def _corrupted(steps: Sequence[str], faults: int) -> list[str]:
    """Return a plan with a step missing, or one from elsewhere inserted, at places spread evenly."""
    lines, rng = list(steps), Random(faults)
    for number in range(faults):
        place = (number + 1) * len(steps) // (faults + 1)
        if number % 2:
            lines.insert(place, rng.choice(steps))
        else:
            del lines[place]
    return lines
