"""Small random scheduling problems with schedules, and what is right of them: by looking at each whole time.

What holds at a time may be read with the effects of that time or without them; that time is whole does not tell what
holds between two times. So a condition may be kept in all readings, in none, or in some, which leaves it open:
``None``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from unified_planning.model.scheduling import SchedulingProblem
    from unified_planning.plans import Schedule

__all__ = ["Case", "expected", "in_unified_planning", "random_case"]

Where: TypeAlias = tuple[str, int]
"""``start`` or ``end`` of the activity, or ``global``, and how much later"""
Atom: TypeAlias = tuple[str, str]
"""a fact or a number with a place, which may be the activity's own, ``x``"""

PLACES = ("left", "right")
_MOST = 2
"""numbers are from 0 to this"""
_HORIZON = 16


@dataclass(frozen=True, kw_only=True)
class Effect:
    """A fact that is set or a number that changes by ``value``; ``only_if`` is a fact with its truth."""

    at: Where
    atom: Atom
    value: bool | int
    only_if: tuple[Atom, bool] | None = None


@dataclass(frozen=True, kw_only=True)
class Condition:
    lower: Where
    upper: Where
    is_left_open: bool
    is_right_open: bool
    atom: Atom
    value: bool | int
    """of a fact, or what a number is at least"""


@dataclass(frozen=True, kw_only=True)
class Activity:
    durations: tuple[int, int]
    effects: tuple[Effect, ...]
    conditions: tuple[Condition, ...]
    earliest: int | None
    latest: int | None


@dataclass(frozen=True, kw_only=True)
class Case:
    """``times`` are the start and the end of each activity that takes place, ``places`` where."""

    activities: Mapping[str, Activity]
    start: Mapping[Atom, bool | int]
    base: Activity
    """what takes place and must hold in any case, at global times"""
    after: tuple[tuple[str, str], ...]
    """pairs of which the second begins when the first has ended, or later"""
    apart: tuple[tuple[str, str], ...]
    """pairs that are at different places"""
    times: Mapping[str, tuple[int, int]]
    places: Mapping[str, str]


# --- what is random ----------------------------------------------------------------------------------


def random_case(seed: int) -> Case:
    """Return a problem with a schedule that is right, as far as one is soon found, or has a fault or more."""
    draw = Random(f"schedules {seed}")
    names = ("one", "two", "three")[: draw.randint(1, 3)]
    pairs = [(one, other) for one in names for other in names if one < other]
    case = Case(
        activities={name: _activity(draw) for name in names},
        start={
            (name, place): draw.random() < 0.5 if name == "busy" else draw.randint(0, _MOST)
            for name in ("busy", "stock")
            for place in PLACES
        },
        base=_base(draw),
        after=tuple(draw.sample(pairs, min(len(pairs), draw.choice((0, 0, 1))))),
        apart=tuple(draw.sample(pairs, min(len(pairs), draw.choice((0, 0, 1))))),
        times={},
        places={},
    )
    wants_right = draw.random() < 0.65
    for _ in range(80 if wants_right else 1):
        case = _scheduled(draw, case)
        if expected(case) is True:
            break
    if draw.random() < 0.3:
        name = draw.choice(names)
        begin, end = case.times[name]
        moved = draw.choice(((begin + 1, end + 1), (begin, end + 1), (begin, end - 1)))
        case = replace(case, times={**case.times, name: moved})
    return case


def _scheduled(draw: Random, case: Case) -> Case:
    times = {}
    for name, activity in case.activities.items():
        begin = draw.randint(0, 5)
        times[name] = begin, begin + draw.randint(*activity.durations)
    return replace(case, times=times, places={name: draw.choice(PLACES) for name in case.activities})


def _activity(draw: Random) -> Activity:
    low = draw.randint(0, 3)
    places = ("x", "x", "x", *PLACES)
    effects = list[Effect]()
    if draw.random() < 0.4:
        atom = ("stock", draw.choice(places))
        effects += [Effect(at=("start", 0), atom=atom, value=-1), Effect(at=("end", 0), atom=atom, value=1)]
    effects += (_effect(draw, ("start", "end"), places) for _ in range(draw.choice((0, 1, 1, 2))))
    return Activity(
        durations=(low, low + draw.choice((0, 0, 1))),
        effects=tuple(effects),
        conditions=tuple(_condition(draw, ("start", "end"), places) for _ in range(draw.choice((0, 0, 1, 1)))),
        earliest=draw.randint(0, 2) if draw.random() < 0.15 else None,
        latest=draw.randint(4, 8) if draw.random() < 0.15 else None,
    )


