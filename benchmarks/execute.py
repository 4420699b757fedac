"""Execution without a planner: plans of 10 to 100,000 steps, read and executed one after the other."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.measure import Sample, interleaved
from benchmarks.models import DOMAIN, ring
from benchmarks.options import Options
from benchmarks.table import Cell, Goal, Table, ratio
from benchmarks.validators import UnifiedPlanning
from validator.checking.prepared import prepare
from validator.model.pddl import read_model
from validator.reading.plan import Plan
from validator.reading.tokens import tokenize

__all__ = ["run"]

SIZES = (10, 100, 1_000, 10_000, 100_000)
GOAL_SIZE, GOAL = 10_000, 0.3
PATIENCE = 20.0
"""CPU seconds that the peer may be expected to take for one plan"""

_ROOMS, _PARCELS = 100, 20


def run(options: Options) -> list[Table]:
    """Measure tokenizing a plan text and executing the tokens apart, for us and for unified-planning."""
    rows: list[tuple[Cell, ...]] = []
    goals: list[Goal] = []
    wrong: list[str] = []
    expected = 0.0
    for size in SIZES:
        samples = _samples(size, options.runs, with_peer=expected < PATIENCE, slow=size >= 10_000 or expected > 2)
        tokenizing, running = samples["tokenize"].cpu, samples["run"].cpu
        theirs = [samples[name].cpu if name in samples else None for name in ("up parse", "up validate")]
        peer = sum(seconds for seconds in theirs if seconds is not None)
        quotient = ratio(peer, tokenizing + running) if peer else None
        rows.append((size, tokenizing, running, 1e6 * running / size, *theirs, quotient))
        expected = 10 * peer if peer else float("inf")
        if not samples["run"].result.is_valid:
            wrong.append(f"the plan of {size} steps is valid; found: {samples['run'].result.failures[:2]}")
        if peer and not samples["up validate"].result:
            wrong.append(f"unified-planning says that the plan of {size} steps is not valid")
        if size == GOAL_SIZE:
            goals.append(Goal(what="executing 10,000 steps", measured=running, limit=GOAL, unit="s"))
    return [
        Table(
            title="execute",
            about=f"CPU seconds, valid plans on a ring of {_ROOMS} rooms with {_PARCELS} parcels; up: unified-planning",
            columns=("steps", "tokenize s", "run s", "us a step", "up parse s", "up validate s", "up / ours"),
            rows=tuple(rows),
            goals=tuple(goals),
            notes=(f"unified-planning: only where it is expected to take under {PATIENCE:.0f} s",),
            wrong=tuple(wrong),
        )
    ]


def _samples(size: int, runs: int | None, *, with_peer: bool, slow: bool) -> dict[str, Sample]:
    generated = ring(_ROOMS, _PARCELS, size)
    text = generated.plan
    prepared = prepare(read_model(DOMAIN, generated.problem))
    parts = tokenize(text, prepared.vocabulary).parts
    contestants: dict[str, Callable[[], object]] = {
        "tokenize": lambda: tokenize(text, prepared.vocabulary),
        # A fresh plan each time: it keeps its tokens once they were asked for.
        "run": lambda: prepared.simulator.run(Plan(parts=parts)),
    }
    if with_peer:
        peer = UnifiedPlanning(DOMAIN, generated.problem)
        parsed = peer.parse(text)
        contestants["up parse"] = lambda: peer.parse(text)
        contestants["up validate"] = lambda: peer.validate(parsed)
    return interleaved(contestants, runs or (3 if slow else 7), warm_up=0 if slow else 1)
