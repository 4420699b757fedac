"""Plan metrics: long plans compared, and what is recorded of GAICO and DeepEval computed again."""

from __future__ import annotations

import contextlib
import io
import json
import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from benchmarks.measure import interleaved
from benchmarks.options import ROOT, Options
from benchmarks.table import Cell, Goal, Table
from validator.metrics import (
    PlanningJaccard,
    PlanningLCS,
    edit_distance,
    jaccard,
    lcs,
    stability_distance,
    tool_correctness,
)
from validator.reading.plan import Step
from validator.repair.sequences import lcs_length

__all__ = ["run"]

SIZES = ((1_100, 1_105, 0.1), (10_000, 10_000, 2.0), (100_000, 100_000, None))
"""Steps of either plan, and the most CPU seconds that the longest common subsequence of both may take"""
_NAMES, _OBJECTS = 8, 6
_ORACLES = ROOT / "tests" / "oracles"


def run(options: Options) -> list[Table]:
    """Measure metrics by length, and count the recorded inputs that come out as recorded."""
    return [_speed(options.runs or 3), _recorded()]


def _speed(runs: int) -> Table:
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
        samples = interleaved(contestants, runs, warm_up=0)
        rows.append((f"{one:,} x {other:,}", *(samples[name].cpu for name in contestants)))
        if limit is not None:
            goals += [
                Goal(what=f"{name}, {one:,} x {other:,}", measured=samples[name].cpu, limit=limit, unit="s")
                for name in ("lcs", "lcs of texts", "compat")
            ]
        if one <= 2_000 and lcs_length(first, second) != _plain(first, second):
            wrong.append(f"the longest common subsequence of {one} and {other} steps")
    return Table(
        title="metrics: speed",
        about=f"CPU seconds for two random plans of {_NAMES} actions with {_OBJECTS} objects",
        columns=("steps", *(f"{name} s" for name in contestants)),
        rows=tuple(rows),
        goals=tuple(goals),
        notes=("lcs, edit, jaccard, stability: of Step values; of texts: read first; compat: as GAICO reads them",),
        wrong=tuple(wrong),
    )


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


# --- what is recorded ------------------------------------------------------------------------------


def _recorded() -> Table:
    gaico = json.loads((_ORACLES / "gaico.json").read_text(encoding="utf-8"))
    tools = json.loads((_ORACLES / "tool_correctness.json").read_text(encoding="utf-8"))["cases"]
    found = [_like_gaico(case) for case in gaico["single"] + gaico["api"]]
    differing = [case["id"] for case in tools if not _like_deepeval(case)]
    rows: tuple[tuple[Cell, ...], ...] = (
        ("GAICO, both planning metrics", len(found), found.count(True), found.count(None)),
        ("DeepEval, ToolCorrectness", len(tools), len(tools) - len(differing), 0),
    )
    return Table(
        title="metrics: recorded inputs",
        about="results, types and errors that are those which the peer gave",
        columns=("of", "inputs", "equal", "not run"),
        rows=rows,
        notes=("not run: needs pandas", f"different on purpose (docs/metrics.md): {', '.join(differing)}"),
        wrong=(f"{found.count(False)} of GAICO's inputs",) if False in found else (),
    )


def _like_gaico(case: Any) -> bool | None:
    """Return whether both metrics give what is recorded; None where a package for the input is missing."""
    for metric in (PlanningLCS(compat="gaico"), PlanningJaccard(compat="gaico")):
        try:
            generated, reference = _value(case["generated"]), _value(case["reference"])
        except ImportError:
            return None
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                result = metric.calculate(generated, reference)
                shown = {"result": _plain_result(result), "result_type": type(result).__name__}
            except (ValueError, KeyError) as error:
                shown = {"error": type(error).__name__, "message": str(error)}
        expected = case[type(metric).__name__]
        if shown != {key: expected[key] for key in expected if key != "stdout"}:
            return False
    return True


def _value(value: Any) -> Any:
    kind = value.get("__type__") if isinstance(value, dict) else None
    if kind is None:
        return value
    if kind == "nan":
        return float("nan")
    if kind.startswith("numpy"):
        import numpy

        return numpy.array(value["value"], dtype=value["dtype"])
    if kind.startswith("pandas"):
        import pandas

        if kind == "pandas.Series":
            return pandas.Series([_value(item) for item in value["value"]], index=value["index"])
        return pandas.DataFrame(value["value"], columns=value["columns"])
    return {"tuple": tuple, "set": set, "dict": dict}[kind](value["value"])


def _plain_result(result: Any) -> Any:
    kind = type(result).__name__
    if kind == "ndarray":
        return {"__type__": "numpy.ndarray", "dtype": str(result.dtype), "value": result.tolist()}
    if kind == "Series":
        held = {"dtype": str(result.dtype), "index": result.index.tolist(), "value": result.tolist()}
        return {"__type__": "pandas.Series", **held}
    return result


def _like_deepeval(case: Any) -> bool:
    modes = {"default": "any", "ordering": "ordered", "exact": "exact"}
    return all(
        tool_correctness(
            case["called"], case["expected"], matching=mode, with_arguments="input_parameters" in case["params"]
        ).score
        == case[name].get("score")
        for name, mode in modes.items()
    )
