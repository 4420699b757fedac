"""Repairs of published flawed domains: sizes beside the recorded minimum, time, and where the meant repair ranks.

The domains are those of Bavandpour, Lauer, Lin and Bercher (ECAI 2025), with flaws put in at random; the flaws are
known, so that it can be told which of several smallest repairs undoes nothing else.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.options import Options
from benchmarks.table import Goal, Table, absent
from validator import repair_model
from validator.model_repair.result import ModelRepair, Repair

__all__ = ["Result", "is_meant", "run"]

_UNDONE = {
    "added precondition": "remove precondition",
    "removed precondition": "add precondition",
    "added add effect": "remove add effect",
    "removed add effect": "add effect",
    "added delete effect": "remove delete effect",
    "removed delete effect": "add delete effect",
}
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Result:
    """``rank`` is that of the first repair that undoes flaws only, from 1, None where none of those shown does."""

    name: str
    size: int | None
    recorded: int | None
    seconds: float
    ties: int
    rank: int | None


def run(options: Options) -> list[Table]:
    """Repair each flawed domain with its plan."""
    folder = options.data / "model_repair"
    index = folder / "index.json"
    if missing := absent("model repair", index):
        return missing
    entries = json.loads(index.read_text(encoding="utf-8"))[: options.cases]
    repair_model(*(folder / entries[0][name] for name in ("domain", "problem", "plan")))  # loads what all need
    return [_table([_repaired(folder, entry) for entry in entries])]


def _repaired(folder: Path, entry: Mapping[str, Any]) -> Result:
    begun = time.process_time()
    found = repair_model(*(folder / entry[name] for name in ("domain", "problem", "plan")))
    seconds = time.process_time() - begun
    told: Sequence[ModelRepair | Repair] = (found, *found.alternatives[: _SHOWN - 1])
    rank = next((number for number, one in enumerate(told, 1) if is_meant(one, entry["flaws"])), None)
    size = len(found.edits) if found.cost is not None else None
    return Result(entry["id"], size, entry["minimal_edits"], seconds, found.count, rank)


def is_meant(repair: ModelRepair | Repair, flaws: Sequence[Sequence[str]]) -> bool:
    """Return whether a repair undoes flaws that were put in, and does nothing else."""
    undone = {(_UNDONE[what], action, atom) for what, action, atom in flaws}
    return all((edit.kind.value, edit.action, edit.literal) in undone for edit in repair.edits)


def _table(results: Sequence[Result]) -> Table:
    seconds = sorted(result.seconds for result in results)
    tied = [result for result in results if result.size and result.ties > 1]
    first = sum(result.rank == 1 for result in tied)
    among = sum(result.rank is not None for result in tied)
    p95 = seconds[int(len(seconds) * 0.95)]
    sizes: dict[int | None, list[Result]] = {}
    for result in results:
        sizes.setdefault(result.size, []).append(result)
    return Table(
        title="model repair",
        about=f"{len(results)} flawed domains with a plan each, CPU seconds of a repair with up to 5 alternatives",
        columns=("edits", "domains", "median s", "longest s"),
        rows=tuple(
            ("none" if size is None else str(size), len(of), median(r.seconds for r in of), max(r.seconds for r in of))
            for size, of in sorted(sizes.items(), key=lambda pair: -1 if pair[0] is None else pair[0])
        ),
        goals=(
            Goal(what="median", measured=median(seconds), limit=0.05, unit="s CPU"),
            Goal(what="95 % within", measured=p95, limit=1.0, unit="s CPU"),
            Goal(what="meant first", measured=100 * first / max(1, len(tied)), limit=75, unit="%", at_least=True),
            Goal(what="meant in five", measured=100 * among / max(1, len(tied)), limit=95, unit="%", at_least=True),
        ),
        notes=(f"{len(tied)} have several smallest repairs: the meant one is first in {first}, among five in {among}",),
        wrong=tuple(
            f"{result.name}: {result.size} edits, recorded {result.recorded}"
            for result in results
            if result.size != result.recorded
        ),
    )
