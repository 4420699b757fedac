"""Flows: chains of operators with one step removed, and the recorded plans and reports."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from benchmarks.measure import cost_of
from benchmarks.options import ROOT, Options
from benchmarks.table import Cell, Goal, Table
from validator.checking.report import Report
from validator.flow.check import check_flow
from validator.flow.definition.nl2flow import flow_from_nl2flow
from validator.flow.model import Flow, GoalKind, Input, ItemState, MemoryItem, Operator, Output, Slot
from validator.flow.model import Goal as FlowGoal
from validator.flow.planning import plan_flow
from validator.flow.plans.shape import code_like

__all__ = ["run"]

RECORDED = ROOT / "tests" / "flow" / "data"
_SIZES = (10, 20, 40, 100, 200)
_GOALS = {40: 2.0, 200: 15.0}
_QUALITIES = ("sound", "valid", "optimal")


def run(options: Options) -> list[Table]:
    """Measure flows; ``options`` have nothing for them."""
    return [_chains(), _recorded()]


def chain(length: int) -> Flow:
    """Return operators of which each yields what the next one needs; no item may be asked for."""
    return Flow(
        name="chain",
        operators=tuple(
            Operator(name=f"op {number}", inputs=(Input(item=f"x{number}"),), outputs=(Output(item=f"x{number + 1}"),))
            for number in range(length)
        ),
        goals=((FlowGoal(kind=GoalKind.KNOWN, subject=f"x{length}"),),),
        memory=(MemoryItem(item="x0", state=ItemState.KNOWN),),
        slots=tuple(Slot(item=f"x{number}", desirability=0) for number in range(length + 1)),
    )


def _chains() -> Table:
    rows: list[tuple[Cell, ...]] = []
    goals: list[Goal] = []
    wrong: list[str] = []
    for length in _SIZES:
        flow = chain(length)
        lines = [f"x{number + 1} = op {number}(x{number})" for number in range(length)]
        missing = lines.pop(length // 2)
        spent = []
        for quality in _QUALITIES:
            cost, report = cost_of(partial(check_flow, flow, lines, quality=quality))
            assert isinstance(report, Report)
            spent.append(cost.cpu)
            added = [str(diff.step) for diff in report.plan_diff_obj if diff.diff_type is not None]
            if report.determination is not False or not report.proven or added != [missing]:
                wrong.append(f"{length} operators, {quality}: {added}, proven {report.proven}")
        rows.append((length, *spent))
        if length in _GOALS:
            goals.append(Goal(what=f"{length} operators", measured=max(spent), limit=_GOALS[length], unit="CPU s"))
    return Table(
        title="flows",
        about="a chain of operators with one step removed, nothing to be asked for; CPU s with the planner's",
        columns=("operators", *_QUALITIES),
        rows=tuple(rows),
        goals=tuple(goals),
        wrong=tuple(wrong),
    )


def _recorded() -> Table:
    rows: list[tuple[Cell, ...]] = []
    wrong: list[str] = []
    cost, plans = cost_of(lambda: list(_plans()))
    rows.append(("recorded plans", len(plans), sum(not said for said in plans), cost.cpu))
    wrong += filter(None, plans)
    cost, reports = cost_of(lambda: list(_reports()))
    rows.append(("recorded reports", len(reports), sum(not said for said in reports), cost.cpu))
    wrong += filter(None, reports)
    return Table(
        title="recorded flows",
        about="plans and reports of NL2Flow 0.1.3; CPU s of all together",
        columns=("flows", "number", "as recorded", "CPU s"),
        rows=tuple(rows),
        notes=(
            "a report of swapped arguments is counted as recorded when it is False, which the record says is right",
        ),
        wrong=tuple(wrong),
    )


def _records(name: str) -> Iterator[dict[str, Any]]:
    yield from map(json.loads, (RECORDED / name).read_text(encoding="utf-8").splitlines())


def _plans() -> Iterator[str]:
    """Yield for each record how the cheapest plan differs from all the recorded ones, or nothing."""
    for record in _records("nl2flow_plans.jsonl"):
        flow = flow_from_nl2flow(record["flow"], record["options"])
        found = plan_flow(flow)
        steps = None if found.plan is None else _steps(code_like(flow, found.plan))
        recorded = [_steps(plan["text"]) for plan in record["plans"]]
        if record["no_solution"]:
            right = steps is None and found.proven
        elif record["no_plan_needed"]:
            right = steps == Counter()
        else:
            right = steps in recorded
        yield "" if right else f"plan {record['id']}: {steps}"


def _steps(lines: Iterable[str]) -> Counter[str]:
    """Return the steps; the items of one question count in any order."""
    return Counter(f"ask {sorted(line[4:-1].split(', '))}" if line.startswith("ask(") else line for line in lines)


def _reports() -> Iterator[str]:
    for record in _records("nl2flow_reports.jsonl"):
        if "printer" in record["kwargs"]:
            continue  # printed by functions of the record's own
        flow = flow_from_nl2flow(record["flow"], record["options"])
        report = check_flow(flow, record["tokens"], quality=record["report_type"].lower(), **record["kwargs"])
        wanted = False if record["determination"] is None else record["determination"]
        yield "" if report.determination is wanted else f"report {record['id']}: {report.determination}"
