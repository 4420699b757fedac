"""Nearest valid plans and cheapest costs on competition models, beside an index of what was proven before.

A folder of models with an ``index.json``: for each model ``domain`` (its folder, with domain.pddl, problem.pddl and
good.plan), ``optimal_cost`` and ``optimal_cpu``, and for each plan in ``broken`` its ``file``, ``valid_edits`` and
``valid_cpu``. Numbers that are null were not proven when the index was made.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

from benchmarks.measure import Cost, cost_of
from benchmarks.options import Options
from benchmarks.table import Cell, Table
from validator.errors import ValidatorError
from validator.pddl import read_model
from validator.planner import Limits
from validator.prepared import Prepared, prepare
from validator.report import Report
from validator.task import Task
from validator.tokens import tokenize
from validator.validate import check

__all__ = ["run"]

TIME_LIMIT = 10.0
"""seconds that one check may take"""
MEMORY_LIMIT = 4 * 2**30
SLOW = 2.0
"""CPU seconds from which a plan is listed as slow"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was found for one plan: the number of changed lines, or for good.plan the cheapest cost.

    ``found`` without ``proven`` is an upper bound, ``lower`` a proven lower one.
    """

    model: str
    plan: str
    found: Fraction | None
    lower: Fraction
    proven: bool
    cost: Cost
    indexed: Fraction | None
    indexed_cpu: float
    error: str = ""

    @property
    def disagrees(self) -> bool:
        """Return whether the index has a proof that contradicts this answer."""
        if self.indexed is None or self.error:
            return False
        if self.proven:
            return self.found != self.indexed
        return self.lower > self.indexed or (self.found is not None and self.found < self.indexed)

    def __str__(self) -> str:
        said = self.error or f"{_plain(self.found)} ({'proven' if self.proven else f'at least {_plain(self.lower)}'})"
        indexed = "not proven" if self.indexed is None else _plain(self.indexed)
        return (
            f"{self.model} {self.plan}: {said}, {self.cost.cpu:.2f} s CPU; index: {indexed}, {self.indexed_cpu:.2f} s"
        )


def run(options: Options) -> list[Table]:
    """Check every good and broken plan of the index, models one after the other, each grounded once."""
    index = options.ipc / "index.json"
    if not index.is_file():
        return [_skipped(f"skipped: {index} does not exist (give the folder with --ipc)")]
    models = json.loads(index.read_text(encoding="utf-8"))
    chosen = [model for model in models if options.only in (None, model["domain"])]
    if not chosen:
        return [_skipped(f"skipped: no model is called '{options.only}'")]
    rows: list[tuple[Cell, ...]] = []
    repairs: list[Answer] = []
    optima: list[Answer] = []
    for model in chosen:
        name = model["domain"]
        prepared = prepare(read_model(options.ipc / name / "domain.pddl", options.ipc / name / "problem.pddl"))
        grounding, task = cost_of(partial(_ground, prepared))
        operators = len(task.operators) if isinstance(task, Task) else None
        optimum = _optimum(prepared, model, options.ipc / name)
        answers = [_repair(prepared, model, broken, options.ipc / name) for broken in model["broken"]]
        rows.append((name, operators, grounding.cpu, *_row(answers), *_optimum_row(optimum)))
        optima.append(optimum)
        repairs += answers
        print(f"ipc: {name} done, {sum(answer.cost.wall for answer in answers):.0f} s", file=sys.stderr, flush=True)
    return [_summary(rows, repairs, optima), _by_corruption(repairs), _details(repairs, optima)]


def _ground(prepared: Prepared) -> object:
    return prepared.task(Limits(deadline=time.monotonic() + 120, memory=MEMORY_LIMIT))


# --- one plan ------------------------------------------------------------------------------------


def _repair(prepared: Prepared, model: dict[str, object], broken: dict[str, object], folder: Path) -> Answer:
    """Find the fewest changed lines that make a broken plan valid."""
    error, report, cost = _checked(prepared, folder / str(broken["file"]))
    response = report.planner_response if report is not None else None
    found = response.cost if response is not None else None
    if report is not None and report.determination:
        found = 0
    changed = sum(diff.diff_type is not None for diff in report.plan_diff_obj) if report is not None else None
    if found is not None and found != changed:
        error = f"the planner's cost is {found}, the diff has {changed} changed lines"
    return Answer(
        model=str(model["domain"]),
        plan=str(broken["file"]),
        found=None if found is None else Fraction(found),
        lower=Fraction((response.lower_bound if response is not None else None) or 0),
        proven=report is not None and report.proven,
        cost=cost,
        indexed=_fraction(broken["valid_edits"]),
        indexed_cpu=float(str(broken["valid_cpu"])),
        error=error,
    )


def _optimum(prepared: Prepared, model: dict[str, object], folder: Path) -> Answer:
    """Find the cheapest cost, given a good plan."""
    limits = Limits(deadline=time.monotonic() + TIME_LIMIT, memory=MEMORY_LIMIT)
    task = prepared.task(limits)
    assert isinstance(task, Task)
    plan = tokenize((folder / "good.plan").read_text(encoding="utf-8"), prepared.vocabulary)
    given, cost_of_plan = _fraction(model["cost"]), prepared.simulator.run(plan).cost
    cost, optimum = cost_of(lambda: prepared.optimum(task, plan.steps, limits))
    return Answer(
        model=str(model["domain"]),
        plan="good.plan",
        found=None if optimum.upper is None else Fraction(optimum.upper, task.encoding.scale),
        lower=Fraction(optimum.lower, task.encoding.scale),
        proven=optimum.is_proven,
        cost=cost,
        indexed=_fraction(model["optimal_cost"]),
        indexed_cpu=float(str(model["optimal_cpu"])),
        error="" if cost_of_plan == given else f"good.plan costs {cost_of_plan}, in the index {given}",
    )


def _checked(prepared: Prepared, plan: Path) -> tuple[str, Report | None, Cost]:
    def call() -> Report | ValidatorError:
        try:
            return check(prepared, None, plan, time_limit=TIME_LIMIT, memory_limit=MEMORY_LIMIT)
        except ValidatorError as error:
            return error

    cost, result = cost_of(call)
    return (str(result), None, cost) if isinstance(result, ValidatorError) else ("", result, cost)


def _fraction(value: object) -> Fraction | None:
    return None if value is None else Fraction(str(value))


def _plain(value: Fraction | None) -> str:
    return "-" if value is None else str(value)


# --- tables --------------------------------------------------------------------------------------


def _row(answers: list[Answer]) -> tuple[Cell, ...]:
    """Return, of a model's broken plans: how many, proven here and in the index, CPU seconds here and there."""
    return (
        len(answers),
        sum(answer.proven for answer in answers),
        sum(answer.indexed is not None for answer in answers),
        sum(answer.cost.children for answer in answers),
        sum(answer.indexed_cpu for answer in answers),
        sum(answer.cost.own for answer in answers),
    )


