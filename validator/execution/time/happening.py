"""What takes place at one time of a plan, and in which order: the happenings (Fox and Long 2003, section 5).

A durative action is two instantaneous parts, one at its start and one at its end. A timed initial literal is a part
of no step (Edelkamp and Hoffmann 2004).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from fractions import Fraction
from itertools import groupby

from validator.execution.trace import Failure, Kind
from validator.model.conditions import Binding, bound
from validator.model.temporal import DurativeAction, TimedFact, TimedGoal, TimeModel
from validator.model.values import Action, Literal, Model
from validator.reading.plan import Step, Token
from validator.records import dataclass, replace
from validator.texts import decimal


@dataclass(frozen=True, slots=True)
class Separation:
    """How far apart acts must be that interfere, and how near a duration must be to what bounds it.

    ``together`` is how long after the first act of a happening others are taken to happen with it, at its time.
    """

    epsilon: Fraction
    tolerance: Fraction
    together: Fraction = Fraction(0)

    @classmethod
    def of(cls, epsilon: Fraction) -> Separation:
        return cls(epsilon, epsilon)

    @classmethod
    def as_val(cls, tolerance: Fraction) -> Separation:
        """Return what VAL's ``-t`` means (``Plan.cpp``, ``Action.cpp``): acts of two happenings never interfere."""
        return cls(Fraction(0), tolerance, tolerance / 10)


class Part(StrEnum):
    WHOLE = "whole"
    """an instantaneous action"""
    START = "start"
    END = "end"
    INNER = "inner part"
    """what a durative action asks for and does between its start and its end"""
    FACT = "fact"
    """a timed initial literal"""
    GOAL = "goal"
    """where the interval of a timed goal begins or ends"""
    EVENT = "event"


@dataclass(slots=True, eq=False)
class Act:
    """One part of a step, one timed fact, one event, or a border of a timed goal.

    ``place`` is the index of its step from 0, None without a step; ``index`` that of its token. The parts of a
    durative action are distinguished by ``part`` and ``time`` and share ``run``. ``inner`` are the indices of what the
    action asks for and does at this time besides; ``begins`` and ``ends`` are those of its stretches that do so now, or
    of the timed goals.
    """

    part: Part
    time: Fraction
    place: int | None = None
    index: int | None = None
    step: Step | None = None
    action: Action | DurativeAction | None = None
    binding: Binding | None = None
    fact: TimedFact | None = None
    duration: Fraction | None = None
    run: Run | None = None
    inner: tuple[int, ...] = ()
    begins: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()

    def __str__(self) -> str:
        if self.fact is not None:
            return f"the timed {'literal' if isinstance(self.fact.effect, Literal) else 'value'}"
        if self.part is Part.GOAL:
            return "the timed goal"
        if self.part is Part.EVENT:
            return f"the event {self.step}"
        named = f"step {(self.place or 0) + 1} {self.step}"
        return named if self.part is Part.WHOLE else f"the {self.part.value} of {named}"


@dataclass(slots=True, eq=False)
class Run:
    """The course of one durative action: set at its start, read until its end."""

    has_begun: bool = False
    is_running: bool = False
    earlier: tuple[tuple[int, Binding], ...] = ()
    """which conditional effects at the end have met their condition at the start: index and binding"""


@dataclass(frozen=True, slots=True)
class Happening:
    """What takes place at one time; ``time`` is a number of steps where the plan has no time stamps."""

    time: Fraction
    acts: tuple[Act, ...]


def is_temporal(model: Model) -> bool:
    """Return whether the plans of a model need time stamps."""
    domain, problem = model.domain, model.problem
    return bool(domain.durative or domain.processes or domain.events or problem.timed or problem.timed_goals)


def happenings(
    model: Model,
    plan: Sequence[tuple[int, int, Token, Fraction | None]],
    together: Fraction = Fraction(0),
    *,
    is_sequence: bool = False,
) -> list[Happening]:
    """Return the happenings of a plan in order of time, timed facts included.

    ``plan`` holds index, place, step and duration of every step that fits the model, in order of execution. Without
    time stamps every step, or every set of concurrent ones, is a happening, and its time is its number from 1. Acts no
    later than ``together`` after the first of a happening happen at its time. In a sequence each step is a happening,
    after the timed facts of its time.
    """
    steps = [(index, place, step, duration) for index, place, step, duration in plan if isinstance(step, Step)]
    if not is_temporal(model) and any(step.time is None for _, _, step, _ in steps):
        groups = [list(group) for _, group in groupby(steps, key=lambda entry: _set(entry[0], entry[2]))]
        return [
            Happening(Fraction(number), tuple(act for entry in group for act in _acts(model, Fraction(number), *entry)))
            for number, group in enumerate(groups, 1)
        ]
    acts = [act for entry in steps for act in _acts(model, entry[2].time or Fraction(0), *entry)]
    acts += [Act(part=Part.FACT, time=fact.time, fact=fact) for fact in model.problem.timed]
    acts += _goals(model.problem.timed_goals, acts)
    acts.sort(key=lambda act: act.time)
    if together:
        acts = list(_gathered(acts, together))
    if is_sequence:
        acts.sort(key=lambda act: (act.time, -1 if act.index is None else act.index))
        each = groupby(acts, key=lambda act: (act.time, act.index))
        return [Happening(time, tuple(group)) for (time, _), group in each]
    return [Happening(time, tuple(group)) for time, group in groupby(acts, key=lambda act: act.time)]


