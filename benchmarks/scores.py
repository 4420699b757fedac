"""Rewards: verdicts, proven distances and labelled texts a CPU second, and a pool that scores many texts.

The texts are plans of blocks with up to four faults, by the generator of ``docs/examples``. CPU seconds are counted
from the second text of a problem on. A pool of two scores ``--count`` texts; its memory is looked at ten times.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

from benchmarks.options import ROOT, Options
from benchmarks.process import family, resident
from benchmarks.table import Cell, Goal, Table
from validator.reward import Score, ScorePool, score

__all__ = ["run"]

SIZES, PROBLEMS, TEXTS = (5, 10, 20), 4, 400
"""blocks; problems of each size; texts of each problem"""
LABELLED = 5
"""texts of two problems whose steps are labelled, which takes a search for each step"""
COUNT = 1_000
"""texts of the pool"""
LEAST_VERDICTS, LEAST_DISTANCES, LIMIT = 3000, 500, 60.0


def run(options: Options) -> list[Table]:
    """Score texts of each size, then many in a pool."""
    sys.path.insert(0, str(ROOT / "docs" / "examples"))
    from plan_problems import broken, problems  # type: ignore[import-not-found]

    def texts(size: int, count: int) -> Iterator[tuple[tuple[str, str], list[str]]]:
        for one in problems("blocks", size, range(count)):
            yield (one.domain, one.problem), [broken(one.plan, number % 5, number) for number in range(TEXTS)]

    rows = [_row(size, list(texts(size, PROBLEMS))) for size in SIZES]
    at_ten = dict(zip(_COLUMNS, rows[SIZES.index(10)], strict=True))
    rates = Table(
        title="scores",
        about=f"{PROBLEMS * TEXTS} plans of blocks of each size, with up to four faults; a CPU second",
        columns=_COLUMNS,
        rows=tuple(rows),
        goals=tuple(
            Goal(what=f"{name} of 10 blocks", measured=at_ten[name], limit=least, unit="a CPU second", at_least=True)
            for name, least in (("verdicts", LEAST_VERDICTS), ("distances", LEAST_DISTANCES))
        ),
    )
    return [rates, _pool(texts(10, 10**6), options.count or COUNT)]


_COLUMNS = ("blocks", "verdicts", "distances", "proven %", "with labels")


def _row(size: int, cases: list[tuple[tuple[str, str], list[str]]]) -> tuple[Any, ...]:
    verdicts, _ = _rate(cases, distance=False, steps=False)
    distances, found = _rate(cases, distance=True, steps=False)
    labelled, _ = _rate([(model, texts[:LABELLED]) for model, texts in cases[:2]], distance=True, steps=True)
    proven = 100 * sum(each.distance is not None for each in found) / len(found)
    return size, round(verdicts), round(distances), round(proven, 1), round(labelled)


def _rate(cases: list[tuple[tuple[str, str], list[str]]], **wanted: bool) -> tuple[float, list[Score]]:
    """Return how many texts are scored in a CPU second, and their scores; the first text reads the problem."""
    seconds, found = 0.0, list[Score]()
    for model, texts in cases:
        score(model, texts[:1], time_limit=LIMIT, **wanted)
        begun = time.process_time()
        found += score(model, texts, time_limit=LIMIT, **wanted)
        seconds += time.process_time() - begun
    return len(found) / seconds, found


def _pool(cases: Iterator[tuple[tuple[str, str], list[str]]], count: int) -> Table:
    """Score many texts in a pool; the problems are new all the time."""
    lost, rows, parts = 0, list[tuple[Cell, ...]](), 10
    with ScorePool(2, steps=False, time_limit=LIMIT) as pool, ThreadPoolExecutor(2) as threads:
        for part in range(1, parts + 1):
            scores = threads.map(lambda case: pool.score(*case), islice(cases, count // TEXTS // parts))
            lost += sum("worker" in each.reason for found in scores for each in found)
            # the largest two: another one keeps track of what they share
            sizes = sorted(int(resident(pid)) for pid in family(os.getpid())[1:])[-2:]
            rows.append((part * (count // TEXTS // parts) * TEXTS, lost, *sizes))
    return Table(
        title="scores: pool",
        about=f"{count} texts in two processes: texts, lost workers, MiB of each process",
        columns=("texts", "lost workers", "MiB", "MiB of the other"),
        rows=tuple(rows),
        wrong=("a worker was lost",) if lost else (),
    )