def _optimum_row(answer: Answer) -> tuple[Cell, ...]:
    interval = _plain(answer.found) if answer.proven else f"{_plain(answer.lower)}..{_plain(answer.found)}"
    return interval, _plain(answer.indexed), answer.cost.children, answer.indexed_cpu


def _summary(rows: list[tuple[Cell, ...]], repairs: list[Answer], optima: list[Answer]) -> Table:
    answers = [*repairs, *optima]
    slow = sorted((answer for answer in answers if answer.cost.cpu >= SLOW), key=lambda answer: -answer.cost.cpu)
    return Table(
        title="ipc",
        about=f"competition models, at most {TIME_LIMIT:.0f} s a plan; planner CPU seconds here and in the index",
        columns=(
            *("model", "operators", "ground s", "plans", "proven", "index proven", "planner s", "index s", "own s"),
            *("cheapest", "index cheapest", "cheapest s", "index cheapest s"),
        ),
        rows=tuple(rows),
        notes=(
            _proofs("fewest edits", repairs),
            _proofs("cheapest cost", optima),
            *(f"lost: {answer}" for answer in answers if answer.indexed is not None and not answer.proven),
            *(f"slow: {answer}" for answer in slow),
        ),
        wrong=(
            *(f"disagrees: {answer}" for answer in answers if answer.disagrees),
            *(f"error: {answer}" for answer in answers if answer.error),
        ),
    )


def _proofs(what: str, answers: Iterable[Answer]) -> str:
    found = list(answers)
    here, there = sum(answer.proven for answer in found), sum(answer.indexed is not None for answer in found)
    both = [answer for answer in found if answer.proven and answer.indexed is not None]
    ours, theirs = sum(answer.cost.children for answer in both), sum(answer.indexed_cpu for answer in both)
    without = sum(answer.found is None for answer in found)
    return (
        f"{what}: {here} of {len(found)} proven here, {there} in the index, {len(both)} in both ({ours:.1f} planner "
        f"CPU s here, {theirs:.1f} in the index); {without} without any answer"
    )


def _by_corruption(repairs: list[Answer]) -> Table:
    """Return how many plans are proven, and the planner's CPU seconds, by the number of corruptions."""
    rows: list[tuple[Cell, ...]] = []
    for number in sorted({_corruptions(answer) for answer in repairs}):
        found = [answer for answer in repairs if _corruptions(answer) == number]
        seconds = sorted(answer.cost.children for answer in found)
        proven = sum(answer.proven for answer in found)
        rows.append((number, len(found), proven, seconds[len(seconds) // 2], seconds[-1]))
    return Table(
        title="ipc",
        about="fewest changed lines by the number of corruptions; planner CPU seconds",
        columns=("corruptions", "plans", "proven", "median s", "worst s"),
        rows=tuple(rows),
    )


def _corruptions(answer: Answer) -> int:
    """Return the K of ``broken_K_T.plan``."""
    return int(answer.plan.split("_")[1])


def _details(repairs: list[Answer], optima: list[Answer]) -> Table:
    """Return every answer as a row."""
    rows = tuple(
        (
            answer.model,
            answer.plan,
            _plain(answer.found),
            _plain(answer.lower),
            "yes" if answer.proven else "no",
            _plain(answer.indexed),
            answer.cost.children,
            answer.indexed_cpu,
            answer.cost.own,
            answer.cost.wall,
        )
        for answer in (*optima, *repairs)
    )
    return Table(
        title="ipc: plans",
        about="changed lines of each broken plan, cheapest cost for each good.plan; planner CPU seconds",
        columns=("model", "plan", "found", "at least", "proven", "index", "planner s", "index s", "own s", "wall s"),
        rows=rows,
    )


def _skipped(why: str) -> Table:
    return Table(title="ipc", about="competition models", columns=("model",), rows=(), notes=(why,))
