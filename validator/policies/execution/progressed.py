"""What constraints on the trajectory still ask of a rest, after the states that have been: their progression.

After a state, a constraint asks of the states from the next one on what one or two other constraints do, or it is
settled: linear temporal logic is progressed so (Bacchus and Kabanza 1998), here over the operators of PDDL 3 whose
states are counted, as they are in plans without time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from fractions import Fraction
from itertools import chain, pairwise
from typing import TypeAlias

from validator.execution.time.acts.happening import is_temporal
from validator.execution.time.state import State
from validator.model.conditions import Binding, bindings, compares_numbers, predicates, substituted
from validator.model.formulas import walk
from validator.model.numeric import Situation, truth
from validator.model.pddl.write import trajectory_text
from validator.model.temporal import Preference, Trajectory
from validator.model.values import TOTAL_COST, Atom, GroundAtom, Model, Not, Or
from validator.records import replace

__all__ = ["BrokenError", "UnsettledError", "is_progressed", "progressed", "refuse_broken"]

_Holds: TypeAlias = tuple[bool, ...]
"""of each condition of a constraint, in one state"""

_PAID = f"({TOTAL_COST.function})"
_NEVER = Or(())
"""the condition of a preference that what has been violates"""


class BrokenError(Exception):
    """What has been violates a constraint, whose text it has, whatever comes."""


class UnsettledError(Exception):
    """What has been is not known well enough."""


def is_progressed(model: Model) -> bool:
    """Return whether the constraints of a model can be progressed: those that read neither times nor what was paid."""
    return not is_temporal(model) and all(
        each.operator in _AFTER and _PAID not in trajectory_text(each, {}) for each in _all(model)
    )


def progressed(model: Model, course: State, atoms: Set[GroundAtom], values: Mapping[GroundAtom, Fraction]) -> Model:
    """Return a model whose plans, from where a course has led, are those that go on as a model asks.

    ``atoms`` and ``values`` are what holds there now. Preferences that what has been violates stay, violated for ever.

    Raises BrokenError where a constraint is violated, UnsettledError where what it speaks of is not as in the course:
    since when is not known.
    """
    hard = _ground(model, _constraints(model), {})
    soft = [
        _bound(model, preference, binding)
        for preference in _preferences(model)
        for binding in bindings(model, preference.parameters, {})
    ]
    if strange := next(
        _strange(course, [*hard, *(each for one in soft for each in one.trajectories)], atoms, values), None
    ):
        said = f"({' '.join(strange)}) is not as planned, and since when is not known, at which constraints look back"
        raise UnsettledError(said)
    present = Situation(model=model, atoms=course.closure.extend(atoms, values), values=values)
    for before, now in pairwise(chain(_before(course), (present,))):
        hard = _next(hard, before, now)
        soft = [_next_soft(preference, before, now) for preference in soft]
    domain = replace(model.domain, constraints=(), preferences=())
    return replace(model, domain=domain, problem=replace(model.problem, constraints=hard, preferences=tuple(soft)))


def refuse_broken(model: Model, situation: Situation) -> None:
    """Raise BrokenError where a state violates what the problem's own constraints ask from it on, whatever comes."""
    _next(model.problem.constraints, situation, situation)


def _strange(
    course: State, asked: Iterable[Trajectory], atoms: Set[GroundAtom], values: Mapping[GroundAtom, Fraction]
) -> Iterator[GroundAtom]:
    """Yield what is not as in a course and may be what constraints on the way speak of."""
    parts = [part for each in asked for part in each.parts if each.operator != "at end"]
    named = {name for part in parts for name in predicates(part)}
    is_any = not named.isdisjoint(course.closure.predicates)
    spoken_of = {atom for part in parts for atom in walk(part) if isinstance(atom, Atom)}
    for atom in sorted(course.atoms ^ atoms):
        if is_any or any(_may_be(each, atom) for each in spoken_of):
            yield atom
    if is_any or any(map(compares_numbers, parts)):
        keys = sorted(values.keys() | course.values.keys())
        yield from (key for key in keys if values.get(key) != course.values.get(key))


def _may_be(atom: Atom, fact: GroundAtom) -> bool:
    """Return whether a fact is one that an atom speaks of, whose variables are any objects."""
    return atom.predicate == fact[0] and all(
        term.startswith("?") or term == name for term, name in zip(atom.terms, fact[1:], strict=True)
    )


