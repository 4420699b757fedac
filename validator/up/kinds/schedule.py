"""Schedules of scheduling problems: times and arguments of activities, of which each takes place once.

Effects of one time take place together: what they add to a number adds up, so that a resource may be taken at the time
at which it is given back. Time goes by in whole steps there, and what must hold at a time is read with the effects of
that time (as unified-planning's own examples need it); where it holds before them only, or at whole times only, the
answer is open.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from validator.records import dataclass, field

if TYPE_CHECKING:
    from unified_planning.model import State
    from unified_planning.model.scheduling import SchedulingProblem
    from unified_planning.plans import Schedule

__all__ = ["Scheduled", "scheduled"]


_WITH, _BEFORE, _BETWEEN = "with the effects of its times", "before them", "between them"


@dataclass(slots=True)
class Scheduled:
    """What is wrong with a schedule, and what of it is not decided; one sentence each. ``makespan`` is when it ends."""

    faults: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    makespan: Fraction = Fraction(0)


def scheduled(problem: SchedulingProblem, plan: Schedule) -> Scheduled:
    """Judge a schedule."""
    return _Run(problem, plan).run()


class _Run:
    def __init__(self, problem: SchedulingProblem, plan: Schedule) -> None:
        self.problem = problem
        self.plan = plan
        self.found = Scheduled()
        self.manager = problem.environment.expression_manager
        self.values: dict[Any, Any] = {}
        """what parameters stand for"""
        self.times: dict[Any, Fraction] = {}
        """of the starts and ends of activities"""
        self._told = _times_told(problem.environment, self._time)

    def run(self) -> Scheduled:
        self._assigned()
        if self.found.faults:
            return self.found
        for activity in self.problem.activities:
            self._duration(activity)
        for constraint, activity in self.problem.all_constraints():
            self._constraint(constraint, activity)
        effects = self._effects()
        states = list(self._states(effects))
        for interval, condition, activity in self.problem.all_conditions():
            self._condition(interval, self._grounded(condition), states, activity)
        return self.found

    # --- variables -----------------------------------------------------------------------------

    def _assigned(self) -> None:
        names = [activity.name for activity in self.plan.activities]
        own = {activity.name for activity in self.problem.activities}
        for name in sorted(own - set(names)):
            self.found.faults.append(f"the activity '{name}' does not take place")
        for name in sorted(set(names) - own):
            self.found.faults.append(f"the problem has no activity '{name}'")
        for name in sorted({name for name in names if names.count(name) > 1}):
            self.found.faults.append(f"the activity '{name}' takes place more than once")
        for variable, _ in self.problem.all_variables():
            value = self.plan.assignment.get(variable)
            if value is None:
                self.found.faults.append(f"{_named(variable)} has no value")
            elif not hasattr(variable, "kind"):  # a parameter
                if not variable.type.is_compatible(value.type):
                    self.found.faults.append(f"{variable.name} is {value}, which is no {variable.type}")
                self.values[variable] = value
            elif not (value.is_int_constant() or value.is_real_constant()):
                self.found.faults.append(f"{_named(variable)} is {value}, which is no time")
            else:
                self.times[variable] = Fraction(value.constant_value())
                if self.problem.discrete_time and self.times[variable].denominator > 1:
                    self.found.open.append(f"{_named(variable)} is {value}, and time goes by in whole steps")
                if self.times[variable] < 0:
                    self.found.faults.append(f"{_named(variable)} is {value}, before the schedule begins")
        self.found.makespan = max(self.times.values(), default=Fraction(0))

    def _time(self, time: Any) -> Fraction:
        from unified_planning.model import Timing

        timing = Timing.from_time(time)
        if timing.is_global():
            return (Fraction(0) if timing.is_from_start() else self.found.makespan) + Fraction(timing.delay)
        return self.times[timing.timepoint] + Fraction(timing.delay)

    def _grounded(self, expression: Any) -> Any:
        """Return an expression with the values of parameters and of times in it."""
        return self._told.walk(expression.substitute(self.values))

    # --- what is asked for ---------------------------------------------------------------------

    def _duration(self, activity: Any) -> None:
        lasts, bounds = self.times[activity.end] - self.times[activity.start], activity.duration
        for bound, is_open, is_upper in (
            (bounds.lower, bounds.is_left_open(), False),
            (bounds.upper, bounds.is_right_open(), True),
        ):
            value = self._grounded(bound).simplify()
            if not (value.is_int_constant() or value.is_real_constant()):
                self.found.open.append(f"the duration of '{activity.name}' is bounded by {bound}, which is not decided")
                continue
            less = Fraction(value.constant_value()) - lasts if is_upper else lasts - Fraction(value.constant_value())
            if less < 0 or (is_open and less == 0):
                asked = f"{'at most' if is_upper else 'at least'} {value} is asked for"
                self.found.faults.append(f"the activity '{activity.name}' lasts {lasts}, and {asked}")

    def _constraint(self, constraint: Any, activity: Any) -> None:
        value = self._grounded(constraint).simplify()
        place = "" if activity is None else f" of '{activity.name}'"
        if value.is_false():
            self.found.faults.append(f"the constraint {constraint}{place} is false")
        elif not value.is_true():
            self.found.open.append(f"the constraint {constraint}{place} is not decided")

    def _condition(self, interval: Any, condition: Any, states: list[tuple[Fraction, State]], activity: Any) -> None:
        from unified_planning.model.walkers import StateEvaluator

        evaluator = StateEvaluator(self.problem)
        readings = self._readings(interval, [time for time, _ in states])
        place = "" if activity is None else f" of '{activity.name}'"
        said = f"the condition {condition}{place} is false"
        held = {name: all(evaluator.evaluate(condition, states[number][1]).is_true() for number in numbers)
                for name, numbers in readings.items()}  # fmt: skip
        failed = [name for name, is_held in held.items() if not is_held]
        if len(failed) == len(held):
            self.found.faults.append(said)
        elif set(failed) - {_BEFORE}:
            kept = [name for name, is_held in held.items() if is_held]
            self.found.open.append(f"{said} {' and '.join(failed)}, and true {' and '.join(kept)}")

    def _readings(self, interval: Any, times: Sequence[Fraction]) -> dict[str, range]:
        """Return the places of the states in which a condition must hold, by how its interval may be read."""
        lower, upper = self._time(interval.lower), self._time(interval.upper)
        is_left_open, is_right_open = interval.is_left_open(), interval.is_right_open()
        if lower > upper or (lower == upper and (is_left_open or is_right_open)):
            return {_WITH: range(0)}

        def behind(time: Fraction) -> int:
            return max(bisect_right(times, time) - 1, 0)

        def before(time: Fraction) -> int:
            return max(bisect_left(times, time) - 1, 0)

        moments = range(behind(lower), (before if is_right_open else behind)(upper) + 1)
        if not self.problem.discrete_time:
            return {_WITH: moments, _BEFORE: range((behind if is_left_open else before)(lower), before(upper) + 1)}
        first = Fraction(floor(lower) + 1 if is_left_open else ceil(lower))
        last = Fraction(ceil(upper) - 1 if is_right_open else floor(upper))
        if first > last:
            return {_WITH: range(0), _BEFORE: range(0), _BETWEEN: moments}
        return {
            _WITH: range(behind(first), behind(last) + 1),
            _BEFORE: range(before(first), before(last) + 1),
            _BETWEEN: moments,
        }

    # --- states --------------------------------------------------------------------------------

    def _effects(self) -> dict[Fraction, list[Any]]:
        found: dict[Fraction, list[Any]] = {}
        for timing, effect, _ in self.problem.all_effects():
            found.setdefault(self._time(timing), []).append(effect)
        return dict(sorted(found.items()))

    def _states(self, effects: dict[Fraction, list[Any]]) -> Iterator[tuple[Fraction, State]]:
        """Yield the initial state, before all times, and the state with the effects of each time."""
        from unified_planning.model import UPState

        state = UPState(self.problem.initial_values, self.problem)
        yield Fraction(-1), state
        for time, now in effects.items():
            if time < 0:
                self.found.open.append(f"an effect takes place at {time}, before the schedule begins")
                continue
            state = state.make_child(self._changes(time, now, state))
            yield time, state

    def _changes(self, time: Fraction, effects: Iterable[Any], state: State) -> dict[Any, Any]:
        from unified_planning.model.walkers import StateEvaluator

        evaluator = StateEvaluator(self.problem)
        assigned: dict[Any, Any] = {}
        added: dict[Any, Fraction] = {}
        for effect in effects:
            if not evaluator.evaluate(self._grounded(effect.condition), state).is_true():
                continue
            grounded = self._grounded(effect.fluent)
            fluent = grounded.fluent()(*(evaluator.evaluate(argument, state) for argument in grounded.args))
            value = evaluator.evaluate(self._grounded(effect.value), state)
            if effect.is_assignment():
                if assigned.setdefault(fluent, value) != value or fluent in added:
                    self.found.faults.append(f"effects on {fluent} conflict at {time}")
            else:
                change = Fraction(value.constant_value()) * (1 if effect.is_increase() else -1)
                added[fluent] = added.get(fluent, Fraction(0)) + change
                if fluent in assigned:
                    self.found.faults.append(f"effects on {fluent} conflict at {time}")
        for fluent, change in added.items():
            total = Fraction(state.get_value(fluent).constant_value()) + change
            is_whole = total.denominator == 1
            assigned[fluent] = self.manager.Int(total.numerator) if is_whole else self.manager.Real(total)
        for fluent, value in assigned.items():
            self._within(fluent, value, time)
        return assigned

    def _within(self, fluent: Any, value: Any, time: Fraction) -> None:
        kind = fluent.fluent().type
        if not (kind.is_int_type() or kind.is_real_type()):
            return
        number = Fraction(value.constant_value())
        if kind.lower_bound is not None and number < kind.lower_bound:
            self.found.faults.append(f"{fluent} falls to {value} at {time}, below {kind.lower_bound}")
        if kind.upper_bound is not None and number > kind.upper_bound:
            self.found.faults.append(f"{fluent} grows to {value} at {time}, above {kind.upper_bound}")


def _times_told(environment: Any, time: Callable[[Any], Fraction]) -> Any:
    """Return what puts numbers into expressions in the place of times."""
    from unified_planning.model.walkers.identitydag import IdentityDagWalker

    class _Told(IdentityDagWalker):  # type: ignore[misc]
        def walk_timing_exp(self, expression: Any, args: Any, **_: Any) -> Any:
            return environment.expression_manager.Real(time(expression.timing()))

    return _Told(environment)


def _named(variable: Any) -> str:
    return str(variable.name) if hasattr(variable, "name") else str(variable)
