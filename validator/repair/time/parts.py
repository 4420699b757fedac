"""Starts and ends of steps: what they need and do in a situation, and how two of them must be ordered.

A step of a model with time is one part, or a start and an end with invariants between them. Two parts that interfere
(Fox and Long 2003, definition 12) are epsilon apart in any plan; which of them comes first decides what both see. What
changes an invariant's atoms or values is not inside the open interval where the invariant does not hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from fractions import Fraction
from itertools import groupby

from validator.execution.time.effects import Update
from validator.execution.time.happening import Act, Part
from validator.execution.time.interference import Planned, Reads, disturbances, interference
from validator.execution.time.metric import changed_functions, continuous_effects
from validator.execution.time.parts import condition_of, planned
from validator.grounding.relaxed_reachability import always_lasts
from validator.grounding.states import State
from validator.model.conditions import Binding, bindings, bound, conjuncts, ground
from validator.model.derived import Closure
from validator.model.numeric import Missing, Situation, evaluate, truth
from validator.model.temporal import DURATION, ContinuousEffect, DurativeAction, TimedEffect, TimedFact, When
from validator.model.values import (
    TRUE,
    Arithmetic,
    Atom,
    Conditional,
    Effect,
    Formula,
    GroundAtom,
    Literal,
    Model,
    NumericEffect,
    Parameter,
    changed_predicates,
    functions_of,
)
from validator.reading.plan import Step
from validator.records import dataclass, replace
from validator.repair.time.network import Bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A step that may take place, or a group of timed facts; ``number`` tells it from all others.

    An observed step has its times in units of the grid, None where the plan states none. ``rank`` orders such steps:
    the time where there is one, otherwise that of the step before.
    """

    number: int
    step: Step | None = None
    facts: tuple[TimedFact, ...] = ()
    rank: int = 0
    time: int | None = None
    duration: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relaxed:
    """What a step needs, makes true, and deletes for sure, whatever the state is: at its start, inside, at its end.

    A step without an end starts with all of it. Atoms that may become true at any time are needed by nothing. What an
    invariant needs may come from a step that starts together with this one, and because of it. ``lasts`` are the
    durations that the step may have in whatever situation; any where they depend on it.
    """

    at_start: frozenset[GroundAtom]
    inside: frozenset[GroundAtom] = frozenset()
    at_end: frozenset[GroundAtom] = frozenset()
    first_adds: frozenset[GroundAtom]
    last_adds: frozenset[GroundAtom] = frozenset()
    first_deletes: frozenset[GroundAtom] = frozenset()
    last_deletes: frozenset[GroundAtom] = frozenset()
    lasts: Bounds = Bounds()

    @property
    def needs(self) -> frozenset[GroundAtom]:
        return self.at_start | self.inside | self.at_end

    @property
    def adds(self) -> frozenset[GroundAtom]:
        return self.first_adds | self.last_adds


def obstacle(model: Model) -> str:
    """Return why no order of parts tells the course of a plan, empty where one does."""
    domain = model.domain
    if domain.processes or domain.events or next(continuous_effects(model), None) is not None:
        return "values change continuously"
    if model.problem.timed_goals:
        return "goals must hold at times"
    if not all(fact.is_fixed for fact in model.problem.timed):
        return "timed effects depend on the state"
    for action in domain.durative.values():
        if action.inner or action.stretches:
            return f"'{action.name}' has conditions or effects between its start and its end"
        if any(effect.earlier is not None for effect in action.effects):
            return f"effects at the end of '{action.name}' depend on its start"
        if any(bound.when is When.END for bound in action.durations):
            return f"the duration of '{action.name}' is bounded at its end"
    return ""


def at_ends(model: Model) -> Model:
    """Return a model in which what changes continuously while an action lasts changes at its end, all at once."""
    durative = {
        name: replace(
            action,
            effects=(*action.effects, TimedEffect(when=When.END, effects=tuple(map(_whole, action.continuous)))),
            continuous=(),
        )
        for name, action in model.domain.durative.items()
    }
    return replace(model, domain=replace(model.domain, durative=durative))


def _whole(effect: ContinuousEffect) -> Effect:
    operator, amount = "increase" if effect.sign > 0 else "decrease", Arithmetic("*", (effect.rate, DURATION))
    changed = NumericEffect(operator, effect.fluent, amount)
    return Conditional(effect.parameters, TRUE, (changed,)) if effect.parameters else changed


