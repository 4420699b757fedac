"""A PDDL model with numbers, or with constraints on the way, as an executor; none with time.

A call that violates a constraint, whatever comes, cannot be executed.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from fractions import Fraction

from validator.checking.prepared import Prepared, prepare
from validator.errors import ModelError
from validator.execution.time.execution import Execution, execute
from validator.model.derived import Closure
from validator.model.temporal import Preference, Trajectory
from validator.model.values import GroundAtom, Model
from validator.policies.events import Event
from validator.policies.execution.executor import Executor, Judged, State, refused
from validator.policies.execution.progressed import BrokenError, is_progressed, progressed, refuse_broken
from validator.reading.plan import Plan, Step
from validator.records import replace

__all__ = ["NumericExecutor"]

_EXECUTED = frozenset(
    ("numeric-fluents", "conditional-costs", "numbers-in-derived-predicates", "constraints", "preferences")
)


@dataclass(frozen=True, slots=True)
class _Situation:
    """What holds, and what the constraints and preferences still ask, each for its objects."""

    atoms: frozenset[GroundAtom]
    values: tuple[tuple[GroundAtom, Fraction], ...]
    constraints: tuple[Trajectory, ...]
    preferences: tuple[Preference, ...]


class NumericExecutor(Executor):
    """A model whose states have values too, and what its constraints still ask.

    Raises ModelError for a model with time, one whose constraints cannot be judged step by step, and one whose initial
    state violates them.
    """

    def __init__(self, prepared: Prepared) -> None:
        _refuse(prepared.model)
        super().__init__(prepared)
        self._closure = Closure(prepared.model)
        found = execute(prepared.simulator, Plan(parts=()))
        try:
            self._start = self._after(prepared.model, found)
        except BrokenError as error:
            raise ModelError(f"the initial state violates {error}") from None

    @property
    def start(self) -> State:
        return self._start

    def ahead(self, state: State) -> Prepared:
        now, model = _situation(state), self.prepared.model
        problem = replace(
            model.problem,
            init=now.atoms,
            values=dict(now.values),
            constraints=now.constraints,
            preferences=now.preferences,
        )
        return prepare(Model(domain=replace(model.domain, constraints=(), preferences=()), problem=problem))

    def _view(self, state: State) -> Set[GroundAtom]:
        now = _situation(state)
        return self._closure.extend(now.atoms, dict(now.values))

    def judge(self, state: State, event: Event) -> Judged:
        step = self.step(event)
        if isinstance(step, str):
            return Judged(None, step, state)
        here = self.ahead(state)
        found = execute(here.simulator, Plan(parts=(step,)))
        faults = tuple(fault for fault in found.failures if fault.is_of_steps)
        if faults:
            return refused(faults, step, state)
        if found.open:
            return Judged(None, "; ".join(found.open), state)
        try:
            return Judged(True, "", self._after(here.model, found), (step,))
        except BrokenError as error:
            return Judged(False, f"{step} would violate {error}", state, (step,))

    def _after(self, model: Model, found: Execution) -> _Situation:
        """Return the situation after an execution. Raises BrokenError where a constraint is violated for ever."""
        atoms, values = frozenset(found.state.atoms), dict(found.state.values)
        asked = progressed(model, found.state, atoms, values)
        refuse_broken(asked, found.state.situation())
        ordered = tuple(sorted(values.items()))
        return _Situation(atoms, ordered, asked.problem.constraints, asked.problem.preferences)

    def _may_ever(self, step: Step) -> bool:
        return True

    def unmet(self, state: State) -> tuple[str, ...]:
        found = execute(self.ahead(state).simulator, Plan(parts=()))
        return tuple(text for failure in found.failures for text in failure.unmet)


def _refuse(model: Model) -> None:
    others = {name: place for name, place in model.features.items() if name not in _EXECUTED}
    if others:
        names = ", ".join(f"{name} ({place})" for name, place in others.items())
        raise ModelError(f"calls are executed one by one, which a model is not that uses {names}")
    if not is_progressed(model):
        raise ModelError("calls are executed one by one, and the model has constraints that read times or costs")


def _situation(state: State) -> _Situation:
    assert isinstance(state, _Situation)
    return state
