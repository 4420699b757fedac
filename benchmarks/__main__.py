"""``python -m benchmarks [SUITE] [OPTIONS]``: run suites, print tables, write JSON."""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.machine import machine
from benchmarks.options import Options
from benchmarks.table import Table, as_data, as_text

SUITES = (
    *("cold", "execute", "batch", "warm", "flows", "read", "metrics", "adherence"),
    *("repair", "ipc", "searches", "recognition", "eai", "transition", "records", "foils", "service", "peers"),
)
"""The modules of this package that have a function ``run``."""

_LONG = frozenset(
    ("repair", "ipc", "searches", "recognition", "eai", "transition", "records", "foils", "service", "peers")
)


def main() -> int:
    """Run the chosen suites and return 1 if any answer was wrong; a missed goal is a figure, no failure."""
    parser = _parser()
    given = parser.parse_args()
    default = Options()
    options = Options(
        val=given.val,
        ipc=given.ipc or default.ipc,
        recognition=given.recognition or default.recognition,
        only=given.only,
        runs=given.runs,
        models=given.models,
        cases=given.cases,
        peers=given.peers,
    )
    chosen = [given.suite] if given.suite in SUITES else [n for n in SUITES if given.suite == "all" or n not in _LONG]
    about = machine()
    print(f"{about['cpu']}, {about['cores']} cores, {about['python']}, load {about['load']}")
    tables: list[Table] = []
    for name in chosen:
        for table in import_module(f"benchmarks.{name}").run(options):
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
        help=f"one of {', '.join(SUITES)}, or all; without it all but {', '.join(sorted(_LONG))}, which take minutes",
    )
    parser.add_argument("--val", metavar="PATH", help="the program Validate of VAL, to be measured as well")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures and the machine as JSON")
    parser.add_argument("--ipc", type=Path, metavar="DIR", help="models with an index.json, for the suite ipc")
    parser.add_argument(
        "--models", type=Path, metavar="DIR", help="any folder of PDDL, for the suite repair; default: that of ipc"
    )
    parser.add_argument("--cases", type=int, metavar="N", help="cases of the suite repair; 0 is all of them")
    parser.add_argument("--recognition", type=Path, metavar="DIR", help="problems with an index.json, for recognition")
    parser.add_argument(
        "--peers", type=Path, metavar="DIR", help="keep the peers' environments there, for the suite peers"
    )
    parser.add_argument("--only", metavar="NAME", help="one model of ipc and repair, one domain of recognition")
    parser.add_argument("--runs", type=int, metavar="N", help="runs of each contestant; default: the suite's own")
    return parser


if __name__ == "__main__":
    sys.exit(main())