def _base(draw: Random) -> Activity:
    return Activity(
        durations=(0, 0),
        effects=tuple(_effect(draw, ("global",), PLACES) for _ in range(draw.choice((0, 0, 0, 1)))),
        conditions=tuple(_condition(draw, ("global",), PLACES) for _ in range(draw.choice((0, 0, 0, 1)))),
        earliest=None,
        latest=None,
    )


def _effect(draw: Random, ends: tuple[str, ...], places: tuple[str, ...]) -> Effect:
    name = draw.choice(("busy", "busy", "stock"))
    later = draw.randint(0, 5) if ends == ("global",) else draw.choice((0, 0, 0, 1))
    only_if = (("busy", draw.choice(places)), draw.random() < 0.5) if draw.random() < 0.15 else None
    value = draw.random() < 0.5 if name == "busy" else draw.choice((-1, 1))
    return Effect(at=(draw.choice(ends), later), atom=(name, draw.choice(places)), value=value, only_if=only_if)


def _condition(draw: Random, ends: tuple[str, ...], places: tuple[str, ...]) -> Condition:
    name = draw.choice(("busy", "busy", "stock"))
    if ends == ("global",):
        begin = draw.randint(0, 5)
        lower, upper = ("global", begin), ("global", begin + draw.randint(0, 3))
    else:
        lower, upper = draw.choice(((("start", 0), ("end", 0)), (("start", 0), ("start", 0)), (("end", 0), ("end", 0))))
    is_point = lower == upper
    return Condition(
        lower=lower,
        upper=upper,
        is_left_open=not is_point and draw.random() < 0.4,
        is_right_open=not is_point and draw.random() < 0.4,
        atom=(name, draw.choice(places)),
        value=draw.random() < 0.5 if name == "busy" else 1,
    )


# --- what is right -----------------------------------------------------------------------------------


def expected(case: Case) -> bool | None:
    """Return whether a schedule is right; None where the readings of a condition differ."""
    for name, activity in case.activities.items():
        begin, end = case.times[name]
        if begin < 0 or not activity.durations[0] <= end - begin <= activity.durations[1]:
            return False
        if (activity.earliest is not None and begin < activity.earliest) or (
            activity.latest is not None and end > activity.latest
        ):
            return False
    if any(case.times[one][1] > case.times[other][0] for one, other in case.after):
        return False
    if any(case.places[one] == case.places[other] for one, other in case.apart):
        return False
    states = [dict(case.start)]  # before time 0; behind each time
    for time in range(_HORIZON):
        after = _after(case, states[-1], time)
        if after is None:
            return False
        states.append(after)
    found = {_is_kept(case, name, condition, states) for name, _, condition in _conditions(case)}
    return False if False in found else None if None in found else True


def _parts(case: Case) -> Iterator[tuple[str, Activity]]:
    yield from case.activities.items()
    yield "", case.base


def _conditions(case: Case) -> Iterator[tuple[str, Activity, Condition]]:
    for name, activity in _parts(case):
        for condition in activity.conditions:
            yield name, activity, condition


def _time(case: Case, name: str, where: Where) -> int:
    kind, later = where
    return (0 if kind == "global" else case.times[name][0] if kind == "start" else case.times[name][1]) + later


def _atom(case: Case, name: str, atom: Atom) -> Atom:
    return (atom[0], case.places[name]) if atom[1] == "x" else atom


def _after(case: Case, state: dict[Atom, bool | int], time: int) -> dict[Atom, bool | int] | None:
    """Return the state with the effects of a time; None where they conflict or a number leaves its bounds."""
    found, assigned = dict(state), dict[Atom, bool]()
    for name, activity in _parts(case):
        for effect in activity.effects:
            if _time(case, name, effect.at) != time:
                continue
            if effect.only_if is not None and state[_atom(case, name, effect.only_if[0])] is not effect.only_if[1]:
                continue
            atom = _atom(case, name, effect.atom)
            if isinstance(effect.value, bool):
                if assigned.setdefault(atom, effect.value) is not effect.value:
                    return None
                found[atom] = effect.value
            else:
                found[atom] += effect.value
    return found if all(isinstance(value, bool) or 0 <= value <= _MOST for value in found.values()) else None


