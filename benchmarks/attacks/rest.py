"""Attacks on what is to follow: the next best plans of a flow behind its first steps, the rest of numeric plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

from benchmarks.attacks.kind import Kind, outcome
from tests.support.flow_attack import flow_with_goals, move_of
from tests.support.flow_interpreter import Interpreter, Move, World, line
from tests.support.naive_reference import Reference
from tests.support.random_beyond import sequential, timed
from tests.support.random_numbers import Generator, Puzzle, distance, pddl, truth
from validator import prepare, tokenize
from validator.checking.about.redundant import redundant_steps
from validator.checking.monitor import check_rest
from validator.flow import plan_flow
from validator.reading.plan import Step, TimedStep

__all__ = ["KINDS"]

_MOST, _LONGEST, _COURSES = 6, 4, 20_000


def _others(seed: int) -> Iterator[str]:
    """Ask for the next best plans of a flow, some of whose steps have happened; try all short ones."""
    draw = Random(f"others {seed}")
    flow = flow_with_goals(draw)
    own = Interpreter(flow)
    happened, world = list[Move](), own.start
    for _ in range(draw.choice((0, 0, 1, 2))):
        if ways := list(own.moves(world)):
            move, world, _ = draw.choice(sorted(ways, key=lambda way: (way[2], way[0]))[:4])
            happened.append(move)
    dearer = draw.random() < 0.7
    found = plan_flow(flow, most=_MOST, dearer=dearer, prefix=[line(flow, move) for move in happened])
    told, plans = (flow, happened, found), list[tuple[int, Counter[Move]]]()
    for plan in found.plans:
        moves = [move_of(token) for token in plan.steps]
        end = own.run([*happened, *moves])
        assert end is not None and own.is_goal(end[0]) and sum(end[1][len(happened) :]) == plan.cost, (told, moves)
        assert Counter(moves) not in [other for _, other in plans], (told, moves)
        plans.append((plan.cost, Counter(moves)))
    assert [cost for cost, _ in plans] == sorted(cost for cost, _ in plans), told
    for moves, cost in _courses(own, world):
        assert found.status != "unsolvable", (told, moves)
        assert not found.proven or cost >= plans[0][0], (told, moves, cost)
        is_due = bool(plans) and (cost < plans[-1][0] or (len(plans) < _MOST and (dearer or cost == plans[0][0])))
        if found.complete and is_due:
            assert any(other <= Counter(moves) for _, other in plans), (told, moves, cost)
    yield outcome(found.proven and found.complete)


def _courses(own: Interpreter, start: World) -> Iterator[tuple[tuple[Move, ...], int]]:
    """Yield short plans, those of fewer steps first, as far as they are not too many."""
    layer: list[tuple[tuple[Move, ...], World, int]] = [((), start, 0)]
    looked = 0
    for _ in range(_LONGEST + 1):
        yield from ((moves, cost) for moves, world, cost in layer if own.is_goal(world))
        after = []
        for moves, world, cost in layer:
            looked += 1
            if looked > _COURSES:
                return
            after += [((*moves, move), end, cost + price) for move, end, price in own.moves(world)]
        layer = after


# --- numbers -----------------------------------------------------------------------------------------


def _monitored(seed: int) -> Iterator[str]:
    """Execute some steps of a plan with numbers, change what holds, and repair the rest; try all short plans."""
    draw = Random(f"rest {seed}")
    puzzle = Generator(seed).puzzle()
    plan = [*puzzle.plan, draw.choice("abc")]
    executed = draw.randint(0, len(plan) - 1)
    now: Any = puzzle.start
    for name in plan[:executed]:
        now = None if now is None else Puzzle(puzzle.actions, now, puzzle.goal, []).run([name])
    if now is None:
        return
    changes = dict[str, Any]()
    if draw.random() < 0.5:
        changes["p"] = not now["p"]
    if draw.random() < 0.5:
        changes["x"] = Fraction(draw.randint(0, 2))
    here = replace(puzzle, start={**now, **changes, "cost": Fraction(0)}, plan=plan[executed:])
    said = " ".join(_said(name, value) for name, value in changes.items())
    lines = "\n".join(f"({name})" for name in plan)
    report = check_rest(prepare(*pddl(puzzle)), lines, executed=executed, changes=said or None, time_limit=3)
    told, plans = (puzzle, plan, executed, changes, report), here.valid()
    assert report.determination in (tuple(here.plan) in plans, None), told
    if report.determination is False and report.repaired_plan is not None:
        names = [step.name for step in report.repaired_plan if isinstance(step, Step)]
        assert names[:executed] == plan[:executed], told
        rest = names[executed:]
        end = here.run(rest)
        assert end is not None and truth(here.goal, end) is True, (told, rest)
        if report.proven:
            near = min((distance(here.plan, other) for other in plans), default=99)
            assert distance(here.plan, tuple(rest)) <= near, (told, rest, near)
    elif report.determination is False:
        assert not (report.proven and plans), told
    yield outcome(report.proven)


def _said(name: str, value: Any) -> str:
    if isinstance(value, Fraction):
        return f"(= ({name}) {float(value)})"
    return f"({name})" if value else f"(not ({name}))"


# --- what can be left out ----------------------------------------------------------------------------


def _redundant(seed: int) -> Iterator[str]:
    """Leave out every set of the steps of a valid plan with numbers or over time."""
    case = (sequential, timed)[seed % 2](seed)
    prepared, reference = prepare(case.domain, case.problem), Reference(case.domain, case.problem)
    plan = tokenize(case.plan, prepared.vocabulary)
    lines = [str(TimedStep.of(token)) for token in plan.tokens if isinstance(token, Step)]

    def is_valid(some: Sequence[str]) -> bool:
        verdict = reference.verdict("\n".join(some) or "; empty plan")
        return verdict is not None and verdict[0]

    if not prepared.model.features or len(lines) != len(plan.tokens) or len(lines) > 8 or not is_valid(lines):
        return
    found = redundant_steps(prepared, plan, time_limit=20)
    kept = [line for place, line in enumerate(lines) if place not in found.steps]
    assert is_valid(kept), (case, found)
    fewest = next(size for size in range(len(lines) + 1) if any(map(is_valid, combinations(lines, size))))
    assert len(kept) == fewest or (not found.proven and len(kept) > fewest), (case, found, fewest)
    yield outcome(found.proven)


KINDS = (
    Kind(name="redundant steps: numbers, time", against="every set of steps left out", attack=_redundant, share=5),
    Kind(name="flows: several plans", against="a second executor, all short plans", attack=_others, share=5),
    Kind(name="monitoring: numbers", against="all plans up to four steps", attack=_monitored, share=5),
)
