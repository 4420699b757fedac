"""Reading plans: texts made to be slow."""

from __future__ import annotations

import json
import sys

from benchmarks.hostile import CPU_LIMIT, SIZE, TEXTS
from benchmarks.measure import run_process
from benchmarks.options import ROOT, Options
from benchmarks.table import Cell, Table

__all__ = ["run"]

SLOW = 2.0
"""CPU seconds from which a hostile text is listed as slow"""


def run(options: Options) -> list[Table]:
    """Measure each hostile plan text in a process of its own."""
    return [_hostile()]


def _hostile() -> Table:
    rows: list[tuple[Cell, ...]] = []
    slow, wrong = [], []
    for name in TEXTS:
        done = run_process([sys.executable, "-m", "benchmarks.hostile", name], directory=ROOT)
        lines = done.output.splitlines()
        if done.code == 0 and lines:
            found = json.loads(lines[-1])
            rows.append((name, found["tokenize"], found["check"], found["tokens"], found["answer"]))
            if found["check"] >= SLOW:
                slow.append(f"slow: {name}, {found['check']:.1f} s")
            if found["answer"] == "valid":
                wrong.append(f"{name}: {found['answer']}")
        else:
            why = f"over {CPU_LIMIT} s" if done.code < 0 else f"exit code {done.code}: {lines[-1] if lines else ''}"
            rows.append((name, None, None, None, why))
            wrong.append(f"{name}: {why}")
    return Table(
        title="read: hostile plan texts",
        about=f"CPU seconds for plan texts of {SIZE / 1e6:.0f} MB; check: tokens, execution, report, no repair",
        columns=("text", "tokenize s", "check s", "tokens", "answer"),
        rows=tuple(rows),
        notes=tuple(slow),
        wrong=tuple(wrong),
    )
