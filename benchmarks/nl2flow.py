"""NL2Flow's own flows, planned by its own planner and by this program in its place, in one process in turn.

It runs where NL2Flow is installed beside this package: ``python -m benchmarks nl2flow``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from itertools import count
from typing import Any

from benchmarks.measure import interleaved
from benchmarks.options import Options
from benchmarks.peers import CHAINS, chain
from benchmarks.table import Cell, Table, skipped

__all__ = ["run"]

_TITLE = "nl2flow"
_RUNS = 3
_SECONDS = 45


def run(options: Options) -> list[Table]:
    """Measure chains of operators; ``options`` give the number of runs."""
    if find_spec("nl2flow") is None:
        return [skipped(_TITLE, "nl2flow is not installed here")]
    rows: list[tuple[Cell, ...]] = []
    wrong: list[str] = []
    for length in CHAINS:
        found = interleaved(_contestants(length), options.runs or _RUNS)
        theirs, ours = (found[name].cpu for name in ("kstar", "registered"))
        rows.append((length, theirs, found["planner"].cpu, ours, theirs / ours))
        costs = {name: [plan.cost for plan in each.result.list_of_plans] for name, each in found.items()}
        if len(set(map(str, costs.values()))) > 1:
            wrong.append(f"{length} operators: {costs}")
    return [
        Table(
            title=_TITLE,
            about="a chain of operators as NL2Flow's Flow: plan_it, CPU s with the planner's processes",
            columns=("operators", "Kstar()", "PlanValidator()", "registered", "times ours"),
            rows=tuple(rows),
            notes=("PlanValidator(): NL2Flow compiles its own PDDL first; registered: it does not",),
            wrong=tuple(wrong),
        )
    ]


def _contestants(length: int) -> dict[str, Callable[[], object]]:
    from nl2flow.compile.flow import Flow
    from nl2flow.compile.schemas import FlowDefinition
    from nl2flow.plan.planners.kstar import Kstar

    from validator.integrations.nl2flow import PlanValidator, registered

    numbers = count()

    def planned(planner: Any) -> object:
        name = f"chain {next(numbers)}"  # another one each time, of which nothing is kept
        flow: Any = Flow(name)
        flow.flow_definition = FlowDefinition.model_validate({**chain(length), "name": name})
        planner.timeout = _SECONDS
        return flow.plan_it(planner)

    def in_place() -> object:
        with registered():
            return planned(Kstar())

    return {"kstar": partial(planned, Kstar()), "planner": partial(planned, PlanValidator()), "registered": in_place}
