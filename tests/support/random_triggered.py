"""Small random problems over time, plans at fractions of time, and an executor of its own, as unified-planning has it.

What stands at a time reads the state before it, and may be together with what changes that. What changes one fluent at
one time twice is left open, and so is a number that two acts of one time take out of its bounds: ``None``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement, islice, permutations, product
from random import Random
from typing import Any, TypeAlias

__all__ = ["Act", "Interval", "Sample", "Timed", "makespan", "problem_of", "quicker", "sample", "verdict"]

Literal: TypeAlias = tuple[str, Any]
"""A fact with its truth, or ``x`` with what it is at least."""
At: TypeAlias = tuple[str, int]
"""``start`` or ``end``, and how much later."""
Timed: TypeAlias = tuple[Fraction, str, Fraction]
"""Start, name, duration; 0 for an action without one."""
State: TypeAlias = dict[str, Any]

MOST = 4
"""``x`` is from 0 to this"""


@dataclass(frozen=True)
class Interval:
    lower: At
    upper: At
    is_left_open: bool = False
    is_right_open: bool = False


@dataclass(frozen=True)
class Act:
    """Conditions on intervals, and effects: a fact that is set, or ``x`` with what is added; some if a fact holds."""

    durations: tuple[Fraction, Fraction] | None
    conditions: tuple[tuple[Interval, Literal], ...]
    effects: tuple[tuple[At, Literal, Literal | None], ...]


@dataclass(frozen=True)
class Sample:
    acts: dict[str, Act]
    start: tuple[Literal, ...]
    timed: tuple[tuple[Fraction, Literal], ...]
    goals: tuple[Literal, ...]
    timed_goals: tuple[tuple[Interval, Literal], ...]
    plan: tuple[Timed, ...]


# --- random problems -----------------------------------------------------------------------------


def sample(seed: int) -> Sample:
    draw = Random(f"triggered {seed}")
    has_inner = draw.random() < 0.35
    acts = {name: _act(draw, has_inner=has_inner) for name in ("a", "b", "c")[: draw.choice((2, 2, 3))]}
    if draw.random() < 0.3:
        acts = {name: _taking(draw, act) for name, act in acts.items()}
    facts = draw.sample("pqr", draw.randint(0, 2)) if draw.random() < 0.5 else []
    found = Sample(
        acts=acts,
        start=(*((fact, draw.random() < 0.4) for fact in "pqr"), ("x", draw.randint(0, 2))),
        timed=tuple((_time(draw, 5), (fact, draw.random() < 0.6)) for fact in facts),
        goals=tuple(_literal(draw, 0.15) for _ in range(draw.randint(1, 2))),
        timed_goals=tuple(_timed_goal(draw) for _ in range(1)) if draw.random() < 0.15 else (),
        plan=(),
    )
    return replace(found, plan=_plan(draw, found))


def _time(draw: Random, most: int) -> Fraction:
    return Fraction(draw.randint(0, most * 6), draw.choice((1, 2, 2, 3))) % (most + 1)


def _literal(draw: Random, share: float) -> Literal:
    return ("x", draw.randint(1, 3)) if draw.random() < share else (draw.choice("pqr"), draw.random() < 0.75)


def _act(draw: Random, *, has_inner: bool) -> Act:
    if draw.random() < 0.25:
        at = Interval(("start", 0), ("start", 0))
        conditions = tuple((at, _literal(draw, 0.2)) for _ in range(draw.randint(0, 1)))
        return Act(None, conditions, tuple(_effects(draw, [("start", 0)])))
    low = Fraction(draw.choice((2, 3, 4)), draw.choice((1, 1, 2)) if not has_inner else 1)
    times: list[At] = [("start", 0), ("end", 0)]
    if has_inner:
        low += 1
        times += [("start", 1), ("end", -1), ("end", 1)]
    conditions = tuple((_interval(draw, times), _literal(draw, 0.2)) for _ in range(draw.choice((0, 1, 1, 2))))
    return Act((low, low + draw.choice((0, 0, 1, Fraction(1, 2)))), conditions, tuple(_effects(draw, times)))


def _taking(draw: Random, act: Act) -> Act:
    """Return an act that takes away what others need at their starts, so that these may have to be at one time."""
    needed, taken = draw.sample("pqr", 2)
    at = Interval(("start", 0), ("start", 0))
    kept = [each for each in act.effects if each[0] != ("start", 0) or each[1][0] != taken]
    return replace(
        act,
        conditions=((at, (needed, True)), *act.conditions[:1]),
        effects=(*kept, (("start", 0), (taken, False), None)),
    )


def _effects(draw: Random, times: Sequence[At]) -> Iterator[tuple[At, Literal, Literal | None]]:
    for at in times:
        for fact in draw.sample("pqr", draw.choice((0, 1, 1, 2))):
            yield at, (fact, draw.random() < 0.65), _literal(draw, 0.2) if draw.random() < 0.1 else None
        if draw.random() < 0.2:
            yield at, ("x", draw.choice((1, 1, -1))), None


def _interval(draw: Random, times: Sequence[At]) -> Interval:
    if draw.random() < 0.35:
        at = draw.choice(times)
        return Interval(at, at)
    order = [at for at in (("start", 0), ("start", 1), ("end", -1), ("end", 0), ("end", 1)) if at in times]
    lower, upper = sorted(draw.sample(range(len(order)), 2))
    return Interval(order[lower], order[upper], draw.random() < 0.3, draw.random() < 0.3)


def _timed_goal(draw: Random) -> tuple[Interval, Literal]:
    begin = draw.randint(0, 4)
    end = begin + draw.randint(0, 2)
    is_point = begin == end
    interval = Interval(("start", begin), ("start", end), not is_point and draw.random() < 0.4)
    return replace(interval, is_right_open=not is_point and draw.random() < 0.4), _literal(draw, 0.1)


def _plan(draw: Random, model: Sample) -> tuple[Timed, ...]:
    """Return some steps, of which the durations mostly are right; most often a plan that is nearly valid."""
    found = [_step(draw, model) for _ in range(draw.randint(0, 3))]
    if draw.random() < 0.6:
        found = list(quicker(model, None, 2, 1_500) or found)
        if found and draw.random() < 0.6:
            place = draw.randrange(len(found))
            time, name, duration = found[place]
            found[place : place + 1] = draw.choice(
                ([], [(time + Fraction(1, 2), name, duration)], [_step(draw, model)])
            )
    return tuple(sorted(found))


def _step(draw: Random, model: Sample) -> Timed:
    name = draw.choice(list(model.acts))
    durations = model.acts[name].durations
    length = Fraction(0) if durations is None else draw.choice(durations) + draw.choice((0, 0, 0, 0, Fraction(1, 2)))
    return _time(draw, 4), name, Fraction(length)


def problem_of(model: Sample) -> Any:
    """Return a model as unified-planning has it."""
    from unified_planning.model import DurativeAction, InstantaneousAction, Problem, TimeInterval
    from unified_planning.model.metrics import MinimizeMakespan
    from unified_planning.shortcuts import GE, EndTiming, GlobalStartTiming, IntType, Not, StartTiming

    problem = Problem("random")
    start = dict(model.start)
    fluents = {fact: problem.add_fluent(fact, default_initial_value=start[fact]) for fact in "pqr"}
    fluents["x"] = problem.add_fluent("x", IntType(0, MOST), default_initial_value=start["x"])

    def formula(literal: Literal) -> Any:
        name, wanted = literal
        return GE(fluents["x"], wanted) if name == "x" else fluents[name] if wanted else Not(fluents[name])

    def timing(at: At) -> Any:
        return {"start": StartTiming, "end": EndTiming}[at[0]]() + at[1]

    for name, act in model.acts.items():
        action = InstantaneousAction(name) if act.durations is None else DurativeAction(name)
        if act.durations is not None:
            action.set_closed_duration_interval(*act.durations)
        for where, literal in act.conditions:
            if act.durations is None:
                action.add_precondition(formula(literal))
            else:
                ends = timing(where.lower), timing(where.upper)
                action.add_condition(TimeInterval(*ends, where.is_left_open, where.is_right_open), formula(literal))
        for at, (fact, value), only_if in act.effects:
            when = () if act.durations is None else (timing(at),)
            more = () if only_if is None else (formula(only_if),)
            if fact == "x":
                (action.add_increase_effect if value > 0 else action.add_decrease_effect)(
                    *when, fluents["x"], abs(value)
                )
            else:
                action.add_effect(*when, fluents[fact], value, *more)
        problem.add_action(action)
    for time, (fact, value) in model.timed:
        problem.add_timed_effect(GlobalStartTiming(time), fluents[fact], value)
    for where, literal in model.timed_goals:
        ends = GlobalStartTiming(where.lower[1]), GlobalStartTiming(where.upper[1])
        problem.add_timed_goal(TimeInterval(*ends, where.is_left_open, where.is_right_open), formula(literal))
    for literal in model.goals:
        problem.add_goal(formula(literal))
    problem.add_quality_metric(MinimizeMakespan())
    return problem


# --- executing -----------------------------------------------------------------------------------


def makespan(model: Sample, plan: Sequence[Timed]) -> Fraction:
    """Return when all steps, timed effects and timed goals are over."""
    ends = [time + duration for time, _, duration in plan]
    ends += [time for time, _ in model.timed] + [Fraction(where.upper[1]) for where, _ in model.timed_goals]
    return max(ends, default=Fraction(0))


def verdict(model: Sample, plan: Sequence[Timed]) -> bool | None:
    """Return whether a plan is valid, None where that is left open."""
    if not all(_lasts(model.acts[name], duration) for _, name, duration in plan):
        return False
    runs = [(name, time, time + duration) for time, name, duration in plan]
    if any(one[0] == other[0] and one[1] <= other[1] < one[2] for one, other in permutations(runs, 2)):
        return False  # an action may not run beside itself
    changes: dict[Fraction, list[tuple[int, Literal, Literal | None]]] = {}
    asked: list[tuple[Fraction, Fraction, Interval, Literal]] = []
    for number, (time, name, duration) in enumerate(plan):
        ends = {"start": time, "end": time + duration}
        for at, change, only_if in model.acts[name].effects:
            changes.setdefault(ends[at[0]] + at[1], []).append((number, change, only_if))
        for where, literal in model.acts[name].conditions:
            asked.append((ends[where.lower[0]] + where.lower[1], ends[where.upper[0]] + where.upper[1], where, literal))
    for time, change in model.timed:
        changes.setdefault(time, []).append((-1, change, None))
    asked += [(Fraction(w.lower[1]), Fraction(w.upper[1]), w, literal) for w, literal in model.timed_goals]
    states: list[tuple[Fraction | None, State]] = [(None, dict(model.start))]
    is_open = False
    for time in sorted(changes):
        found = _changed(states[-1][1], changes[time])
        if isinstance(found, str):
            if found == "fault":
                return False
            is_open = True
            found = dict(states[-1][1])
        states.append((time, found))
    if is_open:
        return None
    is_kept = all(_is_kept(states, *each) for each in asked)
    return is_kept and all(_holds(literal, states[-1][1]) for literal in model.goals)


def _lasts(act: Act, duration: Fraction) -> bool:
    return not duration if act.durations is None else act.durations[0] <= duration <= act.durations[1]


def _changed(state: State, changes: Sequence[tuple[int, Literal, Literal | None]]) -> State | str:
    """Return the state behind what happens at one time; "fault", or "open" where several acts meet."""
    made = [(number, change) for number, change, only_if in changes if only_if is None or _holds(only_if, state)]
    facts = [fact for _, (fact, _) in made if fact != "x"]
    if len(facts) != len(set(facts)):
        return "open"
    found = {**state, **dict(change for _, change in made if change[0] != "x")}
    more = [(number, value) for number, (fact, value) in made if fact == "x"]
    found["x"] += sum(value for _, value in more)
    if any(not 0 <= state["x"] + value <= MOST for _, value in more) or not 0 <= found["x"] <= MOST:
        return "fault" if len(more) == 1 else "open"
    return found


def _holds(literal: Literal, state: State) -> bool:
    name, wanted = literal
    return bool(state["x"] >= wanted if name == "x" else state[name] is wanted)


def _is_kept(
    states: Sequence[tuple[Fraction | None, State]], begin: Fraction, end: Fraction, where: Interval, literal: Literal
) -> bool:
    """Return whether a condition holds on an interval; at its ends the state before what happens there is read."""
    if begin > end:
        return True
    before = [state for time, state in states if time is None or time < begin][-1]
    if begin == end:
        return _holds(literal, before)
    # What happens at the beginning counts for the inside, and what happens at the end does not.
    inside = [[state for time, state in states if time is None or time <= begin][-1]]
    inside += [state for time, state in states if time is not None and begin < time < end]
    looked = inside if where.is_left_open else [before, *inside]
    return all(_holds(literal, state) for state in looked)


# --- the oracle ----------------------------------------------------------------------------------


def quicker(model: Sample, bound: Fraction | None, steps: int, most: int) -> list[Timed] | None:
    """Return a valid plan at halves of time that ends before a bound, None where there is none among the first."""
    plans = (
        [(time, name, duration) for name, (time, duration) in zip(names, places, strict=True)]
        for size in range(steps + 1)
        for names in combinations_with_replacement(model.acts, size)
        for places in product(*(_places(model.acts[name]) for name in names))
    )
    sooner = (plan for plan in plans if bound is None or makespan(model, plan) < bound)
    return next((plan for plan in islice(sooner, most) if verdict(model, plan)), None)


def _places(act: Act) -> list[tuple[Fraction, Fraction]]:
    lengths = {Fraction(0)} if act.durations is None else set(act.durations)
    return [(Fraction(time, 2), length) for time in range(9) for length in sorted(lengths)]