class Parts:
    """The parts of a model's steps in situations."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.closure = Closure(model)
        self.has_axioms = bool(model.domain.axioms)
        self._values = {("total-cost",): Fraction(0), **model.problem.values}
        self._changed = changed_functions(model)
        durative = model.domain.durative.values()
        self._reading = {each.name for each in durative if _mentions_duration((each.conditions, each.effects))}
        self._lasting = {each.name for each in durative if always_lasts(model, each)}
        self._relaxed: dict[Step, Relaxed] = {}
        self.free = self._free()
        """predicates that may become true at any time"""

    def _free(self) -> frozenset[str]:
        """Return derived predicates, and those of what no order has among its parts.

        That are events, what actions do between their start and their end, or after it, and timed effects that depend
        on the state.
        """
        domain = self.model.domain
        effects = [effect for event in domain.events for effect in event.effects]
        effects += [e for action in domain.durative.values() for inner in action.inner for e in inner.effects]
        effects += [fact.effect for fact in self.model.problem.timed if not fact.is_fixed]
        return frozenset(self.closure.predicates | changed_predicates(effects))

    def bound_atoms(self, atoms: Iterable[GroundAtom]) -> frozenset[GroundAtom]:
        """Return the atoms that only parts of orders can make true."""
        return frozenset(atom for atom in atoms if atom[0] not in self.free)

    def initial(self) -> State:
        values = sorted((key, value) for key, value in self._values.items() if key[0] in self._changed)
        return State(frozenset(self.model.problem.init), tuple(values))

    def situation(self, at: State, duration: Fraction | None = None) -> Situation:
        atoms: Set[GroundAtom] = self.closure.extend(at.atoms)
        values = {**self._values, **dict(at.values)}
        return Situation(model=self.model, atoms=atoms, values=values, duration=duration)

    # --- steps ---------------------------------------------------------------------------------

    def durative(self, subject: Subject) -> DurativeAction | None:
        return None if subject.step is None else self.model.domain.durative.get(subject.step.name)

    def binding(self, subject: Subject) -> Binding:
        if subject.step is None:
            return {}
        return bound(self.model.domain.actions[subject.step.name].parameters, subject.step.args)

    def first(self, subject: Subject) -> tuple[Part, ...]:
        """Return the parts that a step may begin with: with its end where it may last 0."""
        action = self.durative(subject)
        if action is None:
            return (Part.WHOLE,)
        return (Part.START,) if action.name in self._lasting else (Part.START, Part.END)

    def stated(self, subject: Subject, duration: Fraction | int | None) -> Part:
        """Return the part that a step begins with whose duration is stated: with its end where that is 0."""
        parts = self.first(subject)
        return parts[-1] if duration == 0 else parts[0]

    def invariants(self, subject: Subject) -> tuple[Formula, ...]:
        action = self.durative(subject)
        if action is None:
            return ()
        return tuple(timed.condition for timed in action.conditions if timed.when is When.ALL)

    def reads_of_invariants(self, subject: Subject) -> Reads:
        reads = Reads()
        reads.add(self.model, self.binding(subject), *self.invariants(subject))
        return reads

    def bounds(self, subject: Subject, at: State) -> Bounds | None:
        """Return the durations that a step may have which starts in a situation; None where a bound has no value."""
        action = self.durative(subject)
        assert action is not None
        binding, situation, found = self.binding(subject), self.situation(at), list[tuple[str, Fraction]]()
        for limit in action.durations:
            value = evaluate(limit.bound, binding, situation)
            if isinstance(value, Missing):
                return None
            found.append((limit.comparator, value))
        return Bounds(tuple(found))

    def reads_duration(self, subject: Subject) -> bool:
        """Return whether what a step does or needs depends on its duration."""
        return subject.step is not None and subject.step.name in self._reading

    def relaxed(self, step: Step) -> Relaxed:
        """Return what a step needs and does in any case, which is worked out once."""
        found = self._relaxed.get(step)
        if found is None:
            found = self._relaxed[step] = self._made(Subject(number=0, step=step), step)
        return found

    def relaxed_of(self, subject: Subject) -> Relaxed:
        assert subject.step is not None
        return self.relaxed(subject.step)

    def _made(self, subject: Subject, step: Step) -> Relaxed:
        action, binding, model = self.durative(subject), self.binding(subject), self.model
        if action is None:
            plain = model.domain.actions[step.name]
            return Relaxed(
                at_start=self.bound_atoms(needs(plain.precondition, binding)),
                first_adds=frozenset(_adds(model, plain.effects, (), binding)),
            )

        asked, added, deleted = ({when: set[GroundAtom]() for when in When} for _ in range(3))
        for condition in action.conditions:
            asked[condition.when].update(needs(condition.condition, binding))
        for effect in action.effects:
            added[effect.when].update(_adds(model, effect.effects, effect.parameters, binding))
            literals = (each for each in effect.effects if isinstance(each, Literal) and effect.earlier is None)
            deleted[effect.when].update(ground(each.atom, binding) for each in literals if not each.positive)
        is_fixed = not any(functions_of(limit.bound) & self._changed for limit in action.durations)
        return Relaxed(
            at_start=self.bound_atoms(asked[When.START]),
            inside=self.bound_atoms(asked[When.ALL]) if action.name in self._lasting else frozenset(),
            at_end=self.bound_atoms(asked[When.END]),
            first_adds=frozenset(added[When.START]),
            last_adds=frozenset(added[When.END]),
            first_deletes=frozenset(deleted[When.START]),
            last_deletes=frozenset(deleted[When.END]),
            lasts=(self.bounds(subject, self.initial()) if is_fixed else None) or Bounds(),
        )

    # --- parts ---------------------------------------------------------------------------------

    def planned(self, subject: Subject, part: Part, at: State, duration: Fraction | None) -> list[Planned]:
        """Return what a part reads and would do; a group of timed facts is several acts at once."""
        situation = self.situation(at, duration)
        if subject.step is None:
            return [planned(Act(part=Part.FACT, time=fact.time, fact=fact), situation) for fact in subject.facts]
        name = subject.step.name
        act = Act(
            part=part,
            time=Fraction(0),
            step=subject.step,
            action=self.model.domain.durative.get(name) or self.model.domain.actions[name],
            binding=self.binding(subject),
            duration=duration,
        )
        return [planned(act, situation)]

    def after(self, acts: list[Planned], at: State, duration: Fraction | None) -> State | None:
        """Return the situation after parts that take place together, or None where they cannot."""
        situation, update = self.situation(at, duration), Update()
        for each in acts:
            conditions = condition_of(each.act)[1]
            binding = each.act.binding or {}
            if each.update.undefined or any(truth(part, binding, situation) is not True for part in conditions):
                return None
            update.merge(each.update)
        changed, conflicts = update.values(situation.values)
        if conflicts:
            return None
        atoms = (at.atoms - update.deletes) | update.adds
        return State(atoms, tuple(sorted({**dict(at.values), **changed}.items())))

    def holds(self, formulas: tuple[Formula, ...], subject: Subject, at: State, duration: Fraction | None) -> bool:
        situation, binding = self.situation(at, duration), self.binding(subject)
        return all(truth(formula, binding, situation) is True for formula in formulas)

    def interfere(self, one: Planned, other: Planned) -> bool:
        """Return whether two parts may not take place together, as far as the situations before them tell."""
        return interference(one, other, self.closure) is not None

    def disturbs(self, acts: list[Planned], reads: Reads) -> bool:
        """Return whether parts change what invariants read."""
        return any(True for each in acts for _ in disturbances(reads, each.update, self.closure))


def facts_of(model: Model) -> list[tuple[TimedFact, ...]]:
    """Return the timed facts of each time, in order."""
    facts = sorted(model.problem.timed, key=lambda fact: fact.time)
    return [tuple(group) for _, group in groupby(facts, key=lambda fact: fact.time)]


def needs(formula: Formula, binding: Binding) -> Iterator[GroundAtom]:
    """Yield the atoms that a condition asks for in any case."""
    for part in conjuncts(formula):
        if isinstance(part, Atom):
            yield ground(part, binding)


def _adds(
    model: Model, effects: Iterable[Effect], parameters: tuple[Parameter, ...], outer: Binding
) -> Iterator[GroundAtom]:
    for binding in bindings(model, parameters, outer):
        for effect in effects:
            if isinstance(effect, Literal) and effect.positive:
                yield ground(effect.atom, binding)
            elif isinstance(effect, Conditional):
                yield from _adds(model, effect.effects, effect.parameters, binding)


def _mentions_duration(part: object) -> bool:
    """Return whether ``?duration`` stands somewhere in a part of a durative action."""
    if isinstance(part, tuple):
        return any(map(_mentions_duration, part))
    if part == DURATION:
        return True
    names = getattr(part, "__dataclass_fields__", None)
    return names is not None and any(_mentions_duration(getattr(part, name)) for name in names)
