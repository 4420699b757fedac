"""``python -m benchmarks [SUITE]... [OPTIONS]``: run suites, print tables, keep the figures, write the pages."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from pathlib import Path

from benchmarks import pages
from benchmarks.machine import machine
from benchmarks.options import Options
from benchmarks.results import as_json, keep
from benchmarks.table import Table, as_text, number, ratio

QUICK = ("cold", "execute", "batch", "adherence")
"""suites that take seconds and need nothing but the checkout"""

SLOW = (
    "answers",
    "records",
    "reward",
    "scores",
    "eai",
    "recognition",
    "foils",
    "ipc",
    "transition",
    "service",
    "peers",
    "long",
    "large",
    "limits",
    "model_repair",
    "repair",
    "audit",
    "playground",
    "evidence",
    "free_texts",
    "certificates",
)
"""suites that take minutes"""


def main() -> int:
    """Run the chosen suites and return 1 if any answer was wrong; a missed goal is a figure, no failure."""
    parser = _parser()
    given = parser.parse_args()
    parts = (given.only, given.cases, given.models, given.runs, given.folder, given.count)
    if given.write_docs and any(part is not None for part in parts):
        parser.error("--write-docs keeps whole suites: leave out --only, --cases, --models, --runs, --folder, --count")
    options = Options(**{field.name: getattr(given, field.name) for field in fields(Options)})
    suites = tuple(dict.fromkeys(name for suite in given.suites or ("quick",) for name in _GROUPS.get(suite, (suite,))))
    about = machine()
    print(f"{about['cpu']}, {about['cores']} cores, {about['python']}, load {about['load']}")
    tables: list[Table] = []
    for name in suites:
        begun = time.monotonic()
        about = machine()
        found: list[Table] = []
        for table in import_module(f"benchmarks.{name}").run(options):
            print(f"\n{as_text(table)}", end="", flush=True)
            found.append(table)
        print(f"\n{name}: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
        if given.write_docs and keep(name, about, found) is None:
            print(f"{name}: skipped, what is kept stays", file=sys.stderr)
        tables += found
    if len(suites) > 1:
        print(f"\n{as_text(_goals(tables))}", end="")
    if given.json is not None:
        given.json.write_text(as_json(about, tables), encoding="utf-8")
    if given.write_docs:
        pages.main()
    return int(any(table.wrong for table in tables))


def _goals(tables: Sequence[Table]) -> Table:
    """Return one table of all goals, those that were missed first; why they were is said in docs/performance.md."""
    rows = [
        (
            f"{table.title}: {goal.what}",
            goal.measured,
            f"{'at least' if goal.at_least else 'at most'} {number(goal.limit)} {goal.unit}".rstrip(),
            ratio(*((goal.limit, goal.measured) if goal.at_least else (goal.measured, goal.limit))),
            "met" if goal.is_met else "MISSED",
        )
        for table in tables
        for goal in table.goals
    ]
    rows.sort(key=lambda row: row[-1])
    columns = ("of", "measured", "goal", "times the goal", "is")
    return Table(title="goals", about="every goal of these suites", columns=columns, rows=tuple(rows))


_GROUPS: Mapping[str, tuple[str, ...]] = {"quick": QUICK, "all": (*QUICK, *SLOW)}


def _suite(name: str) -> str:
    known = (*QUICK, *SLOW, *_GROUPS)
    if name not in known:
        raise argparse.ArgumentTypeError(f"there is no suite '{name}', only {', '.join(known)}")
    return name


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure plan-validator beside its peers."
    )
    parser.add_argument(
        "suites",
        nargs="*",
        type=_suite,
        metavar="SUITE",
        help=f"quick (by default: {', '.join(QUICK)}), or any of {', '.join(SLOW)}, which take minutes, or all",
    )
    default = Options()
    parser.add_argument("--write-docs", action="store_true", help="keep the figures, and write them into the pages")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures and the machine as JSON")
    parser.add_argument("--val", metavar="PATH", help="the program Validate of VAL, to be measured as well")
    parser.add_argument(
        "--data",
        type=Path,
        default=default.data,
        metavar="DIR",
        help="public data (ipc, recognition, eai, planbench, answers); suites without theirs are skipped",
    )
    parser.add_argument(
        "--models", type=Path, metavar="DIR", help="any folder of PDDL, for the suite repair; default: that of ipc"
    )
    parser.add_argument(
        "--cases",
        type=int,
        metavar="N",
        help="cases of the suite repair, 0 for all of them, and of transition's",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="where free_texts begins (0)")
    parser.add_argument(
        "--count", type=int, metavar="N", help="texts of free_texts (5,000), and of the pool of scores (1,000)"
    )
    parser.add_argument("--shared", action="store_true", help="free_texts of --data in place of generated ones")
    parser.add_argument("--questions", action="store_true", help="questions in English in place of free_texts")
    parser.add_argument(
        "--folder",
        type=Path,
        metavar="DIR",
        help="any folder of answers for the suite answers; default: those of --data",
    )
    parser.add_argument(
        "--peers",
        type=Path,
        default=default.peers,
        metavar="DIR",
        help="where the suite peers installs the peers, and finds them the next time (%(default)s)",
    )
    parser.add_argument(
        "--soak", type=float, metavar="S", help="seconds of the suite service's soak; default: 60, 300 for a real one"
    )
    parser.add_argument("--only", metavar="NAME", help="one model of ipc and repair, domain of recognition")
    parser.add_argument("--runs", type=int, metavar="N", help="runs of each contestant; default: the suite's own")
    return parser


if __name__ == "__main__":
    sys.exit(main())
