"""Random checks of every kind of claim that says *proven*, against brute forces that share no search with it.

A *check* is one answer about one small random model, compared with what looking at everything says: the same oracles as
in the deep tests. An answer that is not proven is *open*, and still compared for what it does claim.
"""

from __future__ import annotations

import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from itertools import count

from benchmarks.attacks import beyond, classical, uses
from benchmarks.attacks.kind import Kind
from benchmarks.options import Options
from benchmarks.table import Table

__all__ = ["KINDS", "run"]

KINDS: tuple[Kind, ...] = (*classical.KINDS, *beyond.KINDS, *uses.KINDS)

CHECKS = 20_000
"""of all kinds together"""


def run(options: Options) -> list[Table]:
    """Attack each kind with its share of the checks, from the seed on."""
    kinds = [kind for kind in KINDS if options.only in (None, kind.name)]
    total = sum(kind.share for kind in kinds)
    rows, wrong = [], list[str]()
    for kind in kinds:
        most = round((options.cases or CHECKS) * kind.share / total)
        seen, failed = _attacked(kind, most, options.seed)
        rows.append((kind.name, kind.against, sum(seen.values()), seen["proven"], seen["open"], seen["wrong"]))
        wrong += failed
        print(f"attacks: {kind.name}: {dict(seen)}", file=sys.stderr, flush=True)
    everything = ("all", "", *(sum(int(str(row[column])) for row in rows) for column in range(2, 6)))
    return [
        Table(
            title="attacks",
            about=f"random checks against brute force, seed {options.seed}",
            columns=("claims", "against", "checks", "proven", "open", "wrong"),
            rows=(*rows, everything),
            wrong=tuple(wrong),
        )
    ]


def _attacked(kind: Kind, most: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Return how many answers were proven, open and wrong, and what is wrong."""
    seen, failed = Counter[str](), list[str]()
    for case in count(seed):
        for outcome in _outcomes(kind, case):
            if sum(seen.values()) >= most:
                return seen, failed
            seen[outcome if outcome in ("proven", "open") else "wrong"] += 1
            if outcome not in ("proven", "open"):
                failed.append(outcome)
                print(f"attacks: WRONG {outcome}", file=sys.stderr, flush=True)
    raise AssertionError("seeds never end")


def _outcomes(kind: Kind, case: int) -> Iterator[str]:
    """Yield what the checks of one case come to; whatever is raised is a wrong answer."""
    try:
        yield from kind.attack(case)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        yield f"{kind.name}, seed {case}: {type(error).__name__}: {error} ({place.name})"
