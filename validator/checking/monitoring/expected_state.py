"""The state in which the executed steps of a plan should have led, and the problem of what is to come from there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from validator.execution.simulator import Simulator
from validator.execution.time.acts.happening import is_temporal
from validator.execution.time.execution import BEYOND_PDDL, execute, not_executed, only_duration
from validator.execution.trace import Failure, Kind
from validator.model.values import TOTAL_COST, GroundAtom, Model
from validator.reading.plan import Plan, Step, Token
from validator.records import dataclass, replace

__all__ = [
    "Moment",
    "look_back",
    "moment",
    "problem_from",
    "shifted",
    "still_running",
]

_LOOK_BACK = ("constraints", "preferences", *BEYOND_PDDL)
"""Features that judge a plan by all that happened, which no state tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A state: facts that hold, values of functions, and the time on the plan's clock.

    ``faults`` are those of the steps that should have led there, ``open`` says why they cannot be executed.
    """

    atoms: frozenset[GroundAtom]
    values: Mapping[GroundAtom, Fraction]
    time: Fraction = Fraction(0)
    faults: tuple[Failure, ...] = ()
    open: str = ""


def look_back(model: Model) -> tuple[str, ...]:
    """Return what a model uses that looks back at what happened, or is not executed at all."""
    return tuple(name for name in model.features if name in _LOOK_BACK or name in not_executed(model))


def still_running(model: Model, tokens: Sequence[Token], executed: int) -> tuple[int, int] | None:
    """Return the first executed step that ends after a later one begins, and that one; as places from 0."""
    starts = [(step.time, at) for at, step in enumerate(tokens) if at >= executed and isinstance(step, Step)]
    following = min(((time, at) for time, at in starts if time is not None), default=None)
    for at, step in enumerate(tokens[:executed]):
        if isinstance(step, Step) and following is not None and _end(model, step) > following[0]:
            return at, following[1]
    return None


def _end(model: Model, step: Step) -> Fraction:
    """Return when a step ends: by the duration that it states, or that the model leaves no choice for."""
    if step.time is None:
        return Fraction(0)
    if step.name not in model.domain.durative:
        return step.time
    return step.time + (step.duration or only_duration(model, step) or Fraction(0))


def moment(simulator: Simulator, happened: Sequence[Token]) -> Moment:
    """Execute the steps that have happened."""
    model = simulator.model
    if not model.features:
        trace = simulator.run(Plan(parts=tuple(happened)))
        *_, atoms = trace.states()
        faults = tuple(failure for failure in trace.failures if failure.kind is not Kind.GOAL)
        return Moment(atoms=atoms, values=model.problem.values, faults=faults)
    found = execute(simulator, Plan(parts=tuple(happened)))
    ends = (_end(model, step) for step in happened if isinstance(step, Step))
    return Moment(
        atoms=frozenset(found.state.atoms),
        values=dict(found.state.values),
        time=max(ends, default=Fraction(0)) if is_temporal(model) else Fraction(0),
        faults=tuple(failure for failure in found.failures if failure.is_of_steps),
        open="; ".join(found.open),
    )


def problem_from(model: Model, now: Moment) -> Model:
    """Return the model whose initial state is a moment; what was paid before does not count."""
    values = {key: value for key, value in now.values.items() if key != _TOTAL_COST}
    if _TOTAL_COST in model.problem.values:
        values[_TOTAL_COST] = Fraction(0)
    timed = tuple(replace(one, time=one.time - now.time) for one in model.problem.timed if one.time > now.time)
    return Model(domain=model.domain, problem=replace(model.problem, init=now.atoms, values=values, timed=timed))


_TOTAL_COST: GroundAtom = (TOTAL_COST.function,)


def shifted(tokens: Sequence[Token], by: Fraction) -> tuple[Token, ...]:
    """Return steps that begin so much later."""
    return tuple(
        replace(one, time=one.time + by) if by and isinstance(one, Step) and one.time is not None else one
        for one in tokens
    )
