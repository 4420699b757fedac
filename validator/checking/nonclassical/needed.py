"""What of a model that is not executed as a whole a plan needs: steps before the first that does are decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from validator.execution.trace import Failure, Kind
from validator.model.values import Model
from validator.reading.plan import Plan, Step
from validator.records import dataclass, replace

__all__ = ["First", "before", "first_use", "without"]

_IN_EFFECTS = frozenset(
    (
        "non-deterministic-effects",
        "computed-probabilities",
        "conditional-effects-over-all",
        "conditional-continuous-effects",
        "object-fluents-assigned-twice",
        "simulated-effects",
    )
)
"""what stands in effects only, so that the conditions of a step that has it are known"""
_BEGINS = (Kind.PRECONDITION, Kind.AT_START, Kind.DURATION)


@dataclass(frozen=True, slots=True, kw_only=True)
class First:
    """The first step of an action that is not executed: its place, and when it begins in a plan over time."""

    place: int
    time: Fraction | None
    is_known_to_begin: bool


def without(model: Model, missing: Mapping[str, str]) -> Model | None:
    """Return a model without features that only actions have; None where anything else has one of them."""
    domain, problem = model.domain, model.problem
    elsewhere = domain.features_of.get("", frozenset()) | problem.features.keys()
    if not domain.features_of or elsewhere & missing.keys():
        return None
    features = {name: place for name, place in domain.features.items() if name not in missing}
    return Model(domain=replace(domain, features=features), problem=problem)


def first_use(model: Model, plan: Plan, missing: Mapping[str, str]) -> First | None:
    """Return the first step of a plan that uses what is not executed; None for a plan without one."""
    found = [
        (step.time or Fraction(0), place, step)
        for place, step in zip(plan.places, plan.tokens, strict=True)
        if isinstance(step, Step) and _used(model, step.name) & missing.keys()
    ]
    if not found:
        return None
    _, place, step = min(found, key=lambda entry: entry[:2])
    return First(place=place, time=step.time, is_known_to_begin=_used(model, step.name) & missing.keys() <= _IN_EFFECTS)


def _used(model: Model, action: str) -> frozenset[str]:
    names = (name for name in model.domain.features_of if name and name.lower() == action.lower())
    return frozenset().union(*(model.domain.features_of[name] for name in names))


def before(failures: Iterable[Failure], first: First) -> tuple[Failure, ...]:
    """Return the faults that stand whatever the first step does that is not executed, and its own as it begins."""
    return tuple(failure for failure in failures if _stands(failure, first))


def _stands(failure: Failure, first: First) -> bool:
    if failure.is_malformed:
        return True
    if failure.step == first.place and failure.kind in _BEGINS:
        return first.is_known_to_begin and failure.time in (None, first.time)
    if failure.time is not None and first.time is not None:
        return failure.time < first.time
    return failure.step is not None and failure.step < first.place
