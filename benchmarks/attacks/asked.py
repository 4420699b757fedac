"""Attacks on answers to "why not" about flows, and on dialogues: questions that add up and are dropped."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

from benchmarks.attacks.classical import text_of
from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, Oracle, random_case
from tests.support.edit_oracle import KINDS as MODELS
from tests.support.flow_attack import flow_with_goals, move_of, walk_with_faults
from tests.support.flow_interpreter import Interpreter, line
from tests.support.wish_oracle import Planning, Wish, drawn
from validator import prepare
from validator.checking.report import Interval
from validator.foils import Answer, WithinCost
from validator.foils.dialogue import Dialogue, Subject, ask, begin, from_value, to_value
from validator.foils.dialogue_table import rows
from validator.foils.flows import flow_subject
from validator.reading.plan import Step, Token

__all__ = ["KINDS", "compare_prices", "is_in", "patterns_of", "some_states", "wished"]

_MOST = 3_000
"""states, with what is remembered of the wishes, that are looked at; a question with more is left out"""

_TURNS = 3

Lines = list[Hashable]


def _about_flows(seed: int) -> Iterator[str]:
    """Ask about a walk through a flow that may have faults, or about a cheapest one."""
    draw = Random(f"asked of flows {seed}")
    flow = flow_with_goals(draw)
    own = Interpreter(flow)
    plan = walk_with_faults(own, draw) if draw.random() < 0.8 else None
    lines = [line(flow, move) for move in plan or ()]

    def subject(dialogue: Dialogue | None) -> Subject:
        return flow_subject(flow, dialogue, None if dialogue is not None or plan is None else "\n".join(lines))

    moves = sorted({move for state in some_states(own) for move, _, _ in own.moves(state)})
    patterns = [(text, matches) for move in moves for text, matches in patterns_of(flow, move, draw)]
    if not patterns or (plan is not None and not plan):
        return
    planning: Planning[Any] = Planning(own.start, own.moves, own.is_goal)
    yield from _talk(draw, subject, planning, plan, patterns, move_of, lines)


def some_states(own: Interpreter) -> list[Any]:
    found = [own.start]
    for state in found:
        found += [after for _, after, _ in own.moves(state) if after not in found][: 20 - len(found)]
    return found


def patterns_of(flow: Any, move: tuple[str, ...], draw: Random) -> Iterator[tuple[str, Callable[[Any], bool]]]:
    """Yield how steps like a move may be spoken of; what is asserted is no step, and several are not asked at once."""
    kind, *rest = move
    if kind == "assert" or (kind == "ask" and len(rest) > 1):
        return
    if kind == "call":
        inputs = dict.fromkeys(entry.item for entry in flow.by_name[rest[0]].inputs)
        args = ["_" if draw.random() < 0.5 else item for item in inputs]
        yield f"({' '.join((rest[0], *args))})", lambda other: other == move
        return
    args = ["_" if draw.random() < 0.3 else item for item in rest]

    def matches(other: tuple[str, ...]) -> bool:
        is_like = other[0] == kind and len(other) == len(move)
        return is_like and all(arg in ("_", item) for arg, item in zip(args, other[1:], strict=True))

    yield f"({' '.join((kind, *args))})", matches


def _about_models(seed: int) -> Iterator[str]:
    """Ask about a plan of a classical model, of whatever kind."""
    draw = Random(f"asked of models {seed}")
    domain, problem, plan = random_case(MODELS[seed % 4], seed, (CHEAP, DEAR)[seed // 4 % 2])
    oracle = Oracle(domain, problem)
    names = [step.name for step in oracle.steps]
    given = [each for each in (step.strip("()") for step in plan) if each in names] if draw.random() < 0.8 else None
    patterns: list[tuple[str, Callable[[Any], bool]]] = []
    for _ in range(6):
        some = frozenset(draw.sample(names, draw.choice((1, 1, 2))))
        patterns.append((" or ".join(f"({name})" for name in sorted(some)), some.__contains__))
    planning: Planning[Any] = Planning(
        oracle.init,
        lambda state: [(step.name, after, cost) for step, after, cost in oracle.successors(state)],
        oracle.is_goal,
    )
    subject = Subject(prepared=prepare(domain, problem), model=f"{seed}")
    if given is not None and not given:
        return
    yield from _talk(
        draw, lambda dialogue: subject, planning, given, patterns, _name, text_of(given or []).splitlines()
    )


def _name(token: Token) -> str:
    assert isinstance(token, Step)
    return token.name


# --- the dialogue ------------------------------------------------------------------------------------


def _talk(
    draw: Random,
    about: Callable[[Dialogue | None], Subject],
    planning: Planning[Any],
    plan: Lines | None,
    patterns: Sequence[tuple[str, Callable[[Any], bool]]],
    read: Callable[[Token], Hashable],
    lines: Sequence[str],
) -> Iterator[str]:
    """Add and drop questions, and compare every answer, and at the end the table of the plans."""
    dialogue, asked = begin(about(None), None if plan is None else lines), dict[str, Wish]()
    found: list[Lines | None] = []
    for _ in range(_TURNS):
        new = [wished(draw, planning, patterns) for _ in range(draw.choice((0, 1, 1, 2)))]
        asked = {**{wish.text: wish for wish in new}, **asked}
        dropped = [number for number in dialogue.active if draw.random() < 0.3]
        if not (new or set(dialogue.active) - set(dropped)):
            continue
        seconds = 60.0 if draw.random() < 0.8 else 10 ** draw.uniform(-2, 0)
        had = dialogue.plan
        dialogue, answer = ask(dialogue, about(dialogue), [wish.text for wish in new], dropped, time_limit=seconds)
        assert from_value(json.loads(json.dumps(to_value(dialogue)))) == dialogue
        wishes = [asked[dialogue.questions[number - 1]] for number in dialogue.active]
        if had is None and answer.plan is not None:
            plan = [read(token) for token in answer.plan.steps]
            _compare_first(planning, plan, answer)
        yield _compared(planning, wishes, plan, answer, read, is_limited=seconds < 60)
        side = answer.foil if answer.best is None else answer.best.plan
        found.append(None if side is None else [read(token) for token in side.steps])
    if plan is not None and dialogue.turns:
        every = [asked[text] for text in dialogue.questions]
        for own, row in zip([plan, *found], rows(dialogue, about(dialogue)), strict=True):
            _compare_row(planning, every, own, row.met, (own, row))


def wished(draw: Random, planning: Planning[Any], patterns: Sequence[tuple[str, Callable[[Any], bool]]]) -> Wish:
    if draw.random() > 0.15:
        return drawn(draw, patterns)
    least = planning.least((), None, "cost", _MOST)
    base = least[0] if isinstance(least, tuple) else Fraction(10)
    most = Fraction(round(float(base) * draw.choice((0.9, 1, 1.2, 2)), 2)).limit_denominator(100)
    return Wish(f"within cost {float(most):.2f}", lambda n, line: 0, most=Fraction(f"{float(most):.2f}"))


def _compare_first(planning: Planning[Any], plan: Lines, answer: Answer) -> None:
    """Compare the plan that a dialogue found by itself."""
    assert planning.keeps(plan, ()), plan
    least = planning.least((), None, "cost", _MOST)
    if isinstance(least, tuple):
        assert is_in(answer.optimum, least[0]), (answer.optimum, least)


def is_in(bounds: Interval | None, cost: Fraction | int) -> bool:
    return bounds is None or (bounds.lower <= cost and (bounds.upper is None or cost <= bounds.upper))


def _compared(
    planning: Planning[Any],
    wishes: Sequence[Wish],
    plan: Lines | None,
    answer: Answer,
    read: Callable[[Token], Hashable],
    *,
    is_limited: bool,
) -> str:
    told = (plan, [wish.text for wish in wishes], answer)
    best = planning.least(wishes, plan, "cost", _MOST)
    if best == "too many states":
        return outcome(False)
    if answer.possible is None:
        assert is_limited, told
        return outcome(False)
    assert answer.possible is (best != "none"), (told, best)
    if isinstance(best, str):
        _compare_conflicts(planning, wishes, answer, told)
        return outcome(True)
    assert is_in(answer.cheapest, best[0]), (told, best)
    for side in (answer.foil, None if answer.best is None else answer.best.plan):
        if side is not None:
            steps = [read(token) for token in side.steps]
            assert planning.keeps(steps, wishes), (told, steps)
            end = planning.run(steps)
            assert end is not None and end[1] == side.cost, (told, end)
    if answer.best is not None and answer.best.proven:
        assert answer.best.plan.cost == best[0], (told, best)
        if answer.best.nearest and plan is not None:
            assert answer.best.edits == best[1], (told, best)
    if answer.foil is not None and answer.nearest and plan is not None:
        near = planning.least([wish for wish in wishes if wish.most is None], plan, "edits", _MOST)
        if isinstance(near, tuple):
            # A budget may leave only dearer changes: what is proven nearest is nearest of all, or is not said to be.
            assert answer.edits == near[1], (told, near)
    compare_prices(planning, wishes, answer, told)
    is_settled = answer.best is not None and answer.best.proven and answer.best.nearest and answer.nearest
    return outcome(is_settled)


def compare_prices(planning: Planning[Any], wishes: Sequence[Wish], answer: Answer, told: object) -> None:
    """Compare what each question costs; a budget is no wish there."""
    free = [wish for wish in wishes if wish.most is None]
    for price in answer.prices:
        if isinstance(price.constraint, WithinCost):
            continue
        others, own = [], []
        for wish, constraint in zip(wishes, answer.constraints, strict=True):
            (own if constraint == price.constraint else others).append(wish)
        for bounds, some in ((price.alone, own), (price.without, others)):
            least = planning.least([wish for wish in some if wish in free], None, "cost", _MOST)
            assert least == "too many states" or (isinstance(least, tuple) and is_in(bounds, least[0])), (told, price)


def _compare_conflicts(planning: Planning[Any], wishes: Sequence[Wish], answer: Answer, told: object) -> None:
    if any(wish.most is not None for wish in wishes) or len(answer.constraints) != len(wishes):
        return  # goals are wishes then
    for sets, is_possible in ((answer.conflicts, False), (answer.fitting, True)):
        for some in sets:
            part = [wish for wish, asked in zip(wishes, answer.constraints, strict=True) if asked in some]
            least = planning.least(part, None, "cost", _MOST)
            assert least == "too many states" or (least != "none") is is_possible, (told, some)
    if answer.all_conflicts:
        for size in range(len(wishes) + 1):
            for chosen in combinations(range(len(wishes)), size):
                least = planning.least([wishes[number] for number in chosen], None, "cost", _MOST)
                if least == "none":
                    asked = {answer.constraints[number] for number in chosen}
                    assert any(asked.issuperset(conflict) for conflict in answer.conflicts), (told, chosen)


def _compare_row(
    planning: Planning[Any], wishes: Sequence[Wish], steps: Lines | None, met: Sequence[bool | None], told: object
) -> None:
    """Compare which of all questions a plan keeps to, where it can be executed."""
    if steps is None or not planning.keeps(steps, ()):
        return
    for wish, said in zip(wishes, met, strict=True):
        assert said is planning.keeps(steps, [wish]), (told, wish.text)


_EVERY = "all states, with what is remembered of each question"

KINDS = (
    Kind(name="foils: flows", against=f"a second executor, {_EVERY}", attack=_about_flows, share=6),
    Kind(name="foils: dialogues", against=f"Dijkstra over {_EVERY}", attack=_about_models, share=6),
)
