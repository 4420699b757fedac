"""What a flow that was learned from other runs lets through: recorded runs of tau-bench with their rewards."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from benchmarks.options import Options
from benchmarks.table import Table, skipped
from validator.flow.learned.learn import learn_flow
from validator.flow.model import Flow
from validator.guard import PlanGuard
from validator.policies.conform import run_of
from validator.reading.traces.read import read_trace

__all__ = ["SUPPORTS", "lets_through", "run"]

SUPPORTS = (1, 2, 3, 5)

_Calls = Sequence[tuple[str, dict[str, object]]]


def run(options: Options) -> list[Table]:
    """Guard each run by a flow that was learned from the runs of other tasks that went well."""
    folder = options.data / "traces" / "tau_bench"
    files = sorted(folder.glob("*.json"))
    if not files:
        return [skipped("learned", f"{folder} is not there (see --data)")]
    runs = [(json.loads(file.read_text(encoding="utf-8")), run_of(read_trace(file)), file) for file in files]
    rows = []
    for support in SUPPORTS:
        through: Counter[str] = Counter()
        for record, events, _ in runs:
            others = [file for about, _, file in runs if about["task_id"] != record["task_id"] and about["reward"] == 1]
            flow = learn_flow(traces=others, support=support).flow
            actions = [(action["name"], action["kwargs"]) for action in record["info"]["task"]["actions"]]
            made = [(event.name, dict(event.values)) for event in events]
            through["reference"] += lets_through(flow, actions)
            through["good" if record["reward"] == 1 else "failed"] += lets_through(flow, made)
        rows.append((support, through["good"], through["failed"], through["reference"]))
    good = sum(record["reward"] == 1 for record, _, _ in runs)
    about = (
        f"runs that a learned flow lets through, of {good} that went well, {len(runs) - good} that failed, and "
        f"{len(runs)} lists of actions that the tasks' authors held to be right"
    )
    return [
        Table(title="learned", about=about, columns=("support", "went well", "failed", "reference"), rows=tuple(rows))
    ]


def lets_through(flow: Flow, calls: _Calls) -> bool:
    """Return whether a guard by a flow allows every call; what is not understood is let through."""
    guard = PlanGuard(flow, repair=False, not_understood="allow")
    for name, arguments in calls:
        decision = guard.before(name, arguments)
        if not decision:
            return False
        guard.after(decision, "ok")
    return True
