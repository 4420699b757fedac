"""Nearest valid plans and cheapest costs on competition models, beside an index of what was proven before.

A folder of models with an ``index.json``: for each model ``domain`` (its folder, with domain.pddl, problem.pddl and
good.plan), ``optimal_cost`` and ``optimal_cpu``, and for each plan in ``broken`` its ``file``, ``valid_edits`` and
``valid_cpu``. Numbers that are null were not proven when the index was made.
"""

from __future__ import annotations

import json
import sys
import time
from fractions import Fraction
from itertools import groupby

from benchmarks.cases import Case, Model, indexed_cases
from benchmarks.measure import cost_of
from benchmarks.nearest import MEMORY_LIMIT, TIME_LIMIT, Answer, grounded, ours
from benchmarks.options import Options
from benchmarks.repair import OURS, Result, contradictions, plain
from benchmarks.table import Cell, Table, absent, skipped
from validator.checking.prepared import Prepared
from validator.grounding.limits import Limits
from validator.grounding.task import Task
from validator.reading.tokens import tokenize

__all__ = ["run"]

SLOW = 2.0
"""CPU seconds from which a plan is listed as slow"""


def run(options: Options) -> list[Table]:
    """Check every good and broken plan of the index, models one after the other, each grounded once."""
    index = options.ipc / "index.json"
    if missing := absent("ipc", index):
        return missing
    models = {model["domain"]: model for model in json.loads(index.read_text(encoding="utf-8"))}
    cases = [case for case in indexed_cases(options.ipc) if options.only in (None, case.model.name)]
    if not cases:
        return [skipped("ipc", f"no model is called '{options.only}'")]
    repairs: list[Result] = []
    optima: list[Result] = []
    for model, group in groupby(cases, key=lambda case: case.model):
        prepared = model.prepare()
        grounded(prepared)
        entries = []
        for case in group:
            cost, found = ours(prepared, case)
            entries.append(Result(case=case, who=OURS, cost=cost, answer=found))
        optima.append(_optimum(prepared, model, models[model.name]))
        repairs += entries
        print(f"ipc: {model.name} done, {sum(entry.cost.wall for entry in entries):.0f} s", file=sys.stderr, flush=True)
    return [_proofs(repairs, optima)]


# --- the cheapest cost ---------------------------------------------------------------------------


def _optimum(prepared: Prepared, model: Model, indexed: dict[str, object]) -> Result:
    """Find the cheapest cost, given a good plan."""
    limits = Limits(deadline=time.monotonic() + TIME_LIMIT, memory=MEMORY_LIMIT)
    task = prepared.task(limits)
    assert isinstance(task, Task)
    good = model.domain.with_name("good.plan").read_text(encoding="utf-8")
    plan = tokenize(good, prepared.vocabulary)
    given, cost_of_plan = _fraction(indexed["cost"]), prepared.simulator.run(plan).cost
    cost, optimum = cost_of(lambda: prepared.optimum(task, plan.steps, limits))
    return Result(
        case=Case(
            model=model,
            name="good.plan",
            corruptions=0,
            plan=good,
            edits=_fraction(indexed["optimal_cost"]),
            indexed_cpu=float(str(indexed["optimal_cpu"])),
        ),
        who=OURS,
        cost=cost,
        answer=Answer(
            found=None if optimum.upper is None else Fraction(optimum.upper, task.encoding.scale),
            lower=Fraction(optimum.lower, task.encoding.scale),
            proven=optimum.is_proven,
            said=f"good.plan costs {cost_of_plan}, in the index {given}",
            failed=cost_of_plan != given,
        ),
    )


def _fraction(value: object) -> Fraction | None:
    return None if value is None else Fraction(str(value))


# --- the table -----------------------------------------------------------------------------------


def _shown(result: Result) -> str:
    """Return the number of changed lines, or for good.plan the cheapest cost, beside the index."""
    answer, case = result.answer, result.case
    found = f"{plain(answer.found)} ({'proven' if answer.proven else f'at least {plain(answer.lower)}'})"
    said = answer.said if answer.failed else found
    indexed = "not proven" if case.edits is None else plain(case.edits)
    return f"{case}: {said}, {result.cost.cpu:.2f} s CPU; index: {indexed}, {case.indexed_cpu:.2f} s"


def _proofs(repairs: list[Result], optima: list[Result]) -> Table:
    """Return how much is proven here and in the index, and the planner's CPU seconds where both have a proof."""
    rows: list[tuple[Cell, ...]] = []
    every = [*repairs, *optima]
    slow = sorted((entry for entry in every if entry.cost.cpu >= SLOW), key=lambda entry: -entry.cost.cpu)
    for what, entries in (("fewest changed lines", repairs), ("cheapest cost of the model", optima)):
        both = [entry for entry in entries if entry.answer.proven and entry.case.edits is not None]
        rows.append(
            (
                what,
                len(entries),
                sum(entry.answer.proven for entry in entries),
                sum(entry.case.edits is not None for entry in entries),
                sum(entry.answer.found is not None for entry in entries),
                len(both),
                sum(entry.cost.children for entry in both),
                sum(entry.case.indexed_cpu for entry in both),
            )
        )
    return Table(
        title="ipc: proofs",
        about="what is proven here and in the index; planner CPU seconds of what both prove",
        columns=("what", "asked", "proven", "index proven", "answered", "both", "planner s of both", "index s of both"),
        rows=tuple(rows),
        notes=(
            *(f"lost: {_shown(entry)}" for entry in every if entry.case.edits is not None and not entry.answer.proven),
            *(f"slow: {_shown(entry)}" for entry in slow),
        ),
        wrong=tuple(contradictions(every)),
    )
