"""Running a plan on a model with numbers, time or soft conditions: faults, cost, preferences, what stays open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from validator.execution.simulator import Simulator
from validator.execution.time.effects import Update, collect
from validator.execution.time.flow import OpenError
from validator.execution.time.happening import Happening, Part, Separation, happenings, is_temporal, time_faults
from validator.execution.time.machine import Machine
from validator.execution.time.metric import changed_functions, metric_value
from validator.execution.time.state import State
from validator.execution.time.trajectory import Point, Violation, violation
from validator.execution.trace import Cause, Failure, Kind, UnmetGoal
from validator.model.conditions import bindings, bound, compares_numbers
from validator.model.derived import Closure
from validator.model.numeric import Missing, Situation, evaluate, truth, unsatisfied
from validator.model.pddl.write import formula_text, trajectory_text
from validator.model.temporal import Preference, Trajectory, When
from validator.model.values import Formula, Model, functions_of
from validator.reading.plan import Plan, Step, Token
from validator.records import dataclass, field, replace
from validator.texts import decimal

DEFAULT_SEPARATION = Separation.of(Fraction(1, 1000))
"""Acts that interfere must be this far apart, and a stated duration may differ by this much from its bounds."""

BEYOND_PDDL = (
    "intermediate-conditions",
    "intermediate-effects",
    "timed-goals",
    "conditional-timed-effects",
    "timed-effects-that-read-values",
)
"""what unified-planning has over time and PDDL has not; plans of such models are executed as wholes only"""

_EXECUTED = frozenset(
    (
        "numeric-fluents",
        "conditional-costs",
        "durative-actions",
        "timed-initial-literals",
        "constraints",
        "preferences",
        "processes",
        "events",
        "continuous-effects",
        "numbers-in-derived-predicates",
        # of unified-planning: the fluents are predicates, the numbers objects
        "fluents-of-objects",
        "parameters-that-are-numbers",
        *BEYOND_PDDL,
    )
)


def not_executed(model: Model) -> Mapping[str, str]:
    """Return what a model uses that no execution follows, each with the place of its first use."""
    if not model.domain.is_whole:
        return model.features
    return {name: place for name, place in model.features.items() if name not in _EXECUTED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """What came of a plan.

    ``violations`` counts the violated instances of each preference. ``open`` are reasons for which the execution does
    not decide: then ``failures`` are the faults that it found before. ``open_goal`` are reasons that concern the goal
    and the trajectory constraints only. ``cost`` is the metric's value, the makespan of a plan over time without a
    metric, or the number of steps; None where it has no value.
    """

    failures: tuple[Failure, ...]
    unmet_goals: tuple[UnmetGoal, ...] = ()
    cost: Fraction | None = None
    violations: Mapping[str, int]
    open: tuple[str, ...] = ()
    open_goal: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    state: State
    happenings: tuple[Happening, ...] = ()
    makespan: Fraction = Fraction(0)
    tolerated: Mapping[int, Fraction] = field(default_factory=dict)


def execute(simulator: Simulator, plan: Plan, apart: Separation = DEFAULT_SEPARATION) -> Execution:
    """Execute a plan on a model that is whole and uses nothing but what is executed.

    ``tolerated`` of the result are the nearest durations within the bounds for those that are outside of them by no
    more than the tolerance, by the index of their tokens.
    """
    plan, told = _with_durations(simulator, plan, apart)
    found = _Run(simulator, plan, apart).run()
    if told:
        found = replace(found, warnings=(*told, *found.warnings))
    is_sequence = plan.end is not None and not (apart.together or simulator.model.domain.durative)
    if not (is_sequence and any(failure.kind is Kind.MUTEX for failure in found.failures)):
        return found
    # Who says how long a plan waits, ENHSP, means its steps of one time one after the other.
    found = _Run(simulator, plan, replace(apart, epsilon=Fraction(0)), is_sequence=True).run()
    return replace(found, warnings=(*found.warnings, _IN_ORDER))


_BRACKETS = re.compile(r"[ \t]*(\[[^\]\n]*\]?)")


def _unread_behind(plan: Plan, token: Token) -> str:
    """Return the text in brackets after a step without a duration, which may be one: ``[-3]``."""
    found = _BRACKETS.match(plan.text, token.span[1])
    return "" if found is None else found[1]


def _with_durations(simulator: Simulator, plan: Plan, apart: Separation) -> tuple[Plan, list[str]]:
    """Return a plan with the durations that it does not state, where the state at its start tells a step's, and how."""
    told: list[str] = []
    model, tokens = simulator.model, list(plan.tokens)
    without = [step for step in plan.steps if step.time is not None and step.duration is None]
    if not without or any(_unread_behind(plan, step) for step in without):
        return plan, told
    unstated = []
    for index, (place, token) in enumerate(zip(plan.places, map(simulator.resolve, tokens), strict=True)):
        if not isinstance(token, Step) or token.time is None or token.duration is not None:
            continue
        action = model.domain.durative.get(token.name)
        if action is None or simulator.malformed(place, token) or only_duration(model, token) is not None:
            continue
        equal = [bound for bound in action.durations if bound.comparator == "=" and bound.when is When.START]
        if equal:
            unstated.append((token.time, index, place, token, equal[0].bound))
    for time, index, place, token, length in sorted(unstated, key=lambda entry: entry[:2]):
        earlier = (each for each in tokens if isinstance(each, Step) and each.time is not None and each.time < time)
        situation = _Run(simulator, Plan(parts=tuple(earlier)), apart).before(time)
        binding = bound(model.domain.durative[token.name].parameters, token.args)
        value = None if situation is None else evaluate(length, binding, situation)
        if value is None or isinstance(value, Missing):
            return plan, []
        step = tokens[index]
        assert isinstance(step, Step)
        tokens[index] = replace(step, duration=value)
        told.append(f"step {place + 1} {token} states no duration; it takes the one of the state, {decimal(value)}")
    return (Plan(parts=tuple(tokens), end=plan.end), told) if told else (plan, told)


