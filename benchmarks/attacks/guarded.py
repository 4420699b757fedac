"""Attacks on guards of every kind: rules, a plan and a model together, calls at once, calls that fail, short time.

What time adds to a model no guard can follow call by call: such models are to be refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, Oracle, State
from tests.support.flow_attack import can_run
from tests.support.flow_interpreter import Interpreter
from tests.support.random_beyond import flowing, timed
from tests.support.random_flows import random_flow
from tests.support.random_schemas import Texts, random_schema
from tests.support.random_worlds import states_of, wrong_walk
from tests.support.rule_oracle import Call, Meant, Policy, Tools, can_go_on, is_kept, random_rules
from validator import ModelError, PlanGuard, conform, prepare
from validator.guard import Rest
from validator.repair.sequences import lcs_length

__all__ = ["KINDS"]

_MOST_STATES, _MOST_RUNS = 300, 4_000
_LONGEST = 3
"""calls of the rests of runs that are tried"""

_ENOUGH = 20.0

_FACTS = (("e", 0), ("p", 1), ("fixed", 1), ("link", 2), ("d", 1))


@dataclass
class _Run:
    """A guarded run as looking at everything sees it: what was called, and the state before each call and now."""

    texts: Texts
    oracle: Oracle
    tools: Tools
    rules: Policy
    plan: tuple[Call, ...] | None
    free: tuple[str, ...]
    """tools that change nothing to a plan"""
    calls: tuple[Call, ...] = ()
    states: list[State] = field(default_factory=list)

    @property
    def state(self) -> State:
        return self.states[-1]

    def with_call(self, call: Call) -> _Run:
        """Return the run behind a call; one that failed or cannot be executed changes nothing."""
        after = None if call.failed else self.after(self.state, call)
        states = [*self.states, self.state if after is None else after]
        return _Run(self.texts, self.oracle, self.tools, self.rules, self.plan, self.free, (*self.calls, call), states)

    def after(self, state: State, call: Call) -> State | None:
        line = _line(call)
        return next((after for step, after, _ in self.oracle.successors(state) if str(step) == line), None)

    def views(self) -> list[Callable[[tuple[str, ...]], bool]]:
        return [lambda fact, state=state: self.oracle.has(fact, state) for state in self.states]  # type: ignore[misc]

    def may(self, call: Call) -> bool:
        """Return whether a call may be made now."""
        if self.after(self.state, call) is None:
            return False
        calls = (*self.calls, call)
        return can_go_on(self.rules, calls, self.views()) and can_go_on(self._order(), calls, self.views())

    def is_right(self, calls: tuple[Call, ...], *, with_plan: bool) -> bool:
        """Return whether the run keeps all rules where it ends behind more calls."""
        run = self
        for call in calls:
            if run.after(run.state, call) is None:
                return False
            run = run.with_call(call)
        return is_kept(self.rules, run.calls, run.views()) and (not with_plan or is_kept(self._order(), run.calls))

    def _order(self) -> Policy:
        """Return the plan as a rule: all its steps one after the other, and nothing else but what is free."""
        if self.plan is None:
            return Policy(())
        steps = tuple(Meant(step.name, tuple((path, "=", value) for path, value in step.args)) for step in self.plan)
        pairs = tuple((place, place + 1) for place in range(len(steps) - 1))
        return Policy((("exactly", (steps, pairs)),), free=(*self.free, *self.rules.free))

    def left(self) -> set[int]:
        """Return how many steps of the plan may be done."""
        assert self.plan is not None
        done = {0}
        for call in self.calls:
            on = {place + 1 for place in done if place < len(self.plan) and self.plan[place] == call}
            done = on | (done if call.name in (*self.free, *self.rules.free) else set())
        return done

    def fewest(self, denied: Call, every: Sequence[Call]) -> int | None:
        """Return how many calls the shortest rest of the run has that keeps all rules with a call in it."""
        waiting, seen = [(self, ())], 0
        for size in range(_LONGEST + 1):
            following = list[tuple[_Run, tuple[Call, ...]]]()
            for run, more in waiting:
                if denied in more and is_kept(self.rules, run.calls, run.views()):
                    return size
                for call in every if size < _LONGEST else ():
                    if (seen := seen + 1) > _MOST_RUNS:
                        return None
                    if run.may(call):
                        following.append((run.with_call(call), (*more, call)))
            waiting = following
        return None


def _attack(seed: int) -> Iterator[str]:
    """Guard calls by a model, with rules, a plan, or neither, and compare each decision, each rest, and the end."""
    draw = Random(f"guarded by all {seed}")
    texts = random_schema(seed, (CHEAP, DEAR)[seed % 2])
    oracle = Oracle(*texts)
    if not oracle.steps or states_of(oracle, _MOST_STATES) is None:
        return
    run = _begun(draw, texts, oracle)
    if run is None:
        return
    every = [_call_of(str(step), run.tools) for step in oracle.steps]
    seconds = _ENOUGH if draw.random() < 0.8 else 10 ** draw.uniform(-3, -0.5)
    subjects = [texts, *([run.rules.text()] if run.rules.rules else [])]
    draw.shuffle(subjects)
    plan = {} if run.plan is None else {"plan": _plan(draw, run.plan), "read_only": run.free}
    guard = PlanGuard(*subjects, **plan, time_limit=seconds)  # type: ignore[arg-type]
    can_fail = run.plan is None and "exactly" not in run.rules.text()  # of these it is not said what a failure is
    for _ in range(4):
        made = list[tuple[Any, Call]]()
        for _ in range(draw.choice((1, 1, 1, 2))):
            call = _any_call(draw, run, every)
            decision = guard.before(call.name, dict(call.args))
            ahead = run
            for _, each in made:
                ahead = ahead.with_call(each)
            told = (seed, texts, run.rules.text(), run.plan, run.free, run.calls, made, call, decision)
            assert decision.understood, told
            assert decision.allowed is (run.may(call) and ahead.may(call)), told
            if decision.allowed:
                made.append((decision, call))
            elif draw.random() < 0.5 and not made:
                rest = decision.repaired(60)
                assert rest is not None, told
                _compare(run, call, rest, every, (told, rest), is_limited=seconds < _ENOUGH)
                yield outcome(rest.proven)
        for decision, call in made:
            if draw.random() < 0.1:
                guard.withdraw(decision)
                continue
            fails = can_fail and draw.random() < 0.15
            guard.after(decision, None if fails else "done", error="no" if fails else None)
            run = run.with_call(Call(call.name, call.args, fails))
        lacks = guard.finish()
        is_right = run.is_right((), with_plan=run.plan is not None) and oracle.is_goal(run.state)
        assert (not lacks) is is_right, (seed, texts, run.rules.text(), run.plan, run.calls, lacks)
    found = conform(run.rules.text(), guard.trace, model=texts, repair=False) if run.rules.rules else None
    is_right = run.is_right((), with_plan=False)
    assert found is None or found.kept is is_right, (seed, texts, run.rules.text(), guard.trace, found)
    yield outcome(True)


def _begun(draw: Random, texts: Texts, oracle: Oracle) -> _Run | None:
    model = prepare(*texts).model
    tools = {
        name: tuple(one.name.lstrip("?") for one in action.parameters) for name, action in model.domain.actions.items()
    }
    has_plan, has_rules = draw.random() < 0.4, draw.random() < 0.7
    rules = Policy(())
    if has_rules:
        facts = [one for one in _FACTS if f"({one[0]} " in texts[0] or (one[1] == 0 and f"({one[0]})" in texts[0])]
        if "(:derived" not in texts[0]:
            facts = [one for one in facts if one[0] != "d"]
        rules = random_rules(draw, tools, sorted(model.problem.objects), facts, 2)
        if "own" in rules.text() and not rules.changes:
            return None
    plan, free = None, tuple[str, ...]()
    if has_plan:
        known = {str(step) for step in oracle.steps}
        lines = wrong_walk(oracle, draw, draw.randint(1, 3), draw.choice((0, 0, 1)), to_goal=draw.random() < 0.7)
        plan = tuple(_call_of(line, tools) for line in lines[:4] if line in known)
        free = tuple(name for name in tools if draw.random() < 0.15)
        if not plan:
            return None
    return _Run(texts, oracle, tools, rules, plan, free, (), [oracle.init])


def _any_call(draw: Random, run: _Run, every: Sequence[Call]) -> Call:
    able = [_call_of(str(step), run.tools) for step, _, _ in run.oracle.successors(run.state)]
    if run.plan is not None and draw.random() < 0.6:
        return draw.choice(run.plan)
    return draw.choice(able if able and draw.random() < 0.6 else every)


def _plan(draw: Random, plan: Sequence[Call]) -> object:
    """Return a plan as PDDL, or as calls in JSON."""
    if draw.random() < 0.5:
        return "".join(f"{_line(call)}\n" for call in plan)
    return [{"name": call.name, "arguments": dict(call.args)} for call in plan]


def _compare(run: _Run, denied: Call, rest: Rest, every: Sequence[Call], told: object, *, is_limited: bool) -> None:
    here = Oracle(*run.texts, run.state)
    cheapest = here.nearest((), "optimal", "edits", 1)
    is_asked = run.plan is None and bool(run.rules.rules)
    with_it = run.fewest(denied, every) if is_asked else None
    assert rest.steps is not None or not rest.proven or (cheapest is None and with_it is None), (told, with_it)
    assert rest.steps is not None or rest.proven or is_limited or run.rules.rules, told
    if rest.steps is None:
        return
    calls = tuple(_shown(step, run.tools) for step in rest.steps)
    if None in calls:
        assert not rest.proven, told
        return
    steps = tuple(call for call in calls if call is not None)
    lines = list(map(_line, steps))
    end = here.run(lines)
    assert end is not None and run.is_right(steps, with_plan=False), (told, lines)
    assert (is_asked and denied in steps) or here.is_goal(end[0]), told
    if not rest.proven:
        return
    if is_asked and denied in steps:
        assert with_it is None or len(steps) == with_it, (told, with_it)
    elif run.plan is None:
        assert cheapest is not None and with_it is None, (told, with_it)
        assert here.begun + sum(end[1]) == cheapest[0], (told, cheapest)
    else:
        left = [list(map(_line, run.plan[done:])) for done in run.left()]
        nearest = [(one, here.nearest(one, "valid", "edits", 1)) for one in left]
        assert any(
            least is not None and len(one) + len(lines) - 2 * lcs_length(one, lines) == least[0]
            for one, least in nearest
        ), (told, nearest)


def _call_of(line: str, tools: Tools) -> Call:
    name, *args = line.strip("()").split()
    return Call(name, tuple(zip(tools[name], args, strict=True)))


def _line(call: Call) -> str:
    return f"({' '.join((call.name, *(value for _, value in call.args)))})"


def _shown(step: str, tools: Tools) -> Call | None:
    """Return a step of a rest as it is shown, with the names of its arguments or without; None for no known call."""
    name, *words = step.strip("()").split()
    if name not in tools or len(words) != len(tools[name]):
        return None
    given = dict(word.split("=", 1) for word in words if "=" in word)
    values = [given.get(path, word) for path, word in zip(tools[name], words, strict=True)]
    return Call(name, tuple(zip(tools[name], values, strict=True)))


# --- flows -----------------------------------------------------------------------------------------


def _flows(seed: int) -> Iterator[str]:
    """Guard calls by a flow, of which questions, mappings and the like leave no call, and follow them with a rule."""
    draw = Random(f"guarded flow {seed}")
    flow = replace(random_flow(draw), goals=())
    # How often an operator may run is not looked at.
    often = tuple(replace(operator, max_try=50) for operator in flow.operators)
    own = Interpreter(replace(flow, options=replace(flow.options, retries=True), operators=often))
    guard, names = PlanGuard(flow, repair=False), list[str]()
    for _ in range(3):
        operator = draw.choice(flow.operators)
        arguments = {entry.item: "v" for entry in operator.inputs if entry.required}
        expected = can_run(own, [*names, operator.name])
        if expected is None:
            return
        decision = guard.before(operator.name, arguments)
        told = (seed, flow, names, operator.name, decision)
        assert decision.allowed is expected or (not decision.allowed and not decision.understood), told
        calls = [*guard.trace, {"name": operator.name, "arguments": arguments, "result": "v"}]
        found = conform("budget 99", calls, model=flow, repair=False)
        assert found.kept in (expected, None), (told, found)
        assert found.kept is None or decision.understood, (told, found)
        yield outcome(decision.understood)
        if decision.allowed:
            guard.after(decision, "v")
            names.append(operator.name)


# --- what no guard follows -------------------------------------------------------------------------

_BEYOND = re.compile(r"one by one, which a model is not that uses \w")


def _beyond(seed: int) -> Iterator[str]:
    """Give a guard, and the check of a run, a model with time or change in time: neither may say anything."""
    draw = Random(f"guarded beyond {seed}")
    sample = (timed, flowing)[seed % 2](seed)
    texts = sample.domain, sample.problem
    name = draw.choice(re.findall(r"\(:(?:durative-)?action (\S+)", texts[0]))
    subjects = [texts, *(["at most 1 *"] if draw.random() < 0.5 else [])]
    calls = [{"name": name, "arguments": {}, "result": 1}]
    asked: tuple[Callable[[], object], ...] = (
        lambda: PlanGuard(*subjects).before(name, {}),
        lambda: conform("at most 1 *", calls, model=texts),
    )
    for ask in asked:
        try:
            found = ask()
        except ModelError as error:
            assert _BEYOND.search(str(error)), (texts, error)
        else:
            raise AssertionError((texts, name, found))
        yield outcome(True)


KINDS = (
    Kind(
        name="guards: rules, plans, calls at once",
        against="the definitions, all short rests, Dijkstra from each state",
        attack=_attack,
        share=6,
    ),
    Kind(
        name="guards: calls of a flow",
        against="a second executor, all worlds",
        attack=_flows,
        share=5,
    ),
    Kind(name="guards: models they refuse", against="what the model is made with", attack=_beyond, share=1),
)
