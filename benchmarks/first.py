"""How soon there is a repair at all: the first one, beside greedy search on the unmodified task.

Of each competition model the plan with the most corruptions, the model grounded before. A first repair should be there
within 1.5 times what that search takes, and 0.2 s.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from itertools import groupby

from benchmarks.cases import Case, indexed_cases
from benchmarks.measure import Sample, interleaved
from benchmarks.options import Options
from benchmarks.table import Cell, Table, skipped
from validator.grounding.planner import Limits, Status, search
from validator.grounding.strategies import first_plans
from validator.grounding.task import Task
from validator.reading.tokens import tokenize
from validator.repair.edit import Weighting, compile_edit, unmodified
from validator.repair.search.first_plan import first_plan

__all__ = ["run"]

RUNS = 3
TIMES, MORE = 1.5, 0.2
"""how many times the seconds of greedy search, and how many seconds more, a first repair may take"""


def run(options: Options) -> list[Table]:
    """Measure the most corrupted plan of each model."""
    if not (options.ipc / "index.json").is_file():
        return [skipped("first", f"no models in {options.ipc} (see --data)")]
    rows = [row for row in _rows(options) if row is not None]
    within = sum(bool(row[-1] == "yes") for row in rows)
    return [
        Table(
            title="first",
            about=f"CPU seconds to a first repair, its planners included, and to any plan; medians of {RUNS} runs",
            columns=("model", "operators", "greedy cpu s", "first repair cpu s", "changed lines", "within"),
            rows=tuple(rows),
            notes=(
                f"within: {within} of {len(rows)} first repairs took at most {TIMES} times what greedy search takes on "
                f"the unmodified task, and {MORE} s",
            ),
        )
    ]


def _rows(options: Options) -> Iterator[tuple[Cell, ...] | None]:
    for model, cases in groupby(indexed_cases(options.ipc), key=lambda case: case.model):
        if options.only in (None, model.name):
            yield _row(max(cases, key=lambda case: case.corruptions), options.runs or RUNS)
            print(f"first: {model.name} done", file=sys.stderr, flush=True)


def _row(case: Case, runs: int) -> tuple[Cell, ...] | None:
    """Return the figures of one plan, or None for a model that cannot be grounded here."""
    prepared = case.model.prepare()
    task = prepared.task(_limits())
    if not isinstance(task, Task):
        return None
    tokens = tokenize(case.plan, prepared.vocabulary).tokens
    edit_task = compile_edit(task, tokens, Weighting.edits(), with_goal=True)
    text = unmodified(task)  # which a check writes as well
    samples = interleaved(
        {
            "greedy": lambda: search(text, first_plans(task)[0], _limits()).status is Status.SOLVED,
            "first": lambda: first_plan(edit_task, _limits(), lambda: False),
        },
        runs,
        warm_up=0,
    )
    greedy, first = samples["greedy"], samples["first"]
    changed = None if first.result is None else edit_task.cost(first.result)
    return (case.model.name, len(task.operators), greedy.cpu, first.cpu, changed, _within(greedy, first))


def _within(greedy: Sample, first: Sample) -> str:
    return "yes" if first.result is not None and first.cpu <= TIMES * greedy.cpu + MORE else "no"


def _limits() -> Limits:
    return Limits(deadline=time.monotonic() + 60, memory=4 * 2**30)