def within_bounds(simulator: Simulator, execution: Execution, plan: Plan, apart: Separation) -> Iterator[Execution]:
    """Yield executions of a plan in which what is tolerated has the nearest duration that its bounds allow.

    In the first one what reads the duration reads that, and all times are as they are stated. In the second one the
    actions end accordingly as well; there is none where that changes the order of what happens, unless an action may
    only last 0, so that its start and its end happen at once.
    """
    lengths = execution.tolerated
    yield _Run(simulator, plan, apart, lengths=lengths).run()
    tokens = (
        replace(token, duration=lengths[index]) if isinstance(token, Step) and index in lengths else token
        for index, token in enumerate(plan.tokens)
    )
    moved = _Run(simulator, Plan(parts=tuple(tokens), end=plan.end), replace(apart, epsilon=Fraction(0))).run()
    if _order(moved.happenings) == _order(execution.happenings) or not all(lengths.values()):
        yield moved


def _order(found: Sequence[Happening]) -> list[list[tuple[int, Part]]]:
    """Return the parts of steps in their order, those of one time together; timed literals stand where they are."""
    parts = ([(act.index, act.part) for act in happening.acts if act.index is not None] for happening in found)
    return [each for each in parts if each]


_IN_ORDER = (
    "steps of one time are executed one after the other, as ENHSP means them, whose lines of waiting are in the text;"
    " PDDL lets steps that interfere not happen at one time"
)


def only_duration(model: Model, step: Step) -> Fraction | None:
    """Return the duration of a durative step where a model leaves no choice, whatever the state; None elsewhere."""
    action = model.domain.durative[step.name]
    if len(step.args) != len(action.parameters):
        return None
    binding = bound(action.parameters, step.args)
    equal = [bound for bound in action.durations if bound.comparator == "="]
    if not equal or functions_of(equal[0].bound) & changed_functions(model):
        return None
    start = Situation(model=model, atoms=frozenset(), values=model.problem.values)
    value = evaluate(equal[0].bound, binding, start)
    return None if isinstance(value, Missing) else value


