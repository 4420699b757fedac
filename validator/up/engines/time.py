"""The modified problem of a plan over time, for engines of unified-planning, and what they answer.

Beside the model's own actions, which insert steps, there are for each observed step *i* ``keep_i``, its action with its
arguments put in, and ``skip_i``; a fluent tells whether the step is settled, and the goal is that all are. There are no
costs, since the engines for plans over time optimise none: what an engine finds is a plan near the observed one only
as far as its search prefers short plans. The times are free.

Importing this module imports unified-planning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from unified_planning.io import PDDLReader
from unified_planning.model import DurativeAction, InstantaneousAction, StartTiming
from unified_planning.model import Problem as UpProblem

from validator.errors import UnsupportedError
from validator.grounding.limits import Limits, Status
from validator.reading.plan import Step, Token
from validator.records import replace
from validator.up.edit.problem import dump
from validator.up.engines.planner import UpPlanner
from validator.up.engines.process import Form, solve
from validator.up.pddl import names_of_two_things, whole_numbers

__all__ = ["TimeProblem", "time_problem"]


class TimeProblem:
    """A modified problem with what its actions stand for: ``kept`` has the observed step of each ``keep`` action."""

    def __init__(self, problem: UpProblem, kept: dict[str, Step], passing: frozenset[str]) -> None:
        self.problem = problem
        self.kept = kept
        self.passing = passing

    def plan(self, steps: Iterable[Step]) -> tuple[Step, ...]:
        """Return the steps that a plan of this problem stands for, with its times."""
        return tuple(
            replace(self.kept.get(step.name, step), time=step.time, duration=step.duration)
            for step in steps
            if step.name not in self.passing
        )

    def defined(self) -> UpProblem:
        """Return the problem with 0 for every number that has no value, for engines that know no missing values.

        What they find has to be executed all the more.
        """
        problem = self.problem.clone()
        zero = problem.environment.expression_manager.Int(0)
        for fluent in problem.fluents:
            if fluent.type.is_int_type() or fluent.type.is_real_type():
                problem.fluents_defaults.setdefault(fluent, zero)
        return problem

    def whole(self) -> UpProblem | None:
        """Return the problem with whole numbers only; None where it has others."""
        environment = self.problem.environment
        with TemporaryDirectory(prefix="plan-validator-") as folder, names_of_two_things(environment):
            dump(self.problem, folder)
            try:
                with whole_numbers(environment, True):
                    texts = [str(Path(folder) / f"{name}.pddl") for name in ("domain", "problem")]
                    return PDDLReader(environment).parse_problem(*texts)
            except Exception:  # the reader raises whatever its parts raise
                return None

    def for_engine(self, engine: UpPlanner) -> tuple[UpProblem, bool]:
        """Return the problem in a form that an engine supports, and whether its numbers are to be whole ones.

        Raises UnsupportedError when there is none.
        """
        lacking = engine.lacks(self.problem)
        if not lacking:
            return self.problem, False
        if set(lacking) <= {"UNDEFINED_INITIAL_NUMERIC"} and not engine.lacks(defined := self.defined()):
            return defined, False
        whole = self.whole() if set(lacking) <= {"REAL_FLUENTS", "REAL_TYPE_DURATIONS"} else None
        if whole is not None and not engine.lacks(whole):
            return self.problem, True
        raise UnsupportedError(f"the engine '{engine.name}' does not support the problem: {', '.join(lacking)}")

    def run(
        self, engine: UpPlanner, problem: UpProblem, whole: bool, limits: Limits, stop: Callable[[], bool]
    ) -> tuple[Status, tuple[Step, ...] | None]:
        """Let an engine solve a form of the problem. Raises what ``validator.up.engines.process.solve`` raises."""
        answer = solve(engine.name, engine.implementation, problem, limits, form=Form.ANY, whole=whole, stop=stop)
        return answer.status, None if answer.steps is None else self.plan(answer.steps)


def time_problem(problem: UpProblem, tokens: Sequence[Token], *, with_goal: bool) -> TimeProblem:
    """Return the modified problem of a plan over time; lines that are no steps of the problem are left out.

    Raises UnsupportedError for a problem that cannot be modified.
    """
    if problem.trajectory_constraints:
        raise UnsupportedError("the modified problem cannot express trajectory constraints")
    modified = problem.clone()
    modified.clear_quality_metrics()
    if not with_goal:
        modified.clear_goals()
    manager = problem.environment.expression_manager
    kept: dict[str, Step] = {}
    passing: set[str] = set()
    with names_of_two_things(problem.environment):
        for number, token in enumerate(tokens, 1):
            if not isinstance(token, Step) or not _is_step(problem, token):
                continue
            is_open = modified.add_fluent(f"open_{number}_", default_initial_value=True)
            keep = _kept(problem, token, f"keep_{number}_", is_open())
            skip = InstantaneousAction(f"skip_{number}_", _env=problem.environment)
            skip.add_precondition(is_open())
            skip.add_effect(is_open(), False)
            modified.add_actions([keep, skip])
            modified.add_goal(manager.Not(is_open()))
            kept[keep.name] = Step(name=token.name, args=token.args)
            passing.add(skip.name)
    return TimeProblem(modified, kept, frozenset(passing))


def _is_step(problem: UpProblem, step: Step) -> bool:
    return problem.has_action(step.name) and all(map(problem.has_object, step.args))


def _kept(problem: UpProblem, step: Step, name: str, is_open: Any) -> Any:
    """Return the action of a step with its arguments in the place of its parameters, which settles the step."""
    environment = problem.environment
    action = problem.action(step.name)
    objects = [environment.expression_manager.ObjectExp(problem.object(arg)) for arg in step.args]
    values = dict(zip(action.parameters, objects, strict=True))
    if isinstance(action, InstantaneousAction):
        keep = InstantaneousAction(name, _env=environment)
        for condition in action.preconditions:
            keep.add_precondition(condition.substitute(values))
        for effect in action.effects:
            _add(keep, effect, values)
        keep.add_precondition(is_open)
        keep.add_effect(is_open, False)
        return keep
    if not isinstance(action, DurativeAction):
        raise UnsupportedError(f"the modified problem cannot express the action '{action.name}'")
    keep, span = DurativeAction(name, _env=environment), action.duration
    bounds = (bound.substitute(values) for bound in (span.lower, span.upper))
    keep.set_duration_constraint(type(span)(*bounds, span.is_left_open(), span.is_right_open()))
    for interval, conditions in action.conditions.items():
        for condition in conditions:
            keep.add_condition(interval, condition.substitute(values))
    for timing, effects in action.effects.items():
        for effect in effects:
            _add(keep, effect, values, timing)
    keep.add_condition(StartTiming(), is_open)
    keep.add_effect(StartTiming(), is_open, False)
    return keep


def _add(action: Any, effect: Any, values: dict[Any, Any], *timing: Any) -> None:
    add = action.add_effect
    if effect.is_increase() or effect.is_decrease():
        add = action.add_increase_effect if effect.is_increase() else action.add_decrease_effect
    parts = (part.substitute(values) for part in (effect.fluent, effect.value, effect.condition))
    add(*timing, *parts, effect.forall)