def _goals(goals: Sequence[TimedGoal], acts: Sequence[Act]) -> Iterator[Act]:
    """Yield the borders of timed goals. What is told from the end of the plan is told from its last act."""
    borders: dict[Fraction, tuple[list[int], list[int]]] = {}
    told = [border.delay for goal in goals for border in (goal.begin, goal.end) if not border.is_from_end]
    last = max((*(act.time for act in acts), *told), default=Fraction(0))
    for number, goal in enumerate(goals):
        for which, border in enumerate((goal.begin, goal.end)):
            borders.setdefault(border.of(Fraction(0), last), ([], []))[which].append(number)
    for time, (begins, ends) in borders.items():
        yield Act(part=Part.GOAL, time=time, begins=tuple(begins), ends=tuple(ends))


def _gathered(acts: Iterable[Act], together: Fraction) -> Iterator[Act]:
    """Yield acts, sorted by time, at the time of the first act of their happening."""
    first: Fraction | None = None
    for act in acts:
        if first is None or act.time > first + together:
            first = act.time
        yield act if act.time == first else replace(act, time=first)


def time_faults(model: TimeModel | None, found: Sequence[Happening]) -> Iterator[Failure]:
    """Yield what breaks the rules of a problem for all times: steps too near, at broken times, or twice at once."""
    if model is None:
        return
    before: Act | None = None
    running: dict[tuple[str, tuple[str, ...]], Act] = {}
    for act in (act for happening in found for act in happening.acts if act.part not in (Part.GOAL, Part.EVENT)):
        if model.is_discrete and act.time.denominator != 1 and act.place is not None:
            said = f"{act} is at {decimal(act.time)}; the times of the problem are whole numbers (discrete_time)"
            yield Failure(step=act.place, kind=Kind.DURATION, detail=said, time=act.time)
        if model.epsilon and before is not None and 0 < (apart := act.time - before.time) < model.epsilon:
            said = f"{decimal(apart)} apart, less than the problem's epsilon, {decimal(model.epsilon)}"
            later, earlier = (before, act) if act.place is None else (act, before)
            detail = f"{later} and {earlier} are {said}"
            if later.place is not None:  # two timed effects are no fault of a plan
                yield Failure(step=later.place, kind=Kind.MUTEX, detail=detail, time=later.time, rival=earlier.place)
        before = act
        if act.part is not Part.START or model.may_overlap or act.step is None or act.duration is None:
            continue
        key = (act.step.name, act.step.args)
        other = running.get(key)
        if other is not None and other.duration is not None and act.time < other.time + other.duration:
            said = f"step {(other.place or 0) + 1} with the same arguments is still running (self_overlapping is false)"
            yield Failure(step=act.place, kind=Kind.MUTEX, detail=said, time=act.time, rival=other.place)
        if other is None or other.duration is None or act.time + act.duration > other.time + other.duration:
            running[key] = act


def _set(index: int, step: Step) -> tuple[str, object]:
    return ("index", index) if step.concurrent is None else ("set", step.concurrent)


def _acts(
    model: Model, time: Fraction, index: int, place: int, step: Step, duration: Fraction | None
) -> tuple[Act, ...]:
    durative = model.domain.durative.get(step.name)
    if durative is None:
        action = model.domain.actions[step.name]
        binding = bound(action.parameters, step.args)
        return (Act(part=Part.WHOLE, time=time, place=place, index=index, step=step, action=action, binding=binding),)
    assert duration is not None
    binding, run = bound(durative.parameters, step.args), Run()
    parts = [(Part.START, time, _NONE), (Part.END, time + duration, _NONE)]
    if (durative.inner or durative.stretches) and duration > 0:
        parts = list(_parted(durative, time, time + duration))
    return tuple(
        Act(
            part=part,
            time=when,
            place=place,
            index=index,
            step=step,
            action=durative,
            binding=binding,
            duration=duration,
            run=run,
            inner=inner,
            begins=begins,
            ends=ends,
        )
        for part, when, (inner, begins, ends) in parts
    )


_Besides = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""what takes place at a time of an action besides its start or end: of its inner parts, stretches that begin and end"""

_NONE: _Besides = ((), (), ())


def _parted(action: DurativeAction, start: Fraction, end: Fraction) -> Iterator[tuple[Part, Fraction, _Besides]]:
    """Yield the parts of an action; what it does at one time is one part."""
    times: dict[Fraction, tuple[list[int], list[int], list[int]]] = {start: ([], [], []), end: ([], [], [])}
    for number, inner in enumerate(action.inner):
        times.setdefault(inner.at.of(start, end), ([], [], []))[0].append(number)
    for number, stretch in enumerate(action.stretches):
        first, last = stretch.begin.of(start, end), stretch.end.of(start, end)
        if first < last:
            times.setdefault(first, ([], [], []))[1].append(number)
            times.setdefault(last, ([], [], []))[2].append(number)
    for time, (inners, begins, ends) in times.items():
        part = Part.START if time == start else Part.END if time == end else Part.INNER
        yield part, time, (tuple(inners), tuple(begins), tuple(ends))
