"""Plans and policies of random models with several outcomes: as all runs have it, followed by brute force."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any, TypeAlias

import pytest

from tests.support.laws import law
from tests.support.outcome_oracle import (
    FACTS,
    Case,
    Literals,
    State,
    holds,
    random_case,
    random_plan,
    random_table,
    shown,
    texts,
)
from validator import check

Table: TypeAlias = list[tuple[Literals, str]]
STATES = [frozenset(atom for place, atom in enumerate(FACTS) if n >> place & 1) for n in range(1 << len(FACTS))]


def printed(table: Table) -> str:
    """Return a table as Paladinus prints it."""
    lines = (f"If holds: {texts(when).replace(') (', '), (')}\nExecute: {act}\n\n" for when, act in table)
    return "".join(lines) or "If holds: (p), (not (p))\nExecute: act0\n"


def act_of(table: Table, state: State) -> str | None:
    return next((act for when, act in table if holds(when, state)), None)


def end_of(case: Case, run: dict[str, Any]) -> tuple[State, list[str]]:
    """Execute a reported run once more and return its last state, and its steps; each must be possible."""
    values = {shown(atom): atom for atom in FACTS}
    state = frozenset(case.init | {values[text] for text in run["initial"] if not text.startswith("(not ")})
    assert state in case.starts()
    steps = []
    for step in run["steps"]:
        steps.append(step["step"].strip("()"))
        following = (state - {values[text] for text in step["deleted"]}) | {values[text] for text in step["added"]}
        assert following in case.after(steps[-1], state)
        state = following
    return state, steps


@law(250, quick=40)
@pytest.mark.parametrize("part", range(4))
def test_a_plan_is_right_in_all_runs_in_some_or_in_none(part: int, seed: int) -> None:
    draw = Random(f"plan {part} {seed}")
    case = random_case(draw)
    plan = random_plan(draw, case)
    report = check(case.domain(), case.problem(), "".join(f"({act})\n" for act in plan) or ";\n", repair=False)
    if not case.starts():
        assert report.determination is None
        return
    right, wrong = case.sequence(plan)
    assert report.determination is (right == "all"), (case, plan, report)
    outcomes = report.to_json()["outcomes"]
    if outcomes is None:  # nothing that the plan uses is open
        return
    assert isinstance(outcomes, dict) and outcomes["right"] == right, (case, plan, report)
    if wrong is not None:
        state, steps = end_of(case, outcomes["failing"])
        assert len(steps) == wrong and steps == plan[:wrong], (case, plan, report)
        assert not (case.after(plan[wrong], state) if wrong < len(plan) else case.is_goal(state))
    if right == "some":
        state, steps = end_of(case, outcomes["reaching"])
        assert steps == plan and case.is_goal(state)


def judged(case: Case, table: Table) -> str:
    """Check a policy, execute the run that shows what is wrong, and return what the policy is."""
    report = check(case.domain(), case.problem(), printed(table), repair=False)
    expected = case.policy(lambda state: act_of(table, state))
    outcomes = report.to_json()["outcomes"]
    assert isinstance(outcomes, dict) and outcomes["right"] == expected, (case, table, report)
    assert report.determination is expected.startswith("strong")
    if not expected.startswith("strong"):
        state, _ = end_of(case, outcomes["failing"])
        act = act_of(table, state)
        assert not case.is_goal(state)
        is_stuck = act is None or not case.after(act, state)
        assert is_stuck or case.policy(lambda state: act_of(table, state), {state}) == "none", (case, table, report)
    return expected


def mutated(draw: Random, case: Case, table: Table) -> Table:
    """Return a table without an entry, or with another action, or with another state."""
    place = draw.randrange(len(table))
    when, act = table[place]
    changed = [(when, draw.choice(list(case.acts))), ([(atom, draw.random() < 0.5) for atom, _ in when], act)]
    return [*table[:place], *draw.choice(([], changed[:1], changed[1:])), *table[place + 1 :]]


@law(125, quick=30)
@pytest.mark.parametrize("part", range(4))
def test_a_policy_is_what_the_fixpoint_says_and_a_mutated_one_too(part: int, seed: int) -> None:
    draw = Random(f"policy {part} {seed}")
    case = random_case(draw)
    if not case.starts():
        return
    table = random_table(draw, case)
    judged(case, table)
    for _ in range(3 if table else 0):
        table = mutated(draw, case, table)
        judged(case, table)
        if not table:
            return


def edits(case: Case, table: Table) -> Iterator[tuple[object, Table, Table]]:
    """Yield single edits: what is changed, the changed table, and the entries that come first."""
    for place, (when, act) in enumerate(table):
        yield place, [*table[:place], ([(("p",), True), (("p",), False)], act), *table[place + 1 :]], []
        for other in case.acts:
            if other != act:
                yield place, [*table[:place], (when, other), *table[place + 1 :]], []
    for state in STATES:
        for act in case.acts:
            yield state, table, [([(atom, atom in state) for atom in FACTS], act)]


def fewest(case: Case, table: Table, most: int) -> int | None:
    """Return the fewest edits that make a table right, by trying all."""
    known = list(edits(case, table))
    for number in range(most + 1):
        for chosen in combinations(known, number):
            if len({target if isinstance(target, int) else tuple(sorted(target)) for target, _, _ in chosen}) < number:  # type: ignore[call-overload]
                continue
            first = [entry for _, _, entries in chosen for entry in entries]
            rest = [
                next((new[place] for target, new, _ in chosen if target == place), entry)
                for place, entry in enumerate(table)
            ]
            if case.policy(lambda state, rows=[*first, *rest]: act_of(rows, state)).startswith("strong"):  # type: ignore[misc]
                return number
    return None


def applied(table: Table, lines: list[str]) -> Table:
    """Return a table with edits as they are reported."""
    first, rest = [], dict(enumerate(table))
    removed = None
    for line in lines:
        said, act = line[1:].rsplit(": ", 1)
        if line[0] == "-":
            removed = next(n for n, (when, old) in rest.items() if same(said, when) and f"({old})" == act)
            del rest[removed]
        elif said.endswith(", nothing else"):
            first.append(([(atom, shown(atom) in said) for atom in FACTS], act.strip("()")))
        else:
            assert removed is not None and same(said, table[removed][0])
            rest[removed] = table[removed][0], act.strip("()")
    return [*first, *(rest[number] for number in sorted(rest))]


def same(said: str, when: Literals) -> bool:
    ordered = [*sorted(pair for pair in when if pair[1]), *sorted(pair for pair in when if not pair[1])]
    return said == (texts(ordered) or "always")


@law(60, quick=10)
def test_the_fewest_edits_of_a_table_are_those_of_brute_force(seed: int) -> None:
    draw = Random(f"edits {seed}")
    case = random_case(draw, 3)
    if not case.starts():
        return
    table = random_table(draw, case)[:4]
    table = [(draw.sample(when, draw.choice((1, 2, 5))), act) for when, act in table]
    table = mutated(draw, case, table) if table else table
    least = fewest(case, table, 2 if len(table) < 3 else 1)
    if least is None:
        return
    report = check(case.domain(), case.problem(), printed(table), time_limit=600)
    assert report.outcomes is not None
    if least == 0:
        assert report.determination is True
        return
    found = report.outcomes.edits
    assert found is not None and found.lines is not None and found.proven and found.least == least, (
        case,
        table,
        report,
    )
    rows = applied(table, list(found.lines))
    assert case.policy(lambda state: act_of(rows, state)).startswith("strong"), (case, table, report)
