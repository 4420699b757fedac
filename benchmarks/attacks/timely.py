"""Attacks on answers to "why not" in models with numbers and over time, by interpreters of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil
from random import Random
from typing import Any

from benchmarks.attacks.kind import Kind, outcome
from tests.support.random_numbers import Puzzle, after, pddl, solvable, text, truth
from tests.support.random_times import Action, Sample, nearer, quicker, sample
from tests.support.wish_oracle import Planning, Wish, about_states, drawn
from validator import check, prepare, tokenize
from validator.foils import Answer, why_not
from validator.foils.dialogue import ask, begin
from validator.foils.dialogue_table import rows
from validator.reading.plan import Plan, Step, Token
from validator.repair.diff import DiffAction

__all__ = ["KINDS"]

_SECONDS = 4.0

_MOST = 6_000
"""states, with what is remembered of the questions, that are looked at; a question with more is left out"""

_PLANS = 3_000
"""over time, that are tried"""


# --- numbers -----------------------------------------------------------------------------------------


def _of_numbers(seed: int) -> Iterator[str]:
    """Ask about a plan with numbers: of its steps, of facts, and of what it may cost."""
    draw, puzzle = Random(f"timely numbers {seed}"), solvable(seed)
    patterns: list[tuple[str, Callable[[Any], bool]]] = [(f"({name})", name.__eq__) for name in puzzle.actions]
    planning: Planning[str] = Planning(
        _hidden(puzzle.start), _moves(puzzle), lambda state: _is_true(puzzle.goal, state)
    )
    wishes = [_wish(draw, patterns) for _ in range(draw.choice((1, 1, 2)))]
    plan = Plan(parts=tuple(Step(name=name) for name in puzzle.plan))
    answer = why_not(prepare(*pddl(puzzle)), plan=plan, constraints=[wish.text for wish in wishes], time_limit=_SECONDS)
    best, told = planning.least(wishes, puzzle.plan, "cost", _MOST), (puzzle, [wish.text for wish in wishes], answer)
    if best == "too many states":
        return
    if not answer.possible:
        assert answer.possible is None or best == "none", (told, best)
        for conflict in answer.conflicts:
            part = [wish for wish, own in zip(wishes, answer.constraints, strict=False) if own in conflict]
            assert len(answer.constraints) != len(wishes) or planning.least(part, None, "cost", _MOST) in (
                "none",
                "too many states",
            ), (told, conflict)
        yield outcome(answer.possible is False)
        return
    assert isinstance(best, tuple), (told, best)
    for side in (answer.foil, None if answer.best is None else answer.best.plan):
        if side is not None:
            names = [_name(token) for token in side.steps]
            assert planning.keeps(names, wishes), (told, names)
    bounds = answer.cheapest
    assert bounds is None or bounds.lower <= best[0] <= (bounds.upper if bounds.upper is not None else best[0]), told
    if answer.best is not None and answer.best.proven:
        assert answer.best.plan.cost == best[0], (told, best)
        assert not answer.best.nearest or answer.best.edits == best[1], (told, best)
    if answer.foil is not None and answer.nearest:
        near = planning.least([wish for wish in wishes if wish.most is None], puzzle.plan, "edits", _MOST)
        assert isinstance(near, str) or answer.edits == near[1], (told, near)
    yield outcome(answer.nearest and answer.best is not None and answer.best.proven)


def _hidden(state: Any) -> Any:
    """Return a state without what was paid, which no condition reads."""
    return frozenset((name, it) for name, it in state.items() if name != "cost")


def _moves(puzzle: Puzzle) -> Callable[[Any], Iterator[tuple[str, Any, Fraction]]]:
    def moves(state: Any) -> Iterator[tuple[str, Any, Fraction]]:
        for name, action in puzzle.actions.items():
            end = after(action, {**dict(state), "cost": Fraction(0)})
            if end is not None:
                yield name, _hidden(end), end["cost"]

    return moves


def _is_true(condition: Any, state: Any) -> bool:
    return truth(condition, dict(state)) is True


def _wish(draw: Random, patterns: Sequence[tuple[str, Callable[[Any], bool]]]) -> Wish:
    if draw.random() < 0.15:
        most = draw.choice((0, 1, 2, 3))
        return Wish(f"within cost {most}", lambda n, line: 0, most=most)
    if draw.random() < 0.45:
        return drawn(draw, patterns)
    condition: Any = draw.choice((("atom", "p"), ("not", ("atom", "q")), ("or", ("atom", "p"), ("atom", "q"))))
    return about_states(draw, text(condition), lambda state: _is_true(condition, state))


def _name(token: Token) -> str:
    assert isinstance(token, Step)
    return token.name


# --- time --------------------------------------------------------------------------------------------


def _over_time(seed: int) -> Iterator[str]:
    """Ask in a dialogue about a plan over time: its steps, what must hold where they begin, windows of time."""
    draw, model = Random(f"timely {seed}"), sample(seed)
    if not any(action.durations for action in model.actions.values()) or not model.plan:
        return
    asked, keeps_to, changed = _question(draw, model)

    def keeps(plan: Sequence[Any]) -> bool:
        return keeps_to(plan) and all(_fits(model.actions[name], duration) for _, name, duration in plan)

    prepared = prepare(model.domain, model.problem)
    begun = begin(prepared, tokenize(model.text, prepared.vocabulary))
    dialogue, answer = ask(begun, prepared, [asked], time_limit=_SECONDS)
    told = (model, asked, answer)
    for row in rows(dialogue, prepared):
        if row.turn.cost is not None and row.turn.steps is not None:
            plan = "\n".join(row.turn.steps) or "; empty plan"
            steps = [_timed(token) for token in tokenize(plan, prepared.vocabulary).tokens]
            is_kept = check(changed.domain, changed.problem, plan, repair=False).determination and keeps(steps)
            assert row.met == (is_kept,), (told, row)
    if answer.possible is False:
        found = quicker(changed, None, 3, _PLANS, keeps)
        assert found is None, (told, found)
        yield outcome(True)
        return
    for side in (answer.foil, None if answer.best is None else answer.best.plan):
        if side is not None:
            plan = "\n".join(map(str, side.steps)) or "; empty plan"
            assert check(changed.domain, changed.problem, plan, repair=False).determination, (told, plan)
            assert keeps([_timed(token) for token in side.steps]), (told, plan)
    if answer.foil is not None and answer.nearest:
        found = nearer(changed, _changed(answer), _PLANS, keeps=keeps)
        assert found is None, (told, _changed(answer), found)
    if answer.cheapest is not None:
        found = quicker(changed, ceil(answer.cheapest.lower), 3, _PLANS, keeps)
        assert found is None, (told, found)
    yield outcome(answer.nearest)


def _fits(action: Action, duration: Any) -> bool:
    return action.durations is None or action.durations[0] <= duration <= action.durations[1]


def _question(draw: Random, model: Sample) -> tuple[str, Callable[[Sequence[Any]], bool], Sample]:
    """Return a question, which plans at times keep to it, and the model with what it asks of steps."""
    (a, b), number = (draw.choice(list(model.actions)) for _ in range(2)), draw.randint(0, 2)
    start = draw.randint(0, 3)
    end = start + draw.randint(1, 4)
    limit = draw.randint(1, 5)

    def begins(plan: Sequence[Any], name: str) -> list[Any]:
        return [time for time, other, _ in plan if other == name]

    def is_in(time: Any) -> bool:
        return (time > start or start == 0) and time < end

    fact = draw.choice("pqr")
    guarded = replace(model, actions={**model.actions, a: _guarded(model.actions[a], fact)})
    return draw.choice(
        (
            (f"must ({a})", lambda plan: bool(begins(plan, a)), model),
            (f"must not ({a})", lambda plan: not begins(plan, a), model),
            (f"at least {number} ({a})", lambda plan: len(begins(plan, a)) >= number, model),
            (f"at most {number} ({a})", lambda plan: len(begins(plan, a)) <= number, model),
            (
                f"({a}) before ({b})",
                lambda plan: all(min(begins(plan, a), default=99) < time for time in begins(plan, b)),
                model,
            ),
            (f"({a}) only if ({fact})", lambda plan: True, guarded),
            (f"({a}) from {start} to {end}", lambda plan: any(map(is_in, begins(plan, a))), model),
            (
                f"({a}) only from {start} to {end}",
                lambda plan: all(is_in(time) and is_in(time + length) for time, name, length in plan if name == a),
                model,
            ),
            (f"within cost {limit}", lambda plan: max((t + d for t, _, d in plan), default=0) <= limit, model),
        )
    )


def _guarded(action: Action, fact: str) -> Action:
    conditions = (*action.conditions, ("at start", ((fact, True),)))
    return Action(durations=action.durations, conditions=conditions, effects=action.effects)  # type: ignore[arg-type]


def _timed(token: Token) -> tuple[Fraction, str, Fraction]:
    assert isinstance(token, Step) and token.time is not None
    return token.time, token.name, token.duration or Fraction(0)


def _changed(answer: Answer) -> tuple[int, int]:
    """Return how many steps are dropped and inserted, and how many come at another time."""
    lines = [
        Counter(_name(diff.step) for diff in answer.changes if diff.diff_type is kind)
        for kind in (DiffAction.DELETE, DiffAction.ADD)
    ]
    moved = (lines[0] & lines[1]).total()
    return lines[0].total() + lines[1].total() - 2 * moved, moved


KINDS = (
    Kind(
        name="foils: numbers, facts, budgets",
        against="an interpreter of its own, all states",
        attack=_of_numbers,
        share=4,
    ),
    Kind(name="foils: time", against="all plans at whole times", attack=_over_time, share=4),
)
