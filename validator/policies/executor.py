"""A PDDL model, of facts or with numbers, that calls are executed on one by one; a tool is the action of its name."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import TypeAlias

from validator.adherence.model import Interpreter, pddl_steps
from validator.checking.prepared import Prepared, prepare
from validator.errors import ModelError
from validator.execution.faults import sentences
from validator.execution.trace import Failure, Kind
from validator.model.conditions import bindings, compares_numbers, conjuncts, holds, predicates
from validator.model.derived import Closure
from validator.model.pddl.write import formula_text
from validator.model.values import GroundAtom, Model, changed_predicates, features_text
from validator.policies.conditions import Atom
from validator.policies.events import Event
from validator.policies.policy import Policy
from validator.policies.values import Truth
from validator.reading.calls import Names, Planned, folded
from validator.reading.plan import Plan, Step, Token
from validator.repair.a_star import ANY_WAY, Search

_MOST_CALLS = 400
"""so many calls of a model may be added to a run; with more, nothing is proven"""
_NOT_KNOWN = frozenset((Kind.UNKNOWN_ACTION, Kind.UNKNOWN_OBJECT))
"""A name that the model has not says nothing of the call: the model may be the one that is not complete."""


ModelState: TypeAlias = Hashable
"""of a model: only its executor looks into it"""


@dataclass(frozen=True, slots=True)
class Judged:
    """Whether a call can be executed in a state; None where it is not known which step of the model it is.

    ``after`` is the state that it leads to.
    """

    allowed: Truth
    reason: str
    after: ModelState


class Executor:
    """A model without numbers, whose states are the facts that hold.

    ``tools`` are the names of its actions, ``parameters`` the names of their arguments, by folded name. Raises
    ModelError for actions that rules and calls, which know neither case nor joints, do not distinguish.
    """

    def __init__(self, prepared: Prepared) -> None:
        interpreter = Interpreter(prepared)
        if alike := Names(interpreter.parameters).one_name:
            raise ModelError(f"calls do not tell {' and '.join(alike)} apart")
        self.prepared = prepared
        self.tools = {folded(name): name for name in interpreter.parameters}
        self.parameters = {folded(name): names for name, names in interpreter.parameters.items()}
        self._translate = pddl_steps(prepared.model)
        self._predicates = {name.lower(): name for name in prepared.model.domain.predicates}

    @property
    def start(self) -> ModelState:
        return self.prepared.model.problem.init

    def ahead(self, state: ModelState) -> Prepared:
        """Return the model of what is to come from a state."""
        model = self.prepared.model
        return prepare(Model(domain=model.domain, problem=replace(model.problem, init=_facts(state))))

    def _view(self, state: ModelState) -> Set[GroundAtom]:
        """Return the facts of a state, derived ones as well."""
        return self.prepared.simulator.view(_facts(state))

    def holds(self, state: ModelState, atom: Atom) -> Truth:
        """Return whether a fact holds in a state; None for one that the model does not know."""
        name = self._predicates.get(atom[0].lower())
        if name is None:
            return None
        view = self._view(state)
        objects = self.prepared.model.problem.objects
        return (name, *(term if term in objects else term.lower() for term in atom[1:])) in view

    def step(self, event: Event) -> Step | str:
        """Return the step of the model that a call is, or why that is not known."""
        return self._translate(Planned(index=0, name=event.name, arguments=event.arguments))

    def steps(self, events: Sequence[Event]) -> tuple[Step, ...] | None:
        """Return the steps of a plan that calls are; None where that is not known."""
        found = tuple(step for event in events if isinstance(step := self.step(event), Step))
        return found if len(found) == len(events) else None

    def called(self, steps: Iterable[Token]) -> Iterator[Event]:
        """Yield the calls that steps of a plan are."""
        for step in steps:
            if isinstance(step, Step):
                yield Event(step.name, dict(zip(self.parameters[folded(step.name)], step.args, strict=True)))

    def judge(self, state: ModelState, event: Event) -> Judged:
        """Return whether a call can be executed in a state; one that failed, and a message, change nothing."""
        if event.failed or event.is_message:
            return Judged(True, "", state)
        step = self.step(event)
        return Judged(None, step, state) if isinstance(step, str) else self._executed(state, step)

    def _executed(self, state: ModelState, step: Step) -> Judged:
        trace = self.prepared.simulator.run_from(_facts(state), (step,), with_goal=False)
        if trace.failures:
            return _refused(trace.failures, step, state)
        *_, after = trace.states()
        return Judged(True, "", after)

    def calls(self, wanted: Sequence[Event], policy: Policy) -> tuple[tuple[Event, ...], bool]:
        """Return the calls that could be added to a run, those that a policy asks for among them; whether they are all.

        They are the actions on objects, as far as what never changes allows them.
        """
        found = list(islice(self._possible(), _MOST_CALLS + 1))
        names = {folded(name) for parameters in self.parameters.values() for name in parameters}
        is_whole = all(folded(path) in names for path in _told_apart(policy))
        others = (event for event in wanted if event.key not in self.tools)
        return (*others, *found[:_MOST_CALLS]), is_whole and len(found) <= _MOST_CALLS

    def _possible(self) -> Iterator[Event]:
        model = self.prepared.model
        domain, init = model.domain, model.problem.init
        changing = {*changed_predicates(*(each.effects for each in domain.actions.values()))}
        changing |= {axiom.predicate for axiom in domain.axioms}
        for action in domain.actions.values():
            names = [parameter.name for parameter in action.parameters]
            parts = [part for part in conjuncts(action.precondition) if not compares_numbers(part)]
            fixed = [part for part in parts if changing.isdisjoint(predicates(part))]
            for binding in bindings(model, action.parameters, {}):
                if all(holds(model, part, binding, init) for part in fixed):
                    yield Event(action.name, {name.lstrip("?"): binding[name] for name in names})

    def unmet(self, state: ModelState) -> tuple[str, ...]:
        """Return the parts of the goal that are false in a state."""
        return tuple(formula_text(part, binding) for part, binding in self.prepared.simulator.goal_parts(_facts(state)))

    def way_to_goal(self, state: ModelState, seconds: float) -> tuple[tuple[Step, ...] | None, bool]:
        """Return some steps from a state to the goal, or None, and whether it is known in time that there are none."""
        small = self.prepared.small
        if small is None or small.goal is None:
            return None, False
        end = time.monotonic() + seconds
        search = Search(small, (), goal=small.goal, state=small.state(_facts(state)))
        found = search.run(is_over=lambda: time.monotonic() > end, weight=ANY_WAY)
        steps = None if found.plan is None else tuple(small.steps[number] for number in found.plan)
        return steps, steps is None and found.is_proven


_NUMBERS = frozenset(("numeric-fluents", "conditional-costs", "numbers-in-derived-predicates"))


@dataclass(frozen=True, slots=True)
class _Situation:
    """The facts that hold, and the values of numbers."""

    atoms: frozenset[GroundAtom]
    values: tuple[tuple[GroundAtom, Fraction], ...]


class NumericExecutor(Executor):
    """A model with numbers. Raises ModelError for a model with time, constraints or preferences."""

    def __init__(self, prepared: Prepared) -> None:
        model = prepared.model
        if others := {name: place for name, place in model.features.items() if name not in _NUMBERS}:
            names = features_text(others)
            raise ModelError(f"calls are executed one by one, so that a model may not use {names}")
        super().__init__(prepared)
        self._closure = Closure(model)

    @property
    def start(self) -> ModelState:
        problem = self.prepared.model.problem
        return _Situation(frozenset(problem.init), tuple(sorted(problem.values.items())))

    def ahead(self, state: ModelState) -> Prepared:
        now, model = _situation(state), self.prepared.model
        return prepare(
            Model(domain=model.domain, problem=replace(model.problem, init=now.atoms, values=dict(now.values)))
        )

    def _view(self, state: ModelState) -> Set[GroundAtom]:
        now = _situation(state)
        return self._closure.extend(now.atoms, dict(now.values))

    def _executed(self, state: ModelState, step: Step) -> Judged:
        from validator.execution.time.execution import execute  # with much that a model of facts does not need

        found = execute(self.ahead(state).simulator, Plan(parts=(step,)))
        if faults := tuple(fault for fault in found.failures if fault.is_of_steps):
            return _refused(faults, step, state)
        if found.open:
            return Judged(None, "; ".join(found.open), state)
        after = _Situation(frozenset(found.state.atoms), tuple(sorted(found.state.values.items())))
        return Judged(True, "", after)

    def unmet(self, state: ModelState) -> tuple[str, ...]:
        from validator.execution.time.execution import execute

        found = execute(self.ahead(state).simulator, Plan(parts=()))
        return tuple(text for failure in found.failures for text in failure.unmet)


def _situation(state: ModelState) -> _Situation:
    assert isinstance(state, _Situation)
    return state


def _facts(state: ModelState) -> frozenset[GroundAtom]:
    assert isinstance(state, frozenset)
    return state


def _told_apart(policy: Policy) -> Iterator[str]:
    """Yield the arguments that a policy looks at."""
    yield from (each.path for pattern in policy.patterns for each in pattern.comparisons)
    yield from (each.path for rule in policy.rules for each in rule.comparisons)


def _refused(faults: Sequence[Failure], step: Step, state: ModelState) -> Judged:
    """Return that a step cannot be executed in a state; or that this is not known, of names that the model has not."""
    allowed = None if all(fault.kind in _NOT_KNOWN for fault in faults) else False
    return Judged(allowed, _reason_of(faults, step), state)


def _reason_of(faults: Sequence[Failure], step: Step) -> str:
    """Say what is wrong with a step, without the number that it has in a run of one."""
    said = (text.split(": ", 1)[-1] for text in sentences(tuple(faults), (step,)))
    return "; ".join(text.replace(" (nothing made it true)", "") for text in said)
