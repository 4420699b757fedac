"""Attacks on answers to "why not": models with types, rules, quantifiers and prices, and limits that are met."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count
from random import Random

from benchmarks.attacks.kind import Kind, outcome
from tests.support import foil_questions
from tests.support.edit_oracle import CHEAP, DEAR, Oracle, State
from tests.support.random_schemas import random_schema
from tests.support.random_worlds import states_of
from validator import prepare
from validator.foils import AtMost, Constraint, Must, MustNot, Pattern, why_not
from validator.reading.plan import Step

__all__ = ["KINDS"]

_MOST_STATES = 300
_ANY = "_"


def _wished(seed: int) -> Iterator[str]:
    """Ask that steps must happen, or must not, or at most once; arguments may be open."""
    texts, draw = random_schema(seed, (CHEAP, DEAR)[seed % 2]), Random(f"wished {seed}")
    oracle = Oracle(*texts)
    if not oracle.steps or states_of(oracle, _MOST_STATES) is None:
        return
    if oracle.nearest((), "valid", "edits", 1) is None:
        return
    for _ in range(2):
        wishes = [_wish(oracle, draw) for _ in range(draw.choice((1, 1, 2)))]
        answer = why_not(prepare(*texts), constraints=wishes, time_limit=30)
        least, told = _least(oracle, wishes), (texts, [str(wish) for wish in wishes], answer.sentences)
        if not answer.possible:
            assert answer.possible is None or least is None, (told, least)
            for conflict in answer.conflicts:
                part = [wish for wish in conflict if isinstance(wish, Must | MustNot | AtMost)]
                assert _least(oracle, part) is None, (told, conflict)
            for fitting in answer.fitting:
                part = [wish for wish in fitting if isinstance(wish, Must | MustNot | AtMost)]
                assert _least(oracle, part) is not None, (told, fitting)
            yield outcome(answer.possible is False)
            continue
        assert least is not None, told
        if answer.cheapest is not None:
            assert answer.cheapest.lower <= least + oracle.begun, (told, least, answer.cheapest)
            assert answer.cheapest.upper is None or answer.cheapest.upper >= least + oracle.begun, (told, least)
        for side in (answer.foil, None if answer.best is None else answer.best.plan):
            if side is not None:
                end = oracle.run(map(str, side.steps))
                assert end is not None and oracle.is_goal(end[0]), (told, side)
                assert all(_is_kept(wish, [step for step in side.steps if isinstance(step, Step)]) for wish in wishes)
        if answer.best is not None and answer.best.proven:
            end = oracle.run(map(str, answer.best.plan.steps))
            assert end is not None and sum(end[1]) == least, (told, least, answer.best)
        yield outcome(answer.best is not None and answer.best.proven)


def _wish(oracle: Oracle, draw: Random) -> Constraint:
    step = draw.choice(oracle.steps)
    pattern = Pattern(name=step.name, args=tuple(_ANY if draw.random() < 0.4 else arg for arg in step.args))
    match draw.randrange(3):
        case 0:
            return Must(step=pattern)
        case 1:
            return MustNot(step=pattern)
    return AtMost(step=pattern, number=1)


def _matches(pattern: Pattern, step: Step) -> bool:
    return pattern.name == step.name and all(
        arg in (_ANY, own) for arg, own in zip(pattern.args, step.args, strict=True)
    )


def _is_kept(wish: Constraint, steps: Sequence[Step]) -> bool:
    assert isinstance(wish, Must | MustNot | AtMost)
    times = sum(_matches(wish.step, step) for step in steps)
    return times > 0 if isinstance(wish, Must) else times <= (wish.number if isinstance(wish, AtMost) else 0)


def _least(oracle: Oracle, wishes: Sequence[Constraint]) -> Fraction | None:
    """Return the least cost of a plan that keeps to wishes: Dijkstra over states and how often each step was done."""
    number = count()
    start = (oracle.init, (0,) * len(wishes))
    best: dict[tuple[State, tuple[int, ...]], Fraction] = {start: Fraction(0)}
    heap = [(Fraction(0), next(number), start)]
    while heap:
        cost, _, node = heappop(heap)
        if cost > best[node]:
            continue
        state, times = node
        if oracle.is_goal(state) and not any(
            isinstance(wish, Must) and not done for wish, done in zip(wishes, times, strict=True)
        ):
            return cost
        for step, after, price in oracle.successors(state):
            now = tuple(min(2, t + _matches(w.step, step)) for w, t in zip(wishes, times, strict=True))  # type: ignore[union-attr]
            most = (2 if isinstance(w, Must) else w.number if isinstance(w, AtMost) else 0 for w in wishes)
            if any(t > limit for t, limit in zip(now, most, strict=True)):
                continue
            if (after, now) not in best or cost + price < best[after, now]:
                best[after, now] = cost + price
                heappush(heap, (cost + price, next(number), (after, now)))
    return None


_QUESTIONS: tuple[Callable[[Random, float], object], ...] = (
    foil_questions.compare_answer,
    foil_questions.compare_budget,
    foil_questions.compare_change,
    foil_questions.compare_excuse,
    foil_questions.compare_numbers,
)


def _hurried(seed: int) -> Iterator[str]:
    """Ask with limits that are met anywhere."""
    draw = Random(f"hurried {seed}")
    yield outcome(_QUESTIONS[seed % 5](draw, 10 ** draw.uniform(-2.5, 0.5)) is not None)


KINDS = (
    Kind(name="foils: types, rules, prices", against="Dijkstra over states and what is done", attack=_wished, share=5),
    Kind(name="foils: under limits", against="all plans up to six steps, all states", attack=_hurried, share=3),
)
