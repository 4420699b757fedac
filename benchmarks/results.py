"""What was measured, a file for each suite: ``benchmarks/results/SUITE.json``. The pages are written from these."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.options import ROOT
from benchmarks.table import Table, as_data

__all__ = ["RESULTS", "Found", "as_json", "keep", "kept", "read"]

RESULTS = ROOT / "benchmarks" / "results"

Found: TypeAlias = Mapping[str, Mapping[str, Any]]
"""title -> a table as ``benchmarks.table.as_data`` gives it, with the ``machine`` that it was measured on"""


def as_json(machine: Mapping[str, object], tables: Iterable[Table]) -> str:
    """Return tables with the machine as JSON, a row on a line, so that differences can be read."""
    data = ",\n".join(_broken(as_data(table)) for table in tables)
    return f'{{"machine": {json.dumps(machine)},\n"tables": [\n{data}\n]}}\n'


def _broken(table: Mapping[str, object]) -> str:
    rows = table["rows"]
    assert isinstance(rows, Sequence)
    rest = json.dumps({key: value for key, value in table.items() if key != "rows"})
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    return f'{rest[:-1]}, "rows": [\n{lines}]}}'


def keep(suite: str, machine: Mapping[str, object], tables: Sequence[Table]) -> Path | None:
    """Write what a suite measured, and return the file; None, and what is kept stays, where a table was skipped."""
    if not tables or not all(table.columns for table in tables):
        return None
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{suite}.json"
    path.write_text(as_json(machine, tables), encoding="utf-8")
    return path


def kept() -> Found:
    """Return everything that is kept."""
    return read(sorted(RESULTS.glob("*.json")))


def read(files: Iterable[Path]) -> Found:
    """Return the tables of the files by title; of two with one title the later counts."""
    documents = (json.loads(path.read_text(encoding="utf-8")) for path in files)
    return {
        table["title"]: table | {"machine": document["machine"]}
        for document in documents
        for table in document["tables"]
    }