class _Run:
    def __init__(
        self,
        simulator: Simulator,
        plan: Plan,
        apart: Separation,
        *,
        is_sequence: bool = False,
        lengths: Mapping[int, Fraction] = MappingProxyType({}),
    ) -> None:
        self.is_sequence = is_sequence
        self.lengths = lengths
        """what durations are taken for, by the index of their tokens, where that is not how long they last"""
        self.simulator = simulator
        self.model = simulator.model
        self.plan = plan
        self.tokens = tuple(map(simulator.resolve, plan.tokens))
        self.state = State(self.model, Closure(self.model))
        self.machine = Machine(self.state, apart)
        self.failures = self.machine.failures
        self.warnings: list[str] = []
        self.open = self.machine.open
        self.happenings: list[Happening] = []
        self.end = self.makespan = Fraction(0)
        """when the plan ends, and when its last step does: effects of unified-planning may come later"""
        self.later: list[tuple[Fraction, Situation]] = []
        """the situations that timed literals make after the end of the plan"""
        self.has_cost = True

    def run(self) -> Execution:
        for place, token in zip(self.plan.places, self.tokens, strict=True):
            self.failures += self.simulator.malformed(place, token)
        if self.plan.is_unreadable:
            self.failures.append(Failure(step=None, kind=Kind.SYNTAX, detail="no step could be read from the text"))
            return self._result((), ())
        entries = list(self._entries())
        if self.open:
            return self._result((), ())
        self.happenings = happenings(self.model, entries, self.machine.apart.together, is_sequence=self.is_sequence)
        for act in (act for time in self.happenings for act in time.acts if act.index in self.lengths):
            assert act.index is not None
            act.duration = self.lengths[act.index]
        facts_count = self.model.problem.is_from_up
        in_plan = [time.time for time in self.happenings if facts_count or any(act.fact is None for act in time.acts)]
        self.end = max(in_plan, default=self.end)
        self.makespan = self._makespan() if facts_count else self.end
        self.failures += time_faults(self.model.problem.time, self.happenings)
        try:
            self.machine.start()
            for happening in self.happenings:
                if happening.time <= self.end:
                    self.machine.happen(happening)
            self._wait()
            self.machine.test_at_the_end()
            self.failures += self.machine.invariants()
        except OpenError as error:
            self.failures += self.machine.invariants()
            self.open.append(str(error))
            return self._result((), ())
        self.later = list(self._later())
        goals = self._goals()
        open_goal = list(self._trajectories())
        unsettled = self._afterwards()
        if unsettled:
            goals, open_goal = ((), ()), [*open_goal, unsettled]
        return replace(self._result(*goals), open_goal=tuple(open_goal))

    def before(self, time: Fraction) -> Situation | None:
        """Return the situation before all that happens at a time; None where it is not decided."""
        entries = list(self._entries())
        if self.open:
            return None
        found = happenings(self.model, entries, self.machine.apart.together)
        try:
            self.machine.start()
            for happening in (each for each in found if each.time < time):
                self.machine.happen(happening)
            self.machine.flow.advance(time)
        except OpenError:
            return None
        return self.state.situation()

    def _wait(self) -> None:
        """Let processes and events go on until the text says that the plan ends."""
        end, domain = self.plan.end, self.model.domain
        if end is not None and end > self.end and (domain.processes or domain.events):
            for happening in self.happenings:
                if self.end < happening.time <= end:
                    self.machine.happen(happening)
            self.machine.flow.advance(end)
            self.end = self.makespan = end

    def _makespan(self) -> Fraction:
        """Return when steps, timed effects and timed goals are over, as unified-planning counts it."""
        counted = {Part.WHOLE, Part.START, Part.END, Part.FACT}
        times = [time.time for time in self.happenings if any(act.part in counted for act in time.acts)]
        borders = [border for goal in self.model.problem.timed_goals for border in (goal.begin, goal.end)]
        return max((*times, *(border.delay for border in borders if not border.is_from_end)), default=self.end)

    # --- the steps -----------------------------------------------------------------------------

    def _entries(self) -> Iterator[tuple[int, int, Token, Fraction | None]]:
        """Yield the steps that fit the model with their durations; note what cannot be placed in time."""
        for index, (place, token) in enumerate(zip(self.plan.places, self.tokens, strict=True)):
            if not isinstance(token, Step) or self.simulator.malformed(place, token):
                continue
            if is_temporal(self.model) and token.time is not None and token.time < 0:
                detail = f"it begins at {decimal(token.time)}, before the plan, which begins at 0"
                self.failures.append(Failure(step=place, kind=Kind.DURATION, detail=detail, time=token.time))
                continue
            if is_temporal(self.model) and token.time is None:
                self.open.append(f"step {place + 1} {token} has no time stamp, which a plan over time needs")
                continue
            duration = token.duration
            if token.name in self.model.domain.durative and duration is None:
                duration = self._stated(place, token)
                if duration is None:
                    continue
            yield index, place, token, duration

    def _stated(self, place: int, step: Step) -> Fraction | None:
        """Return the duration that a model leaves no choice about, for a step that states none."""
        unread = _unread_behind(self.plan, step)
        if unread:
            self.open.append(f"step {place + 1} {step} is followed by '{unread}', which cannot be read as its duration")
            return None
        value = only_duration(self.model, step)
        if value is None:
            self.open.append(f"step {place + 1} {step} states no duration, and the model leaves it open")
        else:
            self.warnings.append(f"step {place + 1} {step} states no duration; it takes the only one, {decimal(value)}")
        return value

    # --- the end -------------------------------------------------------------------------------

    def _goals(self) -> tuple[tuple[Failure, ...], tuple[UnmetGoal, ...]]:
        situation = self.state.situation()
        unmet = list(unsatisfied(self.model.problem.goal, {}, situation))
        if not unmet:
            return (), ()
        causes = tuple(self.state.cause(part, binding, situation) for part, binding in unmet)
        literals = tuple(cause.literal for cause in causes)
        time = self.end if is_temporal(self.model) else None
        failure = Failure(step=None, kind=Kind.GOAL, unmet=literals, causes=causes, time=time)
        return (failure,), tuple(self._last_held(causes, unmet))

    def _last_held(
        self, causes: Sequence[Cause], unmet: Sequence[tuple[Formula, dict[str, str]]]
    ) -> Iterator[UnmetGoal]:
        last: list[int | None] = [None] * len(unmet)
        for moment, situation in self.state.replay():
            for number, (part, binding) in enumerate(unmet):
                if truth(part, binding, situation):
                    last[number] = moment.after
        for cause, held in zip(causes, last, strict=True):
            yield UnmetGoal(literal=cause.literal, last_held=held)

    def _later(self) -> Iterator[tuple[Fraction, Situation]]:
        """Yield the situations that timed literals make after the end of the plan.

        The published semantics speaks of the states up to the last happening, and does not say whether literals that
        come after the last step are happenings of the plan.
        """
        atoms, values = set(self.state.atoms), dict(self.state.values)
        for happening in self.happenings:
            if happening.time <= self.end:
                continue
            now = Situation(model=self.model, atoms=atoms, values=values)
            update = Update()
            for act in happening.acts:
                assert act.fact is not None
                collect((act.fact.effect,), {}, now, update)
            atoms = (atoms - update.deletes) | update.adds
            values = {**values, **{key: changes[-1][1] for key, changes in update.changes.items()}}
            seen = self.state.closure.extend(atoms, values)
            yield happening.time, Situation(model=self.model, atoms=seen, values=values)

    def _afterwards(self) -> str:
        """Say whether timed literals after the end of the plan decide the goal; empty if they do not."""
        goal = self.model.problem.goal
        held = truth(goal, {}, self.state.situation()) is True
        holds = [(time, truth(goal, {}, situation) is True) for time, situation in self.later]
        if not holds or holds[-1][1] is held:
            return ""
        time = next(time for time, now in holds if now is not held)
        return (
            f"the goal {'stops' if held else 'comes'} to hold at {decimal(time)} by timed literals after the end of the"
            f" plan ({decimal(self.end)}), and whether they count is not settled"
        )

    # --- trajectories --------------------------------------------------------------------------

    def _trajectories(self) -> Iterator[str]:
        """Check the hard constraints, and count the preferences of goal and constraints that are violated.

        Yields what is not settled of the constraints. A preference that is not settled leaves the cost open, and
        is a warning.
        """
        hard = (*self.model.domain.constraints, *self.model.problem.constraints)
        for trajectory in hard:
            for binding in bindings(self.model, trajectory.parameters, {}):
                try:
                    broken = self._violation(trajectory, binding)
                except OpenError as error:
                    yield str(error)
                    continue
                if broken is not None:
                    text = trajectory_text(trajectory, binding)
                    detail = f"violates {text}: {broken.why}"
                    self.failures.append(Failure(step=broken.step, kind=Kind.CONSTRAINT, unmet=(text,), detail=detail))
        for preference in (*self.model.domain.preferences, *self.model.problem.preferences):
            for binding in bindings(self.model, preference.parameters, {}):
                try:
                    if not self._is_kept(preference, binding):
                        self.machine.violated[preference.name] += 1
                except OpenError as error:
                    self.has_cost = False
                    named = f"the preference {preference.name}" if preference.name else "a preference"
                    self.warnings.append(f"whether {named} is violated, and so the cost, is not known: {error}")

    def _is_kept(self, preference: Preference, binding: dict[str, str]) -> bool:
        is_kept = truth(preference.condition, binding, self.state.situation()) is True
        if self.later and (truth(preference.condition, binding, self.later[-1][1]) is True) is not is_kept:
            text = formula_text(preference.condition, binding)
            raise OpenError(f"timed literals after the end of the plan ({decimal(self.end)}) change {text}")
        for trajectory in preference.trajectories if is_kept else ():
            for inner in bindings(self.model, trajectory.parameters, binding):
                if self._violation(trajectory, inner) is not None:
                    return False
        return is_kept

    def _violation(self, trajectory: Trajectory, binding: dict[str, str]) -> Violation | None:
        """Return where a constraint is broken. Raises OpenError where that is not settled."""
        text = trajectory_text(trajectory, binding)
        points = list(self._points(trajectory, binding))
        broken = violation(trajectory, points)
        is_flowing = any(moment.flows for moment in self.state.moments) and any(map(compares_numbers, trajectory.parts))
        if is_flowing and (broken is None or trajectory.operator != "always"):
            raise OpenError(f"{text} compares values while some change continuously, which is not executed")
        if broken is not None and broken.is_open:
            raise OpenError(f"whether {text} holds is not settled where the plan ends before: {broken.why}")
        if self.later:
            more = violation(trajectory, [*points, *self._points_after(trajectory, binding)])
            if (more is None) is not (broken is None):
                raise OpenError(
                    f"whether {text} holds depends on timed literals after the end of the plan"
                    f" ({decimal(self.end)}), and whether they count is not settled"
                )
        return broken

    def _points_after(self, trajectory: Trajectory, binding: dict[str, str]) -> Iterator[Point]:
        for time, situation in self.later:
            holds = tuple(truth(part, binding, situation) is True for part in trajectory.parts)
            yield Point(time, self.state.last_step, holds)

    def _points(self, trajectory: Trajectory, binding: dict[str, str]) -> Iterator[Point]:
        for moment, situation in self.state.replay():
            if not moment.flows:
                holds = tuple(truth(part, binding, situation) is True for part in trajectory.parts)
                yield Point(moment.time, moment.after, holds)

    # --- the result ----------------------------------------------------------------------------

    def _result(self, goal: tuple[Failure, ...], unmet: tuple[UnmetGoal, ...]) -> Execution:
        ordered = sorted(self.failures, key=lambda failure: -1 if failure.step is None else failure.step)
        last = (Kind.CONSTRAINT, Kind.GOAL)
        planless = [failure for failure in ordered if failure.step is None and failure.kind in last]
        steps = [failure for failure in ordered if failure not in planless]
        return Execution(
            failures=(*steps, *planless, *goal),
            unmet_goals=unmet,
            cost=None if self.open or not self.has_cost else metric_value(self.machine, self.makespan, self.warnings),
            violations=dict(self.machine.violated),
            open=tuple(self.open),
            warnings=(*self.warnings, *self.machine.flow.notes),
            state=self.state,
            happenings=tuple(self.happenings),
            makespan=self.end,
            tolerated=self.machine.tolerated,
        )
