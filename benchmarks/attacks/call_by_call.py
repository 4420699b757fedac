"""Attacks on guards by models with numbers, and with constraints on the way: each decision, each rest, the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from random import Random
from typing import Any

from benchmarks.attacks.kind import Kind, outcome
from tests.support.naive_reference import Reference, World
from tests.support.random_constraints import LONGEST, Constrained, constrained
from tests.support.random_numbers import Generator, Puzzle, pddl, truth
from validator import ModelError, PlanGuard
from validator.guard import Rest

__all__ = ["KINDS"]


def _numbers(seed: int) -> Iterator[str]:
    """Guard calls by a model with numbers, and compare each decision, what would be right, and the end."""
    draw = Random(f"guarded numbers {seed}")
    puzzle = Generator(seed).puzzle()
    texts, names = pddl(puzzle), tuple[str, ...]()
    guard, valid = PlanGuard(texts, time_limit=2), puzzle.valid()
    for _ in range(4):
        name = draw.choice(sorted(puzzle.actions))
        can = puzzle.run((*names, name)) is not None
        decision = guard.before(name, {})
        told = (seed, texts, names, name, decision)
        assert decision.allowed is can or (not decision.allowed and not decision.understood), told
        yield outcome(decision.understood)
        if decision.allowed:
            guard.after(decision, "done")
            names = (*names, name)
        elif draw.random() < 0.3:
            rest = decision.repaired(30)
            assert rest is not None, told
            later = {plan[len(names) :]: cost for plan, cost in valid.items() if plan[: len(names)] == names}
            _compare_rest(rest, partial(_is_valid, puzzle, names), later, told)
            yield outcome(rest.proven)
    assert bool(guard.finish()) is not _is_valid(puzzle, names, ()), (seed, texts, names, guard.finish())
    yield outcome(True)


def _is_valid(puzzle: Puzzle, names: tuple[str, ...], more: tuple[str, ...]) -> bool:
    end = puzzle.run((*names, *more))
    return end is not None and truth(puzzle.goal, end) is True


def _compare_rest(
    rest: Rest,
    is_valid: Callable[[tuple[str, ...]], bool],
    later: dict[tuple[str, ...], Any],
    told: object,
) -> None:
    if rest.steps is None:
        assert not (rest.proven and later), (told, rest)
        return
    more = tuple(step.strip("()") for step in rest.steps)
    assert is_valid(more), (told, rest)
    least = min((cost for cost in later.values() if cost is not None), default=None)
    if rest.proven and least is not None and more in later:
        assert later[more] == least, (told, rest, least)


_STATES = [
    frozenset(atom for atom, holds in zip("pqr", bits, strict=True) if holds) for bits in product((0, 1), repeat=3)
]


def _constraints(seed: int) -> Iterator[str]:
    """Guard calls by constraints: what violates one, whatever states come, is denied, and nothing else that can be."""
    draw = Random(f"guarded constraints {seed}")
    model = constrained(draw.randrange(10**9), is_hard=draw.choice((True, None)))
    texts, reference = (model.domain, model.problem), Reference(model.domain, model.problem)
    names = tuple[str, ...]()
    try:
        guard = PlanGuard(texts, time_limit=2)
    except ModelError as error:
        assert "the initial state violates" in str(error), (texts, error)
        assert _is_dead(reference, model.states(())), (texts, error)
        yield outcome(True)
        return
    for _ in range(4):
        name = draw.choice(sorted(model.prices))
        can = model.is_sound((*names, name)) and not _is_dead(reference, model.states((*names, name)))
        decision = guard.before(name, {})
        told = (seed, texts, names, name, decision)
        assert decision.understood, told
        assert decision.allowed is can, told
        yield outcome(True)
        if decision.allowed:
            guard.after(decision, "done")
            names = (*names, name)
        elif draw.random() < 0.3:
            _compare_constrained(decision.repaired(30), model, names, told)
    has, _ = model.verdict(names)
    assert bool(guard.finish()) is not has, (seed, texts, names, guard.finish())


def _compare_constrained(rest: Rest | None, model: Constrained, names: tuple[str, ...], told: object) -> None:
    assert rest is not None, told
    later = {
        plan: model.verdict((*names, *plan))[1]
        for size in range(LONGEST + 1)
        for plan in product(model.prices, repeat=size)
        if model.verdict((*names, *plan))[0]
    }
    _compare_rest(rest, lambda more: model.verdict((*names, *more))[0], later, told)


def _is_dead(reference: Reference, worlds: list[World]) -> bool:
    """Return whether states violate a hard constraint whatever up to two states come, any of the facts whatsoever.

    Not of a constraint that every run violates, which is no fault of what happened.
    """
    hard = [part for name, parts in reference.constraints() if not name for part in parts]
    more = [[], *([each] for each in _STATES), *(list(pair) for pair in product(_STATES, repeat=2))]
    values = worlds[-1].values

    def keeps(part: Any, before: list[World]) -> bool:
        runs = ([*before, *(World({(fact,) for fact in facts}, values) for facts in states)] for states in more)
        return any(reference.keeps(part, [(Fraction(at), one) for at, one in enumerate(run)]) for run in runs if run)

    return any(not keeps(part, worlds) and keeps(part, []) for part in hard)


KINDS = (
    Kind(name="guards: numbers", against="all plans of a few steps", attack=_numbers, share=5),
    Kind(
        name="guards: constraints",
        against="a second executor, all states that may come, all short rests",
        attack=_constraints,
        share=5,
    ),
)
