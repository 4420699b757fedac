"""Attacks on the results of a batch: several processes, models that differ a little, one directory for what is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.attacks.classical import text_of
from benchmarks.attacks.kept import cases
from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import Oracle
from validator.cli import main

__all__ = ["KINDS"]

_RECORDS = 8


def _attack(seed: int) -> Iterator[str]:
    """Check plans of a model and its like in one run, and compare each result as if it were alone."""
    draw = Random(f"batched {seed}")
    models = cases(seed, draw)
    if not models:
        return
    asked = [(draw.choice(models), draw.choice(models).plan) for _ in range(_RECORDS)]
    quality = draw.choice(("sound", "valid"))
    with TemporaryDirectory() as name:
        folder = Path(name)
        records = [
            {"id": number, "domain": case.texts[0], "problem": case.texts[1], "plan": text_of(plan)}
            for number, (case, plan) in enumerate(asked)
        ]
        (folder / "records.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
        command = ["batch", str(folder / "records.jsonl"), "-o", str(folder / "results.jsonl"), "--quality", quality]
        command += ["--workers", draw.choice(("1", "2", "3")), "--policy", "edits"]
        command += ["--cache", str(folder / "kept")] if draw.random() < 0.5 else []
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            main(command)
        lines = (folder / "results.jsonl").read_text().splitlines()
    results = {result["id"]: result for result in map(json.loads, lines)}
    assert sorted(results) == list(range(_RECORDS)) and len(lines) == _RECORDS, (seed, results.keys())
    for number, (case, plan) in enumerate(asked):
        yield _judged(case.oracle, plan, quality, results[number])


def _judged(oracle: Oracle, plan: list[str], quality: str, result: dict[str, Any]) -> str:
    if "report" not in result:  # what the model's text names without having it
        return outcome(False)
    report, nearest = result["report"], oracle.nearest(plan, quality, "edits", 1)
    changes = sum(diff["diff_type"] in ("+", "-") for diff in report["plan_diff_obj"])
    told = (plan, quality, report, nearest)
    assert report["determination"] is (nearest is not None and nearest[0] == 0), told
    if report["repaired_plan"] is not None and not report["determination"]:
        assert nearest is not None and (changes == nearest[0] or (changes > nearest[0] and not report["proven"])), told
    elif not report["determination"]:
        assert nearest is None or not report["proven"], told
    return outcome(report["proven"])


KINDS = (
    Kind(
        name="batches of several processes",
        against="Dijkstra over states and places of the plan",
        attack=_attack,
        share=6,
    ),
)
