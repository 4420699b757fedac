"""Attacks on answers about users' own plans of flows: the nearest plan, the cheapest one, what is in the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from benchmarks.attacks.asked import compare_prices, is_in, patterns_of, some_states, wished
from benchmarks.attacks.kind import Kind, outcome
from tests.support.flow_attack import flow_with_goals, move_of, walk_with_faults
from tests.support.flow_interpreter import Interpreter, Move, line
from tests.support.wish_oracle import Planning, Wish
from validator.flow.model import Flow
from validator.foils import Answer, why_not
from validator.foils.changes import Goal
from validator.foils.flows import flow_model
from validator.reading.plan import Constraint, Step
from validator.repair.diff import DiffAction, StepDiff

__all__ = ["KINDS"]

_MOST = 3_000
"""states, with what is remembered of the wishes, that are looked at; a question with more is left out"""

_ENOUGH = 60.0
"""seconds in which every question is answered; with fewer, an answer may be open"""

_UNKNOWN, _UNREAD = ("fly(a, b)",), ("map(a",)
"""lines of a tool that the flow has not, and of none that can be read"""


def _own_foils(seed: int) -> Iterator[str]:
    """Ask why a flow's plan is not the user's own, which may have faults, alone or together with questions."""
    draw = Random(f"own foils {seed}")
    flow = flow_with_goals(draw)
    own = Interpreter(flow)
    foil = walk_with_faults(own, draw)
    plan = walk_with_faults(own, draw) if draw.random() < 0.5 else []
    if draw.random() < 0.15:
        foil.insert(draw.randint(0, len(foil)), draw.choice((_UNKNOWN, _UNKNOWN, _UNREAD)))
    if not foil:
        return
    model = flow_model(flow, *(_text(flow, moves) for moves in (foil, plan) if moves))
    planning: Planning[Any] = Planning(own.start, own.moves, own.is_goal)
    moves = sorted({move for state in some_states(own) for move, _, _ in own.moves(state)})
    patterns = [pair for move in moves for pair in patterns_of(flow, move, draw)]
    wishes = [wished(draw, planning, patterns) for _ in range(draw.choice((0, 0, 1, 1, 2)) if patterns else 0)]
    seconds = _ENOUGH if draw.random() < 0.8 else 10 ** draw.uniform(-2, 0)
    answer = why_not(
        model.prepared,
        model.plans[0],
        plan=model.plans[1] if plan else None,
        constraints=[wish.text for wish in wishes],
        view=model.view,
        time_limit=seconds,
    )
    told = (flow, foil, plan, [wish.text for wish in wishes], answer)
    if _UNREAD in foil:
        assert answer.possible is None and not answer.facts and "not understood" in answer.reason, told
        yield outcome(False)
        return
    best = planning.least(wishes, foil, "cost", _MOST)
    if best == "too many states":
        yield outcome(False)
        return
    assert answer.has_own_foil, told
    assert "The foil is not valid." not in answer.facts or not planning.keeps(foil, ()), told
    if answer.possible is None:
        assert seconds < _ENOUGH, told
        yield outcome(False)
        return
    _compare_facts(planning, foil, wishes, answer, told)
    assert answer.possible is (best != "none"), (told, best)
    if isinstance(best, str):
        _compare_sets(planning, wishes, answer, told)
        yield outcome(answer.all_conflicts)
        return
    yield _compare_foils(planning, foil, plan, wishes, answer, best, told)


def _text(flow: Flow, moves: Sequence[Move]) -> str:
    return "\n".join(move[0] if move in (_UNKNOWN, _UNREAD) else line(flow, move) for move in moves)


def _compare_facts(
    planning: Planning[Any], foil: Sequence[Move], wishes: Sequence[Wish], answer: Answer, told: object
) -> None:
    """Compare what is said of the foil as it stands, and what the plans cost that are shown beside it."""
    assert ("The foil is not valid." in answer.facts) is not planning.keeps(foil, ()), told
    if len(answer.constraints) == len(wishes) and planning.run(foil) is not None:
        for wish, constraint in zip(wishes, answer.constraints, strict=True):
            is_kept = wish.most is not None or planning.follows(foil, wish)
            assert (f"The foil does not keep to this: {constraint}." in answer.facts) is not is_kept, (told, wish.text)
    if answer.plan is not None and answer.plan.cost is not None:
        steps = list(map(move_of, answer.plan.steps))
        end = planning.run(steps)
        assert planning.keeps(steps, ()) and end is not None and end[1] == answer.plan.cost, (told, end)
    least = planning.least((), None, "cost", _MOST)
    assert isinstance(least, str) or is_in(answer.optimum, least[0]), (told, least)


def _compare_foils(
    planning: Planning[Any],
    foil: Sequence[Move],
    plan: Sequence[Move],
    wishes: Sequence[Wish],
    answer: Answer,
    best: tuple[Fraction | int, int],
    told: object,
) -> str:
    """Compare the plan nearest to the foil and the cheapest one, with the diffs that lead to them."""
    assert is_in(answer.cheapest, best[0]), (told, best)
    sides = [] if answer.foil is None else [(answer.foil, answer.changes, answer.diff)]
    sides += [] if answer.best is None else [(answer.best.plan, answer.best.changes, answer.best.diff)]
    for side, changes, diff in sides:
        steps = list(map(move_of, side.steps))
        assert planning.keeps(steps, wishes), (told, steps)
        end = planning.run(steps)
        assert end is not None and end[1] == side.cost, (told, end)
        assert _sides_of(changes) == (list(foil), steps), (told, changes)
        if plan:
            assert _sides_of(diff) == (list(plan), steps), (told, diff)
    if answer.best is not None and answer.best.proven:
        assert answer.best.plan.cost == best[0], (told, best)
        assert not answer.best.nearest or answer.best.edits == best[1], (told, best)
    near = planning.least([wish for wish in wishes if wish.most is None], foil, "edits", _MOST)
    if answer.foil is not None and isinstance(near, tuple):
        # A budget may leave only dearer changes: what is proven nearest is nearest of all, or is not said to be.
        assert answer.edits == near[1] or (answer.edits > near[1] and not answer.nearest), (told, near)
    compare_prices(planning, wishes, answer, told)
    is_settled = answer.foil is not None and answer.nearest
    if wishes:
        is_settled = is_settled and answer.best is not None and answer.best.proven and answer.best.nearest
    return outcome(is_settled)


def _sides_of(changes: Sequence[StepDiff]) -> tuple[list[Move], list[Move]]:
    """Return the plans on both sides of a diff."""
    old = [each.step for each in changes if each.diff_type is not DiffAction.ADD]
    new = [each.step for each in changes if each.diff_type is not DiffAction.DELETE]
    return list(map(_move, old)), list(map(_move, new))


def _move(token: object) -> Move:
    return move_of(token) if isinstance(token, Step | Constraint) else _UNKNOWN


def _compare_sets(planning: Planning[Any], wishes: Sequence[Wish], answer: Answer, told: object) -> None:
    """Compare the conflicts of questions about a flow; with a budget those that all goals or none belong to."""
    free = [wish for wish in wishes if wish.most is None]
    fixed = [wish for wish in wishes if wish.most is not None]
    if len(answer.constraints) != len(wishes):
        return
    asked = [own for own, wish in zip(answer.constraints, wishes, strict=True) if wish.most is None]
    anywhere: Planning[Any] = Planning(planning.start, planning.moves, lambda state: True)
    goals = {each for part in (*answer.conflicts, *answer.fitting) for each in part if isinstance(each, Goal)}
    for sets, is_possible in ((answer.conflicts, False), (answer.fitting, True)):
        for some in sets:
            part = [wish for wish, constraint in zip(free, asked, strict=True) if constraint in some]
            of_goals = goals.intersection(some)
            if fixed and of_goals and of_goals != goals:
                continue
            on = planning if of_goals or not fixed else anywhere
            least = on.least([*part, *fixed], None, "cost", _MOST)
            assert least == "too many states" or (least != "none") is is_possible, (told, some)


KINDS = (
    Kind(
        name="foils: flows, users' own plans",
        against="a second executor, all states, with what is remembered of each question",
        attack=_own_foils,
        share=3,
    ),
)
