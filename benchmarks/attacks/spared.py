"""Attacks on what the loop with a language model says its drafts were worth to the planner."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

from benchmarks.attacks.classical import scale_of
from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, Oracle
from tests.support.random_schemas import Style, random_schema, with_goal_in_reach
from tests.support.random_worlds import states_of, wrong_walk
from validator import Quality, prepare
from validator.reading.plan import Plan, Step
from validator.scaffold.effort import efforts

__all__ = ["KINDS"]

_STYLES: tuple[Style, ...] = ("all", "plain", "conditional")

_MOST_STATES = 300

_MEMORY = 2**31


def _attack(seed: int) -> Iterator[str]:
    """Compare costs with those of the plans that they are said to be of, and whether a search had anything to do."""
    draw, prices = Random(f"spared {seed}"), (CHEAP, DEAR)[seed % 2]
    texts = with_goal_in_reach(random_schema(seed, prices, _STYLES[seed // 2 % 3]), draw)
    oracle = Oracle(*texts)
    if states_of(oracle, _MOST_STATES) is None or not oracle.steps:
        return
    known = set(map(str, oracle.steps))
    lines = wrong_walk(oracle, draw, draw.randint(0, 4), draw.choice((0, 0, 0, 1)), to_goal=draw.random() < 0.8)
    lines = [line for line in lines if line in known]
    end, best = oracle.run(lines), oracle.nearest((), "optimal", "edits", 1)
    is_valid, own = end is not None and oracle.is_goal(end[0]), None if end is None else sum(end[1], Fraction(0))
    least = None if best is None else best[0] - oracle.begun
    quality = draw.choice((*Quality, Quality.VALID))
    is_good = end is not None and (quality is Quality.SOUND or (is_valid and quality is not Quality.OPTIMAL))
    prepared = prepare(*texts)
    scale = scale_of(prepared)
    steps = tuple(Step(name=name, args=tuple(args)) for name, *args in (line.strip("()").split() for line in lines))
    found = efforts(prepared, Plan(parts=steps), quality, is_good=is_good, time_limit=30, memory_limit=_MEMORY)
    told = (texts, lines, quality, is_good, least, own, found)
    if found is None:  # nothing is compared
        return
    alone, drafted = found.alone, found.drafted
    assert least is not None or alone.status != "solved", told
    assert alone.cost is None or (least is not None and Fraction(alone.cost, scale) >= least), told
    if quality is Quality.OPTIMAL and alone.status == "solved":
        assert alone.cost is not None and Fraction(alone.cost, scale) == least, told
        if steps and is_valid:
            assert drafted.cost is not None and Fraction(drafted.cost, scale) == least, told
            assert drafted.status != "stopped" or own == least, told
            assert drafted.expanded <= alone.expanded, told
    if quality is not Quality.OPTIMAL and steps:
        assert not is_good or drafted.expanded == 0, told
        if is_good:
            assert own is not None and drafted.cost is not None and Fraction(drafted.cost, scale) == own, told
        elif drafted.cost is not None:
            assert least is not None and Fraction(drafted.cost, scale) >= least, told
    if found.spared is not None:
        assert found.spared == alone.expanded - drafted.expanded, told
    yield outcome(True)


KINDS = (Kind(name="the loop: what drafts spare", against="Dijkstra over states", attack=_attack, share=4),)
