"""What would have to be otherwise at first for a plan to exist: the fewest initial facts (Goebelbecker et al. 2010).

Two kinds of changes are looked at: a fact of a predicate that no action makes true holds as well, or one that must be
false holds no longer; and something that actions can change is otherwise at first, one variable at a time, without what
excludes it. Only where these do not suffice may any fact hold as well: then something is missing altogether, such as
the place of a vehicle. Goals themselves are never made to hold. Changes come
before all other steps of a task in which only they cost; its cheapest plan has the smallest excuse.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import islice

from validator.automata.facts import Facts
from validator.automata.world import World
from validator.execution.simulator import Simulator
from validator.foils.answer import Excuse, Side
from validator.foils.changes import WithFact, WithoutFact, changed
from validator.grounding.ground import ground
from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.operators import Effect, Operator, Value
from validator.grounding.planner import search
from validator.grounding.strategies import BETTER, better, optimal_strategy
from validator.grounding.task import Task
from validator.model.conditions import conjuncts
from validator.model.formulas import Conditional, Literal
from validator.model.values import Action, And, Atom, Domain, GroundAtom, Model, Not
from validator.model.values import Effect as ModelEffect
from validator.reading.plan import Plan, Step
from validator.records import dataclass, replace
from validator.repair.edit import unmodified

__all__ = ["excuse_for"]

_OPEN = "excuses-open"
_ADDS, _TAKES = "excuse-with-", "excuse-without-"
_OF_STATE = 1
"""what a change of something that actions change costs more: facts that no action changes are named first"""
_CHANGE = 100
_MOST_OPERATORS = 200_000
_MOST_OTHERS = 2
_MOST_ATTEMPTS = 6

_Changes = tuple[WithFact | WithoutFact, ...]


def excuse_for(world: World, limits: Limits) -> Excuse | None:
    """Return the fewest changes of the initial facts after which a plan reaches the goal; None if none was found.

    The plan is executed in the model so changed.
    """
    if limits.seconds <= 0 or world.task.has_axioms:
        return None
    found: list[Excuse] = []
    for any_fact in (False, True):
        if found and len(found[0].changes) > 1:
            break
        space = _Space.of(world.model, _part(limits, 0.6), any_fact=any_fact, only_more=bool(found))
        if space is not None:
            found += islice(space.excuses(limits, is_one=bool(found)), _MOST_OTHERS)
    if not found:
        return None
    return replace(found[0], alternatives=tuple(each.changes for each in found[1:]))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Space:
    """A task in which changes come first; ``changes`` are those of its operators that are one, by number."""

    model: Model
    task: Task
    changes: dict[int, _Changes]

    @classmethod
    def of(cls, model: Model, limits: Limits, *, any_fact: bool, only_more: bool) -> _Space | None:
        """Return the changes of a model; with ``any_fact`` whatever is false at first may be true.

        With ``only_more`` facts that no action makes true stay as they are.
        """
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
            if change is not None and (change.fact in goals or (only_more and change.fact[0] not in added)):
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

    def excuses(self, limits: Limits, *, is_one: bool) -> Iterator[Excuse]:
        """Yield a smallest excuse and, where that is one change, others of one change; ``is_one``: only those."""
        barred: set[int] = set()
        bound = 2 * _CHANGE if is_one else None
        for _ in range(_MOST_ATTEMPTS):
            outcome, proven = self._search(barred, bound, limits)
            if outcome is None:
                return
            numbers = [int(name[2:]) for name in outcome.plan if name.startswith("i ")]
            made = [number for number in numbers if number in self.changes]
            excuse = self._executed(numbers, proven)
            if excuse is not None:
                yield excuse
                bound = 2 * _CHANGE
            if len(made) != 1:
                return
            barred |= {number for number, changes in self.changes.items() if changes == self.changes[made[0]]}

    def _search(self, barred: Set[int], bound: int | None, limits: Limits) -> tuple[Outcome | None, bool]:
        """Return the end of a search that found a plan, and whether none has fewer changes."""
        operators = (
            replace(operator, effect_count=0, effects="") if number in barred else operator
            for number, operator in enumerate(self.task.operators)
        )
        text = unmodified(replace(self.task, operators=tuple(operators)))
        some = search(text, better(BETTER[0], bound), _part(limits, 0.4))
        best = some if some.status is Status.SOLVED else None
        if bound is not None:  # one change, and none at all would not do
            return best, True
        cost = None if best is None else best.cost
        proof = search(
            text, optimal_strategy(self.task), _part(limits, 0.8), lambda low: cost is not None and low >= cost
        )
        if proof.status is Status.SOLVED:
            best = proof
        return best, proof.status in (Status.SOLVED, Status.STOPPED)

    def _executed(self, numbers: Sequence[int], proven: bool) -> Excuse | None:
        """Return the excuse of a plan, if the plan is valid in the model so changed."""
        changes = self._net(change for number in numbers for change in self.changes.get(number, ()))
        steps = tuple(
            self.task.encoding.step(self.task.operators[number].name)
            for number in numbers
            if number not in self.changes
        )
        trace = Simulator(changed(self.model, changes)).run(Plan(parts=steps))
        side = Side(steps=steps, cost=trace.cost)
        return Excuse(changes=changes, plan=side, proven=proven) if trace.is_valid else None

    def _net(self, changes: Iterable[WithFact | WithoutFact]) -> _Changes:
        """Return what changes come to: one may undo another."""
        before = self.model.problem.init
        after = set(before)
        for change in changes:
            after = after | {change.fact} if isinstance(change, WithFact) else after - {change.fact}
        gone, new = sorted(before - after), sorted(after - before)
        return (*(WithoutFact(fact=fact) for fact in gone), *(WithFact(fact=fact) for fact in new))


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
    for values in task.groups:
        found |= {frozenset((held, other)) for held in first.intersection(values) for other in values if other != held}
    return found