def _before(course: State) -> Iterator[Situation]:
    """Yield the states of a course, but the last one."""
    last: Situation | None = None
    for _, each in course.replay():
        if last is not None:
            yield last
        last = replace(each, atoms=frozenset(each.atoms), values=dict(each.values))


def _all(model: Model) -> Iterator[Trajectory]:
    yield from _constraints(model)
    for preference in _preferences(model):
        yield from preference.trajectories


def _constraints(model: Model) -> tuple[Trajectory, ...]:
    return (*model.domain.constraints, *model.problem.constraints)


def _preferences(model: Model) -> tuple[Preference, ...]:
    return (*model.domain.preferences, *model.problem.preferences)


def _ground(model: Model, trajectories: Iterable[Trajectory], outer: Binding) -> tuple[Trajectory, ...]:
    """Return constraints for each tuple of objects of their own."""
    return tuple(
        replace(each, parts=tuple(substituted(part, binding) for part in each.parts), parameters=())
        for each in trajectories
        for binding in bindings(model, each.parameters, outer)
    )


def _bound(model: Model, preference: Preference, binding: Binding) -> Preference:
    condition = substituted(preference.condition, binding)
    asked = _ground(model, preference.trajectories, binding)
    return replace(preference, condition=condition, trajectories=asked, parameters=())


def _next_soft(preference: Preference, before: Situation, now: Situation) -> Preference:
    try:
        return replace(preference, trajectories=_next(preference.trajectories, before, now))
    except BrokenError:
        return replace(preference, condition=_NEVER, trajectories=())


def _next(trajectories: Iterable[Trajectory], before: Situation, now: Situation) -> tuple[Trajectory, ...]:
    """Return what constraints from one state on ask from the next one on, each once."""
    found: dict[Trajectory, None] = {}
    for each in trajectories:
        found |= dict.fromkeys(_AFTER[each.operator](each, _holds(each, before), _holds(each, now)))
    return tuple(found)


def _holds(trajectory: Trajectory, situation: Situation) -> _Holds:
    return tuple(truth(part, {}, situation) is True for part in trajectory.parts)


# --- the operators -------------------------------------------------------------------------------


def _broken(each: Trajectory) -> BrokenError:
    return BrokenError(trajectory_text(each, {}))


def _sooner(each: Trajectory) -> Trajectory:
    """Return a constraint whose time is one state nearer."""
    if each.times[0] < 1:
        raise _broken(each)
    return replace(each, times=(each.times[0] - 1,))


def _at_end(each: Trajectory, before: _Holds, now: _Holds) -> Iterator[Trajectory]:
    yield each


def _always(each: Trajectory, before: _Holds, now: _Holds) -> Iterator[Trajectory]:
    if not before[0]:
        raise _broken(each)
    yield each


def _sometime(each: Trajectory, before: _Holds, now: _Holds) -> Iterator[Trajectory]:
    if not before[0]:
        yield each


def _at_most_once(each: Trajectory, before: _Holds, now: _Holds) -> Iterator[Trajectory]:
    """A stretch that goes on is the first one of the rest; after one that ended, there is none."""
    is_over = before[0] and not now[0]
    yield Trajectory(operator="always", parts=(Not(each.parts[0]),)) if is_over else each


def _sometime_after(each: Trajectory, before: _Holds, now: _Holds) -> Iterator[Trajectory]:
    yield each
    if before[0] and not before[1]:
        yield Trajectory(operator="sometime", parts=each.parts[1:])


def _sometime_before(each: Trajectory, before: _Holds, now: _Holds) -> Iterator[Trajectory]:
    if before[0]:
        raise _broken(each)
    if not before[1]:
        yield each


def _within(each: Trajectory, before: _Holds, now: _Holds) -> Iterator[Trajectory]:
    if each.times[0] < 0:
        raise _broken(each)
    if not before[0]:
        yield _sooner(each)


def _always_within(each: Trajectory, before: _Holds, now: _Holds) -> Iterator[Trajectory]:
    yield each
    if before[0] and not before[1]:
        yield _sooner(Trajectory(operator="within", parts=each.parts[1:], times=each.times))


_AFTER: Mapping[str, Callable[[Trajectory, _Holds, _Holds], Iterator[Trajectory]]] = {
    "at end": _at_end,
    "always": _always,
    "sometime": _sometime,
    "at-most-once": _at_most_once,
    "sometime-after": _sometime_after,
    "sometime-before": _sometime_before,
    "within": _within,
    "always-within": _always_within,
}
