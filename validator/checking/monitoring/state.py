"""The state to which executed steps should have led, the one that was seen, and the problem from there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

from validator.errors import ModelError
from validator.execution.simulator import Simulator
from validator.execution.time.execution import BEYOND_PDDL, execute, not_executed, only_duration
from validator.execution.time.happening import is_temporal
from validator.execution.trace import Failure, Kind
from validator.model.pddl.initial import SeenState, checked_facts, read_seen
from validator.model.values import TOTAL_COST, Domain, GroundAtom, Model, changed_predicates
from validator.reading.plan import Plan, Step, Token
from validator.records import dataclass, replace
from validator.texts import decimal, listed

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


def still_running(
    model: Model, tokens: Sequence[Token], executed: int, apart: Fraction = Fraction(0)
) -> tuple[int, int] | None:
    """Return the first executed step that ends after, or less than ``apart`` before, a later one begins, and that one.

    Both are places from 0.
    """
    starts = [(step.time, at) for at, step in enumerate(tokens) if at >= executed and isinstance(step, Step)]
    following = min(((time, at) for time, at in starts if time is not None), default=None)
    for at, step in enumerate(tokens[:executed]):
        if isinstance(step, Step) and following is not None and _end(model, step) + apart > following[0]:
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


# --- what was seen: a whole state, one without what never changes, or what is not as planned --------

State: TypeAlias = str | Path | Iterable[GroundAtom]
"""The facts that hold: a path or a text, as ``(on a b) (= (fuel) 3)``, or ground atoms, which are the whole state."""


def seen(state: State, expected: Moment, model: Model, *, is_complete: bool) -> tuple[Moment, tuple[str, ...]]:
    """Return the moment that a state is, and a warning for each thing that it leaves open and that was assumed.

    What is not listed is false. A text of facts may leave out all facts that no action changes, since nobody lists the
    roads with each state: then those of the problem hold, and values that it leaves out are as planned. With
    ``is_complete``, within ``(:init ...)`` and as ground atoms it is taken at its word. Raises ModelError.
    """
    if not isinstance(state, str | Path):
        return replace(expected, atoms=checked_facts(state, model.domain, model.problem)), ()
    found = read_seen(state, model.domain, model.problem)
    if found.false:
        raise ModelError("a state lists what holds; what became false is for the changes", source=found.source)
    if is_complete or found.is_section:
        return replace(expected, atoms=found.true, values=found.values), ()
    fixed, missing = _fixed(found, model), {k: v for k, v in expected.values.items() if k not in found.values}
    now = replace(expected, atoms=found.true | fixed, values={**missing, **found.values})
    return now, (*_assumed_facts(fixed), *_assumed_values(missing, model))


def changed(changes: str | Path, expected: Moment, model: Model) -> Moment:
    """Return the moment that is as planned but for some facts, ``(not FACT)`` and values. Raises ModelError."""
    found = read_seen(changes, model.domain, model.problem)
    atoms = (expected.atoms - found.false) | found.true
    return replace(expected, atoms=atoms, values={**expected.values, **found.values})


def differences(expected: Moment, now: Moment) -> Iterator[tuple[GroundAtom, bool]]:
    """Yield the facts that are not as planned, each with whether it is true now."""
    yield from ((atom, False) for atom in sorted(expected.atoms - now.atoms))
    yield from ((atom, True) for atom in sorted(now.atoms - expected.atoms))


# --- what is assumed -------------------------------------------------------------------------------


def _fixed(found: SeenState, model: Model) -> frozenset[GroundAtom]:
    """Return the problem's facts that no action changes, if a state has none of them.

    One that names some is taken at its word, since the one that is gone may be the last of its predicate.
    """
    fixed = model.domain.predicates.keys() - _changed(model.domain)
    if any(atom[0] in fixed for atom in found.true):
        return frozenset()
    return frozenset(atom for atom in model.problem.init if atom[0] in fixed)


def _assumed_facts(fixed: frozenset[GroundAtom]) -> Iterator[str]:
    if fixed:
        names = ", ".join(f"'{name}'" for name in sorted({atom[0] for atom in fixed}))
        facts = "the fact" if len(fixed) == 1 else f"the {len(fixed)} facts"
        yield f"{facts} of {names} are the problem's, as the state has none that no action changes"


def _assumed_values(missing: Mapping[GroundAtom, Fraction], model: Model) -> Iterator[str]:
    told = {key: value for key, value in missing.items() if key != ("total-cost",)}
    if told and model.features:
        shown = [f"({' '.join(key)}) = {decimal(value)}" for key, value in sorted(told.items())]
        yield f"as planned, since the state does not tell: {listed(shown)}"


def _changed(domain: Domain) -> set[str]:
    """Return the predicates that some action changes."""
    timed = (part.effects for durative in domain.durative.values() for part in durative.effects)
    return changed_predicates(*(action.effects for action in (*domain.actions.values(), *domain.events)), *timed)
