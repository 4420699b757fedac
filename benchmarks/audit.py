"""Recorded runs of agents, rewarded for how they end, beside the policy that their agents were told to keep.

Reads the published trajectories of tau-bench and tau2-bench from checkouts of these repositories below ``--data``, and
copies nothing of them. A policy of ``docs/examples/audit`` states, for each domain, what the policy text asks of calls
and messages.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.options import ROOT, Options
from benchmarks.table import Cell, Table, skipped
from validator.errors import InputError
from validator.policies import Conformance, conform, read_policy

__all__ = ["Run", "run", "runs_in"]

POLICIES = ROOT / "docs" / "examples" / "audit"
PLACES = (
    "tau-bench/historical_trajectories/*.json",
    "tau2-bench/data/tau2/results/final/*.json",
    "tau2-bench/data/simulations/*.json",
    "tau2-bench/web/leaderboard/public/submissions/*/trajectories/*.json",
)
"""of the files of runs in the checkouts"""
_MOST_SHOWN = 40
_DOMAIN = re.compile("|".join(path.stem for path in sorted(POLICIES.glob("*.policy"))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of an agent: its messages, and whether its end was rewarded in full."""

    source: str
    domain: str
    task: str
    rewarded: bool
    messages: list[dict[str, Any]]


def run(options: Options) -> list[Table]:
    """Say of each file how many runs break a rule, and which rewarded runs do."""
    files = [file for place in PLACES for file in sorted(options.data.glob(place))]
    recorded = [each for file in files for each in runs_in(file)]
    if not recorded:
        return [skipped("audit", f"no runs of an agent below {' or '.join(PLACES)} in {options.data} (see --data)")]
    found = [(each, _checked(each)) for each in recorded]
    return [_counts(found), _rules(found)]


def runs_in(file: Path) -> Iterator[Run]:
    """Yield the runs of a file of tau-bench or tau2-bench; none where its name says no domain with a policy."""
    domain = _DOMAIN.search(file.stem)
    if domain is None:
        return
    value = json.loads(file.read_text(encoding="utf-8"))
    for each in value["simulations"] if isinstance(value, Mapping) else value:
        reward = each["reward"] if "reward" in each else (each.get("reward_info") or {}).get("reward")
        yield Run(
            source=f"{file.parents[1].name}: {domain[0]}" if file.parent.name == "trajectories" else file.stem,
            domain=domain[0],
            task=f"{each['task_id']}/{each.get('trial', 0)}",
            rewarded=reward == 1,
            messages=each["traj"] if "traj" in each else each["messages"],
        )


def _checked(each: Run) -> Conformance | None:
    """Return how a run keeps the policy of its domain; None for one without a call."""
    policy = read_policy(POLICIES / f"{each.domain}.policy")
    try:
        found = conform(policy, each.messages, repair=False)
    except InputError:
        return None
    return None if found.reason else found


def _counts(found: list[tuple[Run, Conformance | None]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for source in dict.fromkeys(each.source for each, _ in found):
        own = [(each, result) for each, result in found if each.source == source]
        counts = Counter((each.rewarded, None if result is None else result.kept) for each, result in own)
        open_ = counts[True, None] + counts[False, None]
        rewarded = sum(each.rewarded for each, _ in own)
        rows.append((source, len(own), open_, rewarded, counts[True, False], len(own) - rewarded, counts[False, False]))
    kinds = ("rewarded", "breaking a rule", "not rewarded", "breaking one")
    columns = ("runs of", "runs", "no call, or not known", *kinds)
    return Table(title="audit", about="recorded runs beside the policy", columns=columns, rows=tuple(rows))


def _rules(found: list[tuple[Run, Conformance | None]]) -> Table:
    broken: Counter[tuple[str, str, bool]] = Counter()
    shown: list[str] = []
    for each, result in found:
        for finding in () if result is None else result.broken:
            broken[each.domain, str(finding.rule), each.rewarded] += 1
            if each.rewarded and len(shown) < _MOST_SHOWN:
                shown.append(f"{each.source} {each.task}: {finding.faults[0].said}")
    rules = dict.fromkeys((domain, rule) for domain, rule, _ in sorted(broken))
    rows = tuple((domain, rule, broken[domain, rule, True], broken[domain, rule, False]) for domain, rule in rules)
    columns = ("domain", "rule", "rewarded runs that break it", "others")
    return Table(title="audit: rules", about="rules that are broken", columns=columns, rows=rows, notes=tuple(shown))
