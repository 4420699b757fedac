"""Rules about calls, and guards by rules, plans, models and flows, beside their definitions and all short runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pytest
from hypothesis import assume

from tests.support.edit_oracle import Oracle, State
from tests.support.laws import Case, case_of, law, text_of
from tests.support.naive_reference import distance
from tests.support.random_nonclassical import flowing, timed
from tests.support.rule_oracle import (
    Call,
    Holds,
    Meant,
    Policy,
    Tools,
    calls_of,
    can_go_on,
    fewest_edits,
    is_kept,
    random_rules,
)
from validator import ModelError, PlanGuard, conform, prepare
from validator.guard import Rest
from validator.policies import Conformance

TOOLS: Tools = {"pay": ("x",), "push": ("x", "y"), "calm": (), "drop": ("y",)}
WORDS = (("v", "w", "other"), ("2", "3", "9"))
"""values of arguments, texts or numbers, the last of which no rule names"""
FACTS = (("calm", 0), ("on", 1), ("at", 2), ("near", 2), ("open", 1), ("d0", 1))


@dataclass(frozen=True)
class World:
    """A model, its tools, and rules about them and its facts."""

    case: Case
    tools: Tools
    rules: Policy

    @property
    def oracle(self) -> Oracle:
        return self.case.oracle

    def call(self, line: object) -> Call:
        name, *args = str(line).strip("()").split()
        return Call(name, tuple(zip(self.tools[name], args, strict=True)))

    def after(self, state: State, call: Call) -> State | None:
        return next((after for step, after, _ in self.oracle.successors(state) if str(step) == line_of(call)), None)

    def views(self, states: Sequence[State]) -> list[Holds]:
        return [lambda fact, state=state: self.oracle.has(list(fact), state) for state in states]  # type: ignore[misc]

    def is_kept(self, run: Sequence[Call]) -> bool:
        """Return whether a run can be executed from the initial state and keeps all rules."""
        states = [self.oracle.init]
        for call in run:
            after = self.after(states[-1], call)
            if after is None:
                return False
            states.append(after)
        return is_kept(self.rules, run, self.views(states))


def line_of(call: Call) -> str:
    return f"({' '.join((call.name, *(value for _, value in call.args)))})"


def world_of(seed: int) -> World:
    case = case_of(seed, "s")
    model = prepare(*case.texts).model
    tools = {
        name: tuple(one.name.lstrip("?") for one in action.parameters) for name, action in model.domain.actions.items()
    }
    facts = sorted((name, arity) for name, arity in FACTS if name in model.domain.predicates)
    rules = random_rules(case.draw, tools, sorted(model.problem.objects), facts, 2)
    assume("own" not in rules.text() or rules.changes)
    return World(case, tools, rules)


def value_of(call: Call) -> dict[str, object]:
    given = {path: int(value) if value.isdigit() else value for path, value in call.args}
    return {"name": call.name, "arguments": given, **({"error": "no"} if call.failed else {"result": 1})}


# --- runs ------------------------------------------------------------------------------------------


@law(8, quick=8)
def test_rules_are_kept_and_runs_mended_as_the_definitions_say(seed: int) -> None:
    """Some with hardly any time. What compares texts with numbers is left out: whether they are kept is not known."""
    draw = Random(f"ruled {seed}")
    *words, another = draw.choice(WORDS)
    rules, every = random_rules(draw, TOOLS, words, ()), calls_of(TOOLS, words)
    assume("own" not in rules.text() or rules.changes)
    run = tuple(draw.choice(every) for _ in range(draw.randint(0, 4)))
    if "exactly" not in rules.text():  # of these it is not said whether what failed is something else that was called
        run = tuple(Call(each.name, each.args, draw.random() < 0.15) for each in run)
    others = [Call(one.name, tuple((path, another) for path, _ in one.args)) for one in (*every, Call("z"))]
    seconds = 60.0 if draw.random() < 0.75 else 10 ** draw.uniform(-3, -1)
    found = conform(rules.text(), list(map(value_of, run)), time_limit=seconds)
    told, true = (rules.text(), run, seconds, found), is_kept(rules, run)
    assert found.kept is true or (found.kept is None and seconds < 60), told
    compare_mended(found, run, [*every, *dict.fromkeys(others)], lambda each: is_kept(rules, each), told)


@law(4, quick=2)
def test_rules_about_facts_of_a_model_are_kept_and_runs_mended_by_execution(seed: int) -> None:
    world = world_of(seed)
    draw, run = world.case.draw, tuple(map(world.call, world.case.walk(3)[:4]))
    seconds = 60.0 if draw.random() < 0.75 else 10 ** draw.uniform(-3, -1)
    found = conform(world.rules.text(), list(map(value_of, run)), model=world.case.texts, time_limit=seconds)
    told = (world.case.texts, world.rules.text(), run, seconds, found)
    assert found.kept is world.is_kept(run) or (found.kept is None and seconds < 60), told
    every = list(map(world.call, world.oracle.steps))
    if len(every) <= 20:
        compare_mended(found, run, every, world.is_kept, told)


def compare_mended(
    found: Conformance, run: tuple[Call, ...], every: Sequence[Call], is_right: Callable[[Any], bool], told: object
) -> None:
    """Compare a mended run with all runs of two edits."""
    repair, calls = found.repair, list[Call]()
    if repair is None:
        return
    for edit in repair.edits or ():
        values = {path: str(value) for path, value in edit.event.values.items()}
        like = next(
            (one for one in every if one.name == edit.event.name and {p for p, _ in one.args} == set(values)), None
        )
        if edit.kind != "drop" and like is not None:
            calls.append(Call(like.name, tuple((path, values[path]) for path, _ in like.args), edit.event.failed))
    if repair.edits is not None and len(calls) == sum(edit.kind != "drop" for edit in repair.edits):
        assert is_right(tuple(calls)), (told, calls)  # else arguments of an added call are told only in part
    if repair.proven:
        assert fewest_edits(run, every, is_right, min(2, (repair.cost or 99) - 1)) is None, told


# --- guards ----------------------------------------------------------------------------------------


@dataclass
class Guarded:
    """A guarded run as looking at everything sees it: what was called, and the state before each call and now."""

    world: World
    plan: tuple[Call, ...] | None
    free: tuple[str, ...]
    """tools that change nothing to the plan"""
    calls: tuple[Call, ...] = ()
    states: list[State] = field(default_factory=list)

    @property
    def order(self) -> Policy:
        """The plan as a rule: all its steps one after the other, and nothing else but what is free."""
        if self.plan is None:
            return Policy(())
        steps = tuple(Meant(step.name, tuple((path, "=", value) for path, value in step.args)) for step in self.plan)
        pairs = tuple((place, place + 1) for place in range(len(steps) - 1))
        return Policy((("exactly", (steps, pairs)),), free=(*self.free, *self.world.rules.free))

    def behind(self, call: Call) -> Guarded:
        """Return the run behind a call; one that failed or cannot be executed changes nothing."""
        after = None if call.failed else self.world.after(self.states[-1], call)
        return replace(self, calls=(*self.calls, call), states=[*self.states, after or self.states[-1]])

    def may(self, call: Call) -> bool:
        calls, views = (*self.calls, call), self.world.views(self.states)
        is_open = all(can_go_on(rules, calls, views) for rules in (self.world.rules, self.order))
        return self.world.after(self.states[-1], call) is not None and is_open

    def is_right(self, calls: Sequence[Call] = (), *, with_plan: bool = False) -> bool:
        """Return whether the run keeps all rules where it ends behind more calls."""
        run = self
        for call in calls:
            if self.world.after(run.states[-1], call) is None:
                return False
            run = run.behind(call)
        views = self.world.views(run.states)
        return is_kept(self.world.rules, run.calls, views) and (not with_plan or is_kept(self.order, run.calls))

    def left(self) -> list[list[str]]:
        """Return what may be left of the plan."""
        assert self.plan is not None
        done = {0}
        for call in self.calls:
            on = {place + 1 for place in done if place < len(self.plan) and self.plan[place] == call}
            done = on | (done if call.name in (*self.free, *self.world.rules.free) else set())
        return [list(map(line_of, self.plan[place:])) for place in done]

    def fewest(self, denied: Call, every: Sequence[Call]) -> int | None:
        """Return how many calls the shortest rest of the run has that keeps all rules with a call in it."""
        waiting, seen = [(self, ())], 0
        for size in range(4):
            following = list[tuple[Guarded, tuple[Call, ...]]]()
            for run, more in waiting:
                if denied in more and run.is_right():
                    return size
                for call in every if size < 3 else ():
                    if (seen := seen + 1) > 4_000:
                        return None
                    if run.may(call):
                        following.append((run.behind(call), (*more, call)))
            waiting = following  # type: ignore[assignment]
        return None


@law(3, quick=2)
def test_a_guard_decides_as_the_definitions_and_execution_say(seed: int) -> None:
    """By a model, with rules, a plan, or neither; several calls at once, calls that fail, hardly any time."""
    world = world_of(seed)
    case, draw = world.case, world.case.draw
    plan = tuple(map(world.call, case.walk(3, (0, 0, 1))[:4])) if draw.random() < 0.4 else None
    world = replace(world, rules=world.rules if draw.random() < 0.7 else Policy(()))
    assume(plan != ())
    free = tuple(name for name in world.tools if draw.random() < 0.15) if plan else ()
    run = Guarded(world, plan, free, (), [world.oracle.init])
    every, seconds = (
        list(map(world.call, world.oracle.steps)),
        60.0 if draw.random() < 0.8 else 10 ** draw.uniform(-3, -0.5),
    )
    subjects: list[Any] = [case.texts, *([world.rules.text()] if world.rules.rules else [])]
    written: Any = text_of(list(map(line_of, plan or ()))) if draw.random() < 0.5 else list(map(value_of, plan or ()))
    ordered: dict[str, Any] = {"plan": written, "read_only": free} if plan else {}
    guard = PlanGuard(*draw.sample(subjects, len(subjects)), **ordered)
    can_fail = plan is None and "exactly" not in world.rules.text()  # of these it is not said what a failure is
    for _ in range(4):
        made = list[tuple[Any, Call]]()
        for _ in range(draw.choice((1, 1, 1, 2))):
            able = [world.call(step) for step, _, _ in world.oracle.successors(run.states[-1])]
            wanted = (
                plan if plan is not None and draw.random() < 0.6 else able if able and draw.random() < 0.6 else every
            )
            call, ahead = draw.choice(wanted), run
            for _, each in made:
                ahead = ahead.behind(each)
            decision = guard.before(call.name, dict(call.args))
            told = (case.texts, world.rules.text(), plan, free, run.calls, made, call, decision)
            assert decision.understood and decision.allowed is (run.may(call) and ahead.may(call)), told
            if decision.allowed:
                made.append((decision, call))
            elif draw.random() < 0.5 and not made:
                rest = decision.repaired(seconds)
                assert rest is not None, told
                compare_rest(run, call, rest, every, (told, rest), is_limited=seconds < 60)
        for decision, call in made:
            if draw.random() < 0.1:
                guard.withdraw(decision)
                continue
            fails = can_fail and draw.random() < 0.15
            guard.after(decision, None if fails else "done", error="no" if fails else None)
            run = run.behind(Call(call.name, call.args, fails))
        is_right = run.is_right(with_plan=plan is not None) and world.oracle.is_goal(run.states[-1])
        assert (not guard.finish()) is is_right, (case.texts, world.rules.text(), plan, run.calls, guard.finish())
    if world.rules.rules:
        found = conform(world.rules.text(), guard.trace, model=case.texts, repair=False)
        assert found.kept is run.is_right(), (case.texts, world.rules.text(), guard.trace, found)


def compare_rest(
    run: Guarded, denied: Call, rest: Rest, every: Sequence[Call], told: object, *, is_limited: bool
) -> None:
    world, here = run.world, Oracle(*run.world.case.texts, run.states[-1])
    cheapest = here.nearest((), "optimal", "edits", 1)
    is_asked = run.plan is None and bool(world.rules.rules)
    with_it = run.fewest(denied, every) if is_asked else None
    if rest.steps is None:
        assert not rest.proven or (cheapest is None and with_it is None), (told, with_it)
        assert rest.proven or is_limited or world.rules.rules, told
        return
    calls = [shown(step, world.tools) for step in rest.steps]
    steps = [call for call in calls if call is not None]
    if len(steps) < len(calls):  # the arguments of a call are told only in part
        assert not rest.proven, told
        return
    lines = list(map(line_of, steps))
    end = here.run(lines)
    assert end is not None and run.is_right(steps), (told, lines)
    assert (is_asked and denied in steps) or here.is_goal(end[0]), told
    if not rest.proven:
        return
    if is_asked and denied in steps:
        assert with_it is None or len(steps) == with_it, (told, with_it)
    elif run.plan is None:
        assert cheapest is not None and with_it is None and here.begun + sum(end[1]) == cheapest[0], (told, cheapest)
    else:
        nearest = [(distance(one, lines), here.nearest(one, "valid", "edits", 1)) for one in run.left()]
        assert any(least is not None and changed == least[0] for changed, least in nearest), (told, nearest)


def shown(step: str, tools: Tools) -> Call | None:
    """Return a step of a rest as it is shown, with the names of its arguments or without; None for no known call."""
    name, *words = step.strip("()").split()
    if name not in tools or len(words) != len(tools[name]):
        return None
    given = dict(word.split("=", 1) for word in words if "=" in word)
    return Call(name, tuple((path, given.get(path, word)) for path, word in zip(tools[name], words, strict=True)))


@law(4)
def test_a_model_over_time_is_refused_by_name(seed: int) -> None:
    sample = (timed, flowing)[seed % 2](seed)
    texts = sample.domain, sample.problem
    (name, *_) = re.findall(r"\(:(?:durative-)?action (\S+)", texts[0])
    calls = [{"name": name, "arguments": {}, "result": 1}]
    asked: tuple[Callable[[], object], ...] = (
        lambda: PlanGuard(texts, "at most 1 *").before(name, {}),
        lambda: conform("at most 1 *", calls, model=texts),
    )
    for ask in asked:
        with pytest.raises(ModelError, match=r"one by one, so that a model may not use \w"):
            ask()
