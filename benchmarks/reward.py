"""How well each figure of an adherence predicts success: recorded runs of tau-bench with their rewards."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.options import Options
from benchmarks.table import Goal, Table, absent
from validator.adherence import Adherence, adhere

__all__ = ["run"]

FIGURES = ("accomplished", "score", "coverage", "precision", "f1", "order", "arguments")
LEAST = 0.7


def run(options: Options) -> list[Table]:
    """Compare each run with the actions that the task's author held to be right."""
    folder = options.data / "traces"
    expected = folder / "expected.json"
    if missing := absent("reward", expected):
        return missing
    cases = json.loads(expected.read_text(encoding="utf-8"))
    runs = [(case, _result(case, folder)) for case in cases if case["format"] == "tau_bench"]
    rewards = [case["reward"] == 1.0 for case, _ in runs]
    results = [result for _, result in runs]
    areas = {name: _area([getattr(result, name) for result in results], rewards) for name in FIGURES}
    told = sum(result.plan is not None for result in results)
    return [
        Table(
            title="reward",
            about=f"{len(runs)} runs of tau-bench (airline, gpt-4o), of which {sum(rewards)} succeeded: area under the "
            "curve of each figure against the reward",
            columns=("figure", "area"),
            rows=tuple(areas.items()),
            goals=(Goal(what="the first figure", measured=areas[FIGURES[0]], limit=LEAST, unit="area", at_least=True),),
            notes=(f"{told} of {len(runs)} runs have a figure; the others made no call",),
        )
    ]


def _result(case: Mapping[str, Any], folder: Path) -> Adherence:
    path = folder / case["file"]
    plan = [{"name": each["name"], "arguments": each["arguments"]} for each in case["reference_actions"]]
    return adhere(plan, path if path.is_file() else folder / case["format"] / case["file"])


def _area(figures: Sequence[float | None], rewards: Sequence[bool]) -> float:
    """Return how often a run that succeeded has the larger figure than one that failed; ties count half.

    Runs without a figure are left out.
    """
    good, bad = (
        [figure for figure, reward in zip(figures, rewards, strict=True) if reward is wanted and figure is not None]
        for wanted in (True, False)
    )
    won = sum((one > other) + (one == other) / 2 for one in good for other in bad)
    return round(won / (len(good) * len(bad)), 3)