def _is_kept(case: Case, name: str, condition: Condition, states: list[dict[Atom, bool | int]]) -> bool | None:
    """Return whether a condition holds in all readings, or in none; ``states[t]`` is the one before the time ``t``."""
    lower, upper = _time(case, name, condition.lower), _time(case, name, condition.upper)
    times = range(lower + condition.is_left_open, upper + 1 - condition.is_right_open)
    atom = _atom(case, name, condition.atom)

    def holds(number: int) -> bool:
        value = states[min(number, _HORIZON)][atom]
        return value is condition.value if isinstance(condition.value, bool) else value >= condition.value

    with_effects = all(holds(time + 1) for time in times)
    without = all(holds(time) for time in times)
    is_empty = lower == upper and (condition.is_left_open or condition.is_right_open)
    between = is_empty or all(holds(time + 1) for time in range(lower, upper + (not condition.is_right_open)))
    if with_effects and between:
        return True
    return None if with_effects or without or between else False


# --- in unified-planning -----------------------------------------------------------------------------


def in_unified_planning(case: Case) -> tuple[SchedulingProblem, Schedule]:
    """Return a case as unified-planning has it."""
    from unified_planning.model.scheduling import SchedulingProblem
    from unified_planning.plans import Schedule
    from unified_planning.shortcuts import GE, LE, Equals, GlobalStartTiming, IntType, Not, TimeInterval, UserType
    from unified_planning.shortcuts import Timing as UpTiming

    problem, place = SchedulingProblem("random"), UserType("place")
    fluents = {
        "busy": problem.add_fluent("busy", default_initial_value=False, place=place),
        "stock": problem.add_fluent("stock", IntType(0, _MOST), default_initial_value=0, place=place),
    }
    objects = {name: problem.add_object(name, place) for name in PLACES}
    for (name, where), value in case.start.items():
        problem.set_initial_value(fluents[name](objects[where]), value)
    own: dict[str, Any] = {}
    where_of: dict[str, Any] = {}
    for name in case.activities:
        own[name] = problem.add_activity(name)
        where_of[name] = own[name].add_parameter("where", place)

    def said(name: str, atom: Atom) -> Any:
        return fluents[atom[0]](where_of[name] if atom[1] == "x" else objects[atom[1]])

    def timing(name: str, where: Where) -> Any:
        kind, later = where
        if kind == "global":
            return GlobalStartTiming(later)
        return UpTiming(later, own[name].start if kind == "start" else own[name].end)

    def formula(name: str, atom: Atom, value: bool | int) -> Any:
        found = said(name, atom)
        return GE(found, value) if not isinstance(value, bool) else found if value else Not(found)

    for name, activity in _parts(case):
        part = own.get(name, problem)
        if name:
            part.set_duration_bounds(*activity.durations)
        for effect in activity.effects:
            only_if = True if effect.only_if is None else formula(name, *effect.only_if)
            at = timing(name, effect.at)
            if isinstance(effect.value, bool):
                part.add_effect(at, said(name, effect.atom), effect.value, only_if)
            else:
                add = part.add_increase_effect if effect.value > 0 else part.add_decrease_effect
                add(at, said(name, effect.atom), abs(effect.value), only_if)
        for condition in activity.conditions:
            ends = timing(name, condition.lower), timing(name, condition.upper)
            interval = TimeInterval(*ends, condition.is_left_open, condition.is_right_open)
            part.add_condition(interval, formula(name, condition.atom, condition.value))
        if activity.earliest is not None:
            part.add_release_date(activity.earliest)
        if activity.latest is not None:
            part.add_deadline(activity.latest)
    for one, other in case.after:
        problem.add_constraint(LE(own[one].end, own[other].start))
    for one, other in case.apart:
        problem.add_constraint(Not(Equals(where_of[one], where_of[other])))
    assignment: dict[Any, Any] = {}
    for name, (begin, end) in case.times.items():
        assignment |= {own[name].start: begin, own[name].end: end, where_of[name]: objects[case.places[name]]}
    return problem, Schedule(list(own.values()), assignment, problem.environment)
