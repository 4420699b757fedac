"""``python -m benchmarks [SUITE] [--val PATH] [--json FILE]``: run suites, print tables, write JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks import adherence, batch, cold, execute, flows, foils, ipc, metrics, read, repair, searches
from benchmarks.machine import machine
from benchmarks.options import Options
from benchmarks.table import Table, as_data, as_text

SUITES: Mapping[str, Callable[[Options], list[Table]]] = {
    "cold": cold.run,
    "execute": execute.run,
    "batch": batch.run,
    "repair": repair.run,
    "flows": flows.run,
    "read": read.run,
    "metrics": metrics.run,
    "ipc": ipc.run,
    "searches": searches.run,
    "adherence": adherence.run,
    "foils": foils.run,
}
_LONG = frozenset(("ipc", "searches", "foils"))


def main() -> int:
    """Run the chosen suites and return 1 if any answer was wrong; a missed goal is a figure, no failure."""
    parser = _parser()
    given = parser.parse_args()
    default = Options()
    options = Options(val=given.val, ipc=given.ipc or default.ipc, only=given.only, runs=given.runs)
    chosen = [given.suite] if given.suite in SUITES else [n for n in SUITES if given.suite == "all" or n not in _LONG]
    about = machine()
    print(f"{about['cpu']}, {about['cores']} cores, {about['python']}, load {about['load']}")
    tables: list[Table] = []
    for name in chosen:
        for table in SUITES[name](options):
            print(f"\n{as_text(table)}", end="", flush=True)
            tables.append(table)
    if given.json is not None:
        data = {"machine": about, "tables": list(map(as_data, tables))}
        given.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return int(any(table.wrong for table in tables))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure plan-validator beside its peers."
    )
    parser.add_argument(
        "suite",
        nargs="?",
        choices=[*SUITES, "all"],
        metavar="SUITE",
        help=f"one of {', '.join(SUITES)}, or all; without it all but ipc, searches and foils, which take minutes",
    )
    parser.add_argument("--val", metavar="PATH", help="the program Validate of VAL, to be measured as well")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures and the machine as JSON")
    parser.add_argument("--ipc", type=Path, metavar="DIR", help="models with an index.json, for the suite ipc")
    parser.add_argument("--only", metavar="NAME", help="one model of the suite ipc")
    parser.add_argument("--runs", type=int, metavar="N", help="runs of each contestant; default: the suite's own")
    return parser


if __name__ == "__main__":
    sys.exit(main())
