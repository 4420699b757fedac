"""Certificates of nearest plans: how many proofs have one, and what it costs to check them.

Broken plans of the competition models of ``ipc``, with at most four faults. ``check`` runs as a process without and
with ``--certify``, then ``plan-certify`` runs as one; all CPU seconds are those of whole processes with their children.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.cases import Case, indexed_cases
from benchmarks.options import ROOT, Options
from benchmarks.process import PROGRAM, Run, measured
from benchmarks.table import Cell, Goal, Table, absent, ratio, skipped

__all__ = ["run"]

MOST_CORRUPTIONS = 4
TIME_LIMIT = 60
"""seconds for each check"""
LEAST_SHARE = 0.95
MOST_TIMES = 3.0
"""what the checker may take, in CPU seconds of the solve"""
_CHECKER = ROOT / "validator" / "certificates" / "plan_certify.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One broken plan: the solve, why there is no certificate, and what the certificate is and costs."""

    case: Case
    solve: Run
    is_proven: bool
    why_none: str = ""
    size: int = 0
    states: int = 0
    checker: Run | None = None

    @property
    def is_accepted(self) -> bool:
        return self.checker is not None and self.checker.code == 0

    @property
    def times(self) -> float:
        assert self.checker is not None
        return self.checker.cpu / self.solve.cpu


def run(options: Options) -> list[Table]:
    """Solve, certify and check every broken plan of the index."""
    if missing := absent("certificates", options.ipc / "index.json"):
        return missing
    cases = [
        case
        for case in indexed_cases(options.ipc)
        if case.corruptions <= MOST_CORRUPTIONS and options.only in (None, case.model.name)
    ]
    if not cases:
        return [skipped("certificates", f"no model is called '{options.only}'")]
    entries: list[Entry] = []
    for model, group in groupby(cases, key=lambda case: case.model):
        with TemporaryDirectory() as directory:
            entries += [_entry(case, Path(directory)) for case in group]
        print(f"certificates: {model.name} done", file=sys.stderr, flush=True)
    return [_summary(entries)]


def _entry(case: Case, directory: Path) -> Entry:
    """Measure one broken plan: solve, solve with a certificate, check the certificate."""
    plan, certificate = directory / "broken.plan", directory / f"{case.name}.json"
    plan.write_text(case.plan, encoding="utf-8")
    files = [str(case.model.domain), str(case.model.problem), str(plan)]
    limits = ("--time-limit", str(TIME_LIMIT), "--format", "json")
    check = [*PROGRAM, "check", *files, *limits]
    solve = measured(check, directory, seconds=10 * TIME_LIMIT)
    found = json.loads(solve.output)
    if found["determination"] is not False or not found["proven"]:
        return Entry(case=case, solve=solve, is_proven=False)
    certified = measured([*check, "--certify", str(certificate)], directory, seconds=10 * TIME_LIMIT)
    if not certificate.is_file():
        return Entry(case=case, solve=solve, is_proven=True, why_none=certified.output.strip().splitlines()[-1])
    found = json.loads(certificate.read_text(encoding="utf-8"))
    return Entry(
        case=case,
        solve=solve,
        is_proven=True,
        size=certificate.stat().st_size,
        states=len(found["states"]),
        checker=measured(
            [sys.executable, str(_CHECKER), *files, str(certificate)], directory, seconds=100 * TIME_LIMIT
        ),
    )


def _summary(entries: Sequence[Entry]) -> Table:
    """Return one row: solve and checker are sums over what has a certificate."""
    accepted = [entry for entry in entries if entry.is_accepted]
    proven = sum(entry.is_proven for entry in entries)
    sizes, states = [entry.size / 1000 for entry in accepted], [entry.states for entry in accepted]
    solve = sum(entry.solve.cpu for entry in accepted)
    checker = sum(entry.checker.cpu for entry in accepted if entry.checker is not None)
    share = len(accepted) / proven if proven else 0.0
    most = max((entry.times for entry in accepted), default=0.0)
    figures: tuple[Cell, ...] = (
        *(median(sizes or [0.0]), max(sizes, default=0.0)),
        *(round(median(states or [0])), max(states, default=0)),
        *(solve, checker, ratio(checker, solve), most),
    )
    return Table(
        title="certificates",
        about=f"broken plans with at most {MOST_CORRUPTIONS} faults, at most {TIME_LIMIT} s a plan; CPU seconds",
        columns=(
            *("plans", "proven", "certified", "median KB", "most KB", "median states", "most states"),
            *("solve s", "checker s", "times", "most times"),
        ),
        rows=((len(entries), proven, len(accepted), *figures),),
        goals=(
            Goal(what="share of proofs", measured=round(share, 3), limit=LEAST_SHARE, unit="", at_least=True),
            Goal(what="the checker beside the solve", measured=round(most, 3), limit=MOST_TIMES, unit="times"),
        ),
        notes=tuple(f"no certificate: {entry.case}: {entry.why_none}" for entry in entries if entry.why_none),
        wrong=tuple(
            f"not accepted: {entry.case}: {entry.checker.output.strip()}"
            for entry in entries
            if entry.checker is not None and not entry.is_accepted
        ),
    )
