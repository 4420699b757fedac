"""Plan metrics: long plans compared."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial

from benchmarks.measure import interleaved
from benchmarks.options import Options
from benchmarks.table import Cell, Goal, Table
from validator.metrics import (
    PlanningLCS,
    edit_distance,
    jaccard,
    lcs,
    stability_distance,
)
from validator.reading.plan import Step
from validator.repair.sequences import lcs_length

__all__ = ["run"]

SIZES = ((1_100, 1_105, 0.1), (10_000, 10_000, 2.0), (100_000, 100_000, None))
"""Steps of either plan, and the most CPU seconds that the longest common subsequence of both may take"""
_NAMES, _OBJECTS = 8, 6


def run(options: Options) -> list[Table]:
    """Measure metrics by length."""
    rows: list[tuple[Cell, ...]] = []
    goals: list[Goal] = []
    wrong = []
    for one, other, limit in SIZES:
        dice = random.Random(one)
        first, second = _plan(dice, one), _plan(dice, other)
        texts = [", ".join(f"{step.name}({', '.join(step.args)})" for step in plan) for plan in (first, second)]
        contestants: dict[str, Callable[[], object]] = {
            "lcs": partial(lcs, first, second),
            "lcs of texts": partial(lcs, *texts),
            "compat": partial(PlanningLCS(compat="gaico").calculate, *texts),
            "edit": partial(edit_distance, first, second),
            "jaccard": partial(jaccard, first, second),
            "stability": partial(stability_distance, first, second),
        }
        samples = interleaved(contestants, options.runs or 3, warm_up=0)
        rows.append((f"{one:,} x {other:,}", *(samples[name].cpu for name in contestants)))
        if limit is not None:
            goals += [
                Goal(what=f"{name}, {one:,} x {other:,}", measured=samples[name].cpu, limit=limit, unit="s")
                for name in ("lcs", "lcs of texts", "compat")
            ]
        if one <= 2_000 and lcs_length(first, second) != _plain(first, second):
            wrong.append(f"the longest common subsequence of {one} and {other} steps")
    table = Table(
        title="metrics: speed",
        about=f"CPU seconds for two random plans of {_NAMES} actions with {_OBJECTS} objects",
        columns=("steps", *(f"{name} s" for name in contestants)),
        rows=tuple(rows),
        goals=tuple(goals),
        notes=("lcs, edit, jaccard, stability: of Step values; of texts: read first; compat: as GAICO reads them",),
        wrong=tuple(wrong),
    )
    return [table]


def _plan(dice: random.Random, size: int) -> list[Step]:
    return [
        Step(name=f"act{dice.randrange(_NAMES)}", args=(f"o{dice.randrange(_OBJECTS)}", f"o{dice.randrange(_OBJECTS)}"))
        for _ in range(size)
    ]


def _plain(one: Sequence[Step], other: Sequence[Step]) -> int:
    row = [0] * (len(other) + 1)
    for item in one:
        before, row = row, [0]
        for column, member in enumerate(other):
            row.append(before[column] + 1 if item == member else max(before[column + 1], row[column]))
    return row[-1]
