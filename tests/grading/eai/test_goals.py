"""The goal language, and how far an execution satisfies a goal."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.errors import InputError
from validator.grading.eai.goals import Happening, Satisfaction, parse_goal, satisfaction


@pytest.mark.parametrize(
    ("text", "line", "column", "found"),
    [("ON(a.1) an OFF(a.1)", 1, 9, "'a'"), ("(ON(a.1)\n", 1, 9, "the end"), ("exists . (A())", 1, 8, "'.'")],
)
def test_what_is_no_goal_is_shown_with_its_place(text: str, line: int, column: int, found: str) -> None:
    with pytest.raises(InputError, match=f"not {found}") as caught:
        parse_goal(text)
    assert (caught.value.line, caught.value.column) == (line, column)


class Toys:
    """Three toys and a box; STATE is a state, INSIDE a relation, PUSH and SWAP are actions."""

    objects = ("ball_1", "ball_2", "car_3", "box_4")

    def kind(self, name: str) -> str:
        return name.partition("_")[0]

    def object(self, name: str) -> str | None:
        found = name.replace(".", "_")
        return found if found in self.objects else None

    def is_action(self, name: str, arity: int) -> bool:
        return (name, arity) in (("PUSH", 1), ("SWAP", 2))

    def predicate(self, name: str, arity: int) -> str | None:
        return {("STATE", 1): "state", ("INSIDE", 2): "inside"}.get((name, arity))


def judge(text: str, states: list[set[tuple[str, ...]]], actions: list[Happening]) -> Satisfaction:
    return satisfaction(parse_goal(text), Toys(), [frozenset(state) for state in states], actions)


PUSHED: list[Happening] = [("PUSH", ("ball_1",)), ("PUSH", ("car_3",))]
STATES: list[set[tuple[str, ...]]] = [
    set(),
    {("state", "ball_1")},
    {("state", "car_3"), ("inside", "ball_1", "box_4"), ("inside", "ball_2", "box_4")},
]


@pytest.mark.parametrize(
    ("text", "satisfied", "parts"),
    [
        ("STATE(car.3)", 1, 1),
        ("STATE(ball.1)", 0, 1),
        ("not STATE(ball.1)", 1, 1),
        ("STATE(ball.1) then STATE(car.3)", 2, 2),
        ("PUSH(ball.1) then PUSH(car.3)", 2, 2),
        ("PUSH(car.3) then PUSH(ball.1)", 1, 2),
        ("PUSH(ball.1) then PUSH(ball.1)", 1, 2),
        ("PUSH(car.3) then PUSH(ball.1) then STATE(car.3)", 2, 3),
        ("PUSH(car.3) and PUSH(ball.1)", 2, 2),
        ("SWAP(ball.1, car.3) or PUSH(car.3)", 1, 1),
        ("exists x. (PUSH(x)) then STATE(car.3)", 2, 2),
        ("exists x. (exists y. (SWAP(x, y))) then STATE(car.3)", 1, 2),
        ("exists x. (PUSH(x) and STATE(x))", 2, 2),
        ("exists x - ball. (STATE(x))", 0, 1),
        ("exists x - plane. (STATE(x))", 0, 1),
        ("forall x - ball. (INSIDE(x, box.4))", 2, 2),
        ("forall x. (STATE(x))", 1, 4),
        ("forall x - plane. (STATE(x))", 0, 0),
        ("forn 1. x. (STATE(x))", 1, 1),
        ("forn 2. x. (INSIDE(x, box.4))", 2, 2),
        ("forn 3. x. (INSIDE(x, box.4))", 2, 3),
        ("forn 5. x. (INSIDE(x, box.4))", 2, 5),
        ("forpairs a - ball. b - box. (INSIDE(a, b))", 3, 3),
        ("fornpairs 1. a - car. b - box. (INSIDE(a, b))", 0, 2),
        ("not (STATE(ball.1) or STATE(ball.2))", 2, 2),
        ("not exists x - ball. (STATE(x))", 2, 2),
        ("not PUSH(ball.2)", 1, 1),
        ("not PUSH(ball.1)", 0, 1),
        ("(STATE(ball.2) and STATE(ball.1) and STATE(car.3)) or (PUSH(ball.1) and STATE(ball.2))", 1, 2),
    ],
)
def test_how_far_a_goal_is_satisfied(text: str, satisfied: int, parts: int) -> None:
    found = judge(text, STATES, PUSHED)
    assert (found.satisfied, found.parts) == (satisfied, parts)


_NAMES = st.sampled_from(Toys.objects)


@pytest.mark.deep
@given(st.lists(_NAMES, min_size=1, max_size=3), st.lists(_NAMES, max_size=4), st.sets(_NAMES))
def test_a_simple_goal_counts_its_matched_prefix_and_its_final_states(
    wanted: list[str], pushed: list[str], final: set[str]
) -> None:
    """By the definition: the longest prefix that is a subsequence, found by trying all choices of places."""
    text = " then ".join(f"PUSH({name.replace('_', '.')})" for name in wanted)
    text += " then (" + " and ".join(f"STATE({name.replace('_', '.')})" for name in Toys.objects) + ")"
    places = range(len(pushed))
    longest = max(
        size
        for size in range(len(wanted) + 1)
        if any(
            list(chosen) == sorted(chosen) and [pushed[place] for place in chosen] == wanted[:size]
            for chosen in permutations(places, size)
        )
    )
    states: list[set[tuple[str, ...]]] = [set() for _ in pushed] + [{("state", name) for name in final}]
    found = judge(text, states, [("PUSH", (name,)) for name in pushed])
    assert (found.satisfied, found.parts) == (longest + len(final), len(wanted) + len(Toys.objects))
