"""Random checks of every kind of claim that says *proven*, against brute forces that share no search with it.

A *check* is one answer about one small random model, compared with what looking at everything says: the same oracles as
in the deep tests. An answer that is not proven is *open*, and still compared for what it does claim.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import count, islice

from benchmarks.attacks import (
    agents,
    asked,
    batched,
    beyond,
    branched,
    budgeted,
    call_by_call,
    called,
    classical,
    constrained,
    damaged,
    decomposed,
    domains,
    drafted,
    dumped,
    embedded,
    failing,
    foiled,
    followed,
    given,
    glimpsed,
    guarded,
    hurried,
    kept,
    keyed,
    learning,
    limited,
    measured,
    misread,
    noticed,
    ordered,
    parameters,
    recognised,
    remaining,
    rest,
    rewritten,
    ruled,
    scheduled,
    searches,
    spared,
    stamped,
    timely,
    told,
    translated,
    triggered,
    unified,
    unordered,
    uses,
    valued,
    wider,
    wished,
    worded,
    worlds,
)
from benchmarks.attacks.kind import Kind
from benchmarks.options import Options
from benchmarks.table import Table

__all__ = ["KINDS", "run"]

KINDS: tuple[Kind, ...] = (
    *classical.KINDS,
    *parameters.KINDS,
    *searches.KINDS,
    *beyond.KINDS,
    *uses.KINDS,
    *wider.KINDS,
    *worlds.KINDS,
    *agents.KINDS,
    *kept.KINDS,
    *damaged.KINDS,
    *batched.KINDS,
    *asked.KINDS,
    *timely.KINDS,
    *keyed.KINDS,
    *limited.KINDS,
    *recognised.KINDS,
    *embedded.KINDS,
    *wished.KINDS,
    *domains.KINDS,
    *rest.KINDS,
    *unified.KINDS,
    *ruled.KINDS,
    *ordered.KINDS,
    *measured.KINDS,
    *hurried.KINDS,
    *foiled.KINDS,
    *budgeted.KINDS,
    *called.KINDS,
    *drafted.KINDS,
    *remaining.KINDS,
    *triggered.KINDS,
    *constrained.KINDS,
    *told.KINDS,
    *misread.KINDS,
    *stamped.KINDS,
    *worded.KINDS,
    *guarded.KINDS,
    *call_by_call.KINDS,
    *rewritten.KINDS,
    *glimpsed.KINDS,
    *followed.KINDS,
    *given.KINDS,
    *decomposed.KINDS,
    *translated.KINDS,
    *dumped.KINDS,
    *branched.KINDS,
    *unordered.KINDS,
    *scheduled.KINDS,
    *learning.KINDS,
    *failing.KINDS,
    *noticed.KINDS,
    *spared.KINDS,
    *valued.KINDS,
)

CHECKS = 20_000
"""of all kinds together"""


def run(options: Options) -> list[Table]:
    """Attack each kind with its share of the checks, from the seed on, a kind in each process."""
    kinds = [kind for kind in KINDS if options.only in (None, kind.name)]
    total = sum(kind.share for kind in kinds)
    most = [round((options.cases or CHECKS) * kind.share / total) for kind in kinds]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(partial(_attacked, options.seed), (kind.name for kind in kinds), most))
    rows = [
        (kind.name, kind.against, *(sum(seen.values()), seen["proven"], seen["open"], seen["wrong"]))
        for kind, (seen, _) in zip(kinds, found, strict=True)
    ]
    everything = ("all", "", *(sum(int(str(row[column])) for row in rows) for column in range(2, 6)))
    return [
        Table(
            title="attacks",
            about=f"random checks against brute force, seed {options.seed}",
            columns=("claims", "against", "checks", "proven", "open", "wrong"),
            rows=(*rows, everything),
            wrong=tuple(each for _, failed in found for each in failed),
        )
    ]


def _attacked(seed: int, name: str, most: int) -> tuple[Counter[str], list[str]]:
    """Return how many answers were proven, open and wrong, and what is wrong."""
    kind = next(kind for kind in KINDS if kind.name == name)
    seen, failed = Counter[str](), list[str]()
    every = (outcome for case in count(seed) for outcome in _outcomes(kind, case))
    for outcome in islice(every, most):
        is_right = outcome in ("proven", "open")
        seen[outcome if is_right else "wrong"] += 1
        if not is_right:
            failed.append(outcome)
            print(f"attacks: WRONG {outcome}", file=sys.stderr, flush=True)
    print(f"attacks: {name}: {dict(seen)}", file=sys.stderr, flush=True)
    return seen, failed


def _outcomes(kind: Kind, case: int) -> Iterator[str]:
    """Yield what the checks of one case come to; whatever is raised is a wrong answer."""
    try:
        yield from kind.attack(case)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        yield f"{kind.name}, seed {case}: {type(error).__name__}: {error} ({place.name})"
