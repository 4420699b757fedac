"""What would have to be otherwise at first for a plan to exist: the fewest initial facts (Goebelbecker et al. 2010).

Two kinds of changes are looked at: a fact of a predicate that no action makes true holds as well, or one that must be
false holds no longer; and something that actions can change is otherwise at first, one variable at a time, without what
excludes it. Only where these do not suffice may any fact hold as well: then something is missing altogether, such as
the place of a vehicle. Goals themselves are never made to hold. Changes come
before all other steps of a task in which only they cost; its cheapest plan has the smallest excuse.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace

from validator.execution.simulator import Simulator
from validator.foils.changed.changes import WithFact, WithoutFact, changed
from validator.foils.compiled.facts import Facts
from validator.foils.compiled.world import World
from validator.foils.findings import Excuse, Side
from validator.grounding.ground import ground
from validator.grounding.operators import Effect, Operator, Value
from validator.grounding.planner import Limits, Outcome, Status, search
from validator.grounding.strategies import BETTER, better, optimal_strategy
from validator.grounding.task import Task
from validator.model.conditions import conjuncts
from validator.model.formulas import Conditional, Literal
from validator.model.values import Action, And, Atom, Domain, GroundAtom, Model, Not
from validator.model.values import Effect as ModelEffect
from validator.reading.plan import Plan, Step
from validator.repair.edit import unmodified

__all__ = ["excuse_for"]

_OPEN = "excuses-open"
_ADDS, _TAKES = "excuse-with-", "excuse-without-"
_OF_STATE = 1
"""what a change of something that actions change costs more: facts that no action changes are named first"""
_CHANGE = 100
_MOST_OPERATORS = 200_000
_MOST_OTHERS = 2

_Changes = tuple[WithFact | WithoutFact, ...]


def excuse_for(world: World, limits: Limits) -> Excuse | None:
    """Return the fewest changes of the initial facts after which a plan reaches the goal; None if none was found.

    The plan is executed in the model so changed.
    """
    if limits.seconds <= 0 or world.task.has_axioms:
        return None
    for any_fact in (False, True):
        space = _Space.of(world.prepared.model, limits, any_fact=any_fact)
        found = None if space is None else space.smallest(limits)
        if space is not None and found is not None:
            others = space.others(found, limits) if len(found.changes) == 1 else ()
            return replace(found, alternatives=tuple(others))
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Space:
    """A task in which changes come first; ``changes`` are those of its operators that are one, by number."""

    model: Model
    task: Task
    changes: dict[int, _Changes]

    @classmethod
    def of(cls, model: Model, limits: Limits, *, any_fact: bool) -> _Space | None:
        """Return the changes of a model; with ``any_fact`` whatever is false at first may be true."""
        if limits.seconds <= 0:
            return None
        added = {each.atom.predicate for action in model.domain.actions.values() for each in _added(action.effects)}
        opened = _opened(model, frozenset() if any_fact else added)
        task = ground(Simulator(opened), limits, with_costs=False)
        if isinstance(task, Status) or task.has_axioms or task.is_relaxed_unsolvable:
            return None
        goals = {(part.predicate, *part.terms) for part in conjuncts(model.problem.goal) if isinstance(part, Atom)}
        operators: list[Operator] = []
        changes: dict[int, _Changes] = {}
        for operator in task.operators:
            change = _change(task.encoding.step(operator.name))
            if change is not None and change.fact in goals:
                continue
            if change is not None:
                changes[len(operators)] = (change,)
            operators.append(
                replace(operator, cost=0 if change is None else _CHANGE + _OF_STATE * (change.fact[0] in added))
            )
        for operator, made in () if any_fact else _of_state(Facts(opened, task), task, goals):
            changes[len(operators)] = made
            operators.append(operator)
        if len(operators) > _MOST_OPERATORS:
            return None
        return cls(model=model, task=replace(task, operators=tuple(operators)), changes=changes)

    def smallest(self, limits: Limits, without: Iterable[int] = (), bound: int | None = None) -> Excuse | None:
        """Return the smallest excuse without some changes, below a cost."""
        barred = set(without)
        text = unmodified(
            replace(
                self.task,
                operators=tuple(
                    replace(operator, effect_count=0, effects="") if number in barred else operator
                    for number, operator in enumerate(self.task.operators)
                ),
            )
        )
        some = search(text, better(BETTER[0], bound), _part(limits, 0.4))
        best = some if some.status is Status.SOLVED else None
        if bound is None:
            cost = None if best is None else best.cost
            proof = search(
                text, optimal_strategy(self.task), _part(limits, 0.8), lambda low: cost is not None and low >= cost
            )
            best = proof if proof.status is Status.SOLVED else best
            proven = proof.status in (Status.SOLVED, Status.STOPPED)
        else:
            proven = True  # as many changes as the smallest excuse has
        return None if best is None else self._excuse(best, proven)

    def others(self, found: Excuse, limits: Limits) -> Iterator[_Changes]:
        """Yield other excuses of one change."""
        barred: list[int] = []
        known = found.changes
        while len(barred) < _MOST_OTHERS and limits.seconds > 0:
            barred += [number for number, changes in self.changes.items() if changes == known]
            other = self.smallest(_part(limits, 0.4), barred, 2 * _CHANGE)
            if other is None:
                return
            known = other.changes
            yield known

    def _excuse(self, outcome: Outcome, proven: bool) -> Excuse | None:
        numbers = [int(name[2:]) for name in outcome.plan if name.startswith("i ")]
        changes = tuple(change for number in numbers for change in self.changes.get(number, ()))
        steps = tuple(
            self.task.encoding.step(self.task.operators[number].name)
            for number in numbers
            if number not in self.changes
        )
        trace = Simulator(changed(self.model, changes)).run(Plan(parts=steps))
        return (
            Excuse(changes=changes, plan=Side(steps=steps, cost=trace.cost), proven=proven) if trace.is_valid else None
        )


def _part(limits: Limits, part: float) -> Limits:
    return replace(limits, deadline=time.monotonic() + part * limits.seconds)


def _opened(model: Model, without: Set[str]) -> Model:
    """Return the model with actions that change facts of predicates, but for some, until the first other action."""
    domain = model.domain
    closing = Literal(atom=Atom(_OPEN, ()), positive=False)
    actions = {name: replace(each, effects=(*each.effects, closing)) for name, each in domain.actions.items()}
    derived = {axiom.predicate for axiom in domain.axioms}
    for name, parameters in domain.predicates.items():
        if name in without or name in derived or name.startswith("="):
            continue
        atom = Atom(name, tuple(parameter.name for parameter in parameters))
        for start, positive in ((_ADDS, True), (_TAKES, False)):
            holds_not = Not(atom) if positive else atom
            action = Action(
                name=start + name,
                parameters=parameters,
                precondition=And((Atom(_OPEN, ()), holds_not)),
                effects=(Literal(atom=atom, positive=positive),),
            )
            actions[action.name] = action
    problem = replace(model.problem, init=model.problem.init | {(_OPEN,)}, metric=None)
    return Model(domain=_domain(domain, actions), problem=problem)


def _domain(domain: Domain, actions: dict[str, Action]) -> Domain:
    return replace(domain, actions=actions, predicates={**domain.predicates, _OPEN: ()})


def _added(effects: Iterable[ModelEffect]) -> Iterator[Literal]:
    for effect in effects:
        if isinstance(effect, Literal) and effect.positive:
            yield effect
        elif isinstance(effect, Conditional):
            yield from _added(effect.effects)


def _change(step: Step) -> WithFact | WithoutFact | None:
    """Return the change that a step of the opened model stands for."""
    if step.name.startswith(_ADDS):
        return WithFact(fact=(step.name.removeprefix(_ADDS), *step.args))
    if step.name.startswith(_TAKES):
        return WithoutFact(fact=(step.name.removeprefix(_TAKES), *step.args))
    return None


def _of_state(facts: Facts, task: Task, goals: set[GroundAtom]) -> Iterator[tuple[Operator, _Changes]]:
    """Yield operators that set one variable otherwise at first, with the facts that come and go."""
    opened = facts.values.get((_OPEN,))
    static = {name.removeprefix(_ADDS) for name in task.encoding.actions.values() if name.startswith(_ADDS)}
    exclusive = _exclusive(task)
    for variable, first in enumerate(task.init):
        for value in range(facts.sizes[variable]):
            came, went = facts.atom((variable, value)), facts.atom((variable, first))
            atoms = [each[0] for each in (came, went) if each is not None]
            if (
                value == first
                or not atoms
                or any(atom[0] in static or atom[0] == _OPEN or atom in goals for atom in atoms)
            ):
                continue
            if any(frozenset(((variable, value), other)) in exclusive for other in enumerate(task.init)):
                continue
            changes = (*_now(went, False), *_now(came, True))
            needed = ((variable, first), *((opened,) if opened else ()))
            effect = Effect(conditions=(), variable=variable, value=value)
            yield Operator.made("change", needed, (effect,), _CHANGE + _OF_STATE), changes


def _now(said: tuple[GroundAtom, bool] | None, holds: bool) -> _Changes:
    if said is None:
        return ()
    return (WithFact(fact=said[0]),) if said[1] is holds else (WithoutFact(fact=said[0]),)


def _exclusive(task: Task) -> set[frozenset[Value]]:
    """Return the pairs of values that exclude each other, of those with a value of the initial state."""
    first = set(enumerate(task.init))
    found: set[frozenset[Value]] = set()
    for group in task.mutexes.split("begin_mutex_group\n")[1:]:
        lines = group.split("end_mutex_group")[0].splitlines()[1:]
        values = [(int(variable), int(value)) for variable, value in map(str.split, lines)]
        found |= {frozenset((held, other)) for held in first.intersection(values) for other in values if other != held}
    return found
