"""Attacks on what is proven beside agents: guards, runs on models, plans under way, domains together with plans."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product

from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import KINDS as MODELS
from tests.support.edit_oracle import Oracle, random_case
from tests.support.policy_runs import (
    CALLS,
    RULES,
    RULES_OF_VALUES,
    TOOLS,
    fewest_edits_of_values,
    keeps,
    keeps_values,
)
from tests.support.runs_on_models import MODELS as WORLDS
from tests.support.runs_on_models import RULES as RULES_ON
from tests.support.runs_on_models import called, keeps_on, nearest_on, reaches
from validator import Report, check
from validator.checking.prepared import Prepared, prepare
from validator.checking.under_way.follow import Event, Follower
from validator.guard import PlanGuard, Rest
from validator.model.pddl import read_model
from validator.policies import conform
from validator.reading.plan import Plan, Step

__all__ = ["KINDS"]

Run = tuple[str, ...]

_LONGEST = 4
"""calls of the rests of runs that are tried"""


def _guarded(seed: int) -> Iterator[str]:
    """Let a guard deny a call, and compare what it says would be right with all short rests."""
    draw = random.Random(f"guard {seed}")
    policy = "\n".join(draw.sample(RULES, draw.randint(1, 3)))
    guard = PlanGuard(policy, time_limit=20)
    made, denied, rest = _denied(guard, draw, lambda name: {})
    if rest is None:
        return
    steps = None if rest.steps is None else tuple(step.strip("()") for step in rest.steps)
    told = (policy, made, denied, rest)

    def least(is_in: bool) -> int | None:
        return _least(lambda more: (denied in more or not is_in) and keeps(policy, (*made, *more)))

    assert steps is None or keeps(policy, (*made, *steps)), told
    if rest.proven:
        with_it, without = least(True), least(False)
        expected = with_it if with_it is not None or (steps and denied in steps) else without
        assert expected is None or (steps is not None and len(steps) == expected), (told, expected)
    yield outcome(rest.proven)


def _guarded_on(seed: int) -> Iterator[str]:
    """The same beside a model, on which the rest is executed too, to the goal where the call must not be made."""
    draw, number = random.Random(f"guard on a model {seed}"), seed % len(WORLDS)
    policy = "\n".join(draw.sample(RULES_ON, draw.randint(1, 2)))
    guard = PlanGuard(policy, WORLDS[number], time_limit=20)
    made, denied, rest = _denied(guard, draw, lambda name: dict(called(name, number).values))
    if rest is None:
        return
    steps = None if rest.steps is None else tuple(_tool(step) for step in rest.steps)
    told = (number, policy, made, denied, rest)

    def least(is_right: Callable[[Run], bool]) -> int | None:
        return _least(lambda more: is_right(more) and keeps_on(policy, (*made, *more), number))

    if steps is not None:
        assert keeps_on(policy, (*made, *steps), number), told
        assert denied in steps or reaches((*made, *steps), number), told
    if rest.proven:
        with_it = least(lambda more: denied in more)
        to_goal = least(lambda more: reaches((*made, *more), number))
        expected = with_it if with_it is not None or (steps and denied in steps) else to_goal
        assert expected is None or (steps is not None and len(steps) <= expected), (told, expected)
    yield outcome(rest.proven)


def _denied(
    guard: PlanGuard, draw: random.Random, arguments: Callable[[str], dict[str, object]]
) -> tuple[Run, str, Rest | None]:
    """Make calls until one is denied, and return those before it, that one, and what would be right."""
    made: list[str] = []
    while len(made) < _LONGEST:
        name = draw.choice(TOOLS)
        decision = guard.before(name, arguments(name))
        if not decision.allowed:
            return tuple(made), name, decision.repaired(60)
        guard.after(decision, "done")
        made.append(name)
    return tuple(made), "", None


def _tool(shown: str) -> str:
    """Return the tool of a call as it is shown: ``(a)``, ``q = b(p)`` or ``(b p=...)``."""
    return shown.rpartition("= ")[2].strip("()").partition("(")[0].partition(" ")[0]


def _least(is_right: Callable[[Run], bool]) -> int | None:
    """Return how many calls the shortest right rest has; None where it has more than are tried."""
    rests = (rest for size in range(_LONGEST + 1) for rest in product(TOOLS, repeat=size))
    return next((len(rest) for rest in rests if is_right(rest)), None)


def _runs_on(seed: int) -> Iterator[str]:
    """Repair a run that breaks rules or cannot be executed."""
    draw, number = random.Random(f"run on a model {seed}"), seed % len(WORLDS)
    policy = "\n".join(draw.sample(RULES_ON, draw.randint(1, 2)))
    run = tuple(draw.choice(TOOLS) for _ in range(draw.randint(0, 4)))
    calls = [{"name": name, "arguments": dict(called(name, number).values), "result": 1} for name in run]
    found = conform(policy, calls, model=WORLDS[number])
    assert found.kept is keeps_on(policy, run, number), (policy, run)
    repair = found.repair
    if repair is None:
        yield outcome(found.kept is not None)
        return
    most = 2 if repair.cost is None else min(repair.cost - 1, 2)
    assert repair.edits is None or keeps_on(policy, tuple(event.name for event in repair.run), number), (policy, run)
    assert not repair.proven or nearest_on(policy, run, number, most) is None, (policy, run, repair)
    yield outcome(repair.proven)


def _values(seed: int) -> Iterator[str]:
    """Repair a run that breaks rules about the arguments of its calls, and facts about these."""
    draw = random.Random(f"values {seed}")
    policy = "\n".join(draw.sample(RULES_OF_VALUES, draw.randint(1, 3)))
    run = tuple(draw.randrange(len(CALLS)) for _ in range(draw.randint(0, 3)))
    calls = [{"name": CALLS[each].name, "arguments": dict(CALLS[each].values), "result": 1} for each in run]
    found = conform(policy, calls)
    assert found.kept is keeps_values(policy, run), (policy, run)
    if found.repair is None:
        yield outcome(found.kept is not None)
        return
    most = 2 if found.repair.cost is None else min(found.repair.cost - 1, 2)
    nearer = fewest_edits_of_values(policy, run, most) if found.repair.proven else None
    assert nearer is None, (policy, calls, found.repair, nearer)
    yield outcome(found.repair.proven)


def _under_way(seed: int) -> Iterator[str]:
    """Follow a plan through steps and changes, and repair its rest where it fails."""
    draw = random.Random(f"under way {seed}")
    domain, problem, plan = random_case(MODELS[seed % 4], seed)
    prepared, policy = prepare(read_model(domain, problem)), draw.choice(("edits", "keep"))
    names = [name for name in prepared.model.domain.predicates if name != "d"]
    rest = [step for step in plan if step.strip("()") in prepared.model.domain.actions]

    def repair(here: Prepared, left: Plan) -> Report:
        return check(here, None, left, policy=policy, time_limit=20)

    follower = Follower(prepared, [Step(name=step.strip("()")) for step in rest], repair)
    event, now = follower.begin(), Oracle(domain, problem).init
    for _ in range(4):
        oracle = Oracle(domain, problem, now)
        yield _judged(oracle, event, rest, policy)
        rest, steps = [str(step) for step in event.rest], oracle.successors(now)
        if draw.random() < 0.6 and steps:
            planned = [each for each in steps if rest and str(each[0]) == rest[0]]
            step, now, _ = draw.choice(planned if planned and draw.random() < 0.5 else steps)
            rest = rest[1:] if rest and str(step) == rest[0] else rest
            event = follower.step(step)
        else:
            fact = (draw.choice(names),)
            event = follower.change(f"(not ({fact[0]}))" if fact in now else f"({fact[0]})")
            now = now ^ {fact}


def _judged(here: Oracle, event: Event, rest: Sequence[str], policy: str) -> str:
    expected, told = here.nearest(rest, "valid", policy, 1), (event, rest, policy)
    assert event.determination is (expected == (Fraction(0), Fraction(0))), (told, expected)
    if event.repaired:
        end = here.run(map(str, event.rest))
        assert end is not None and here.is_goal(end[0]) and expected is not None, told
        changed = event.distance if policy == "edits" else len(rest) - event.kept
        assert changed == expected[0] or (changed > expected[0] and not event.proven), (told, expected)
    elif event.determination is False:
        assert expected is None or not event.proven, (told, expected)
    return outcome(event.proven)


KINDS = (
    Kind(name="guards", against="all short rests of runs", attack=_guarded, share=5),
    Kind(name="guards: beside a model", against="all short rests of runs", attack=_guarded_on, share=5),
    Kind(name="rules: repair, on a model", against="all runs, nearest first", attack=_runs_on, share=3),
    Kind(name="rules: repair, with arguments", against="all runs, nearest first", attack=_values, share=3),
    Kind(name="plans under way", against="Dijkstra over states and places of the plan", attack=_under_way, share=8),
)
