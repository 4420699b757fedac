"""What was seen of the world: a whole state, one without what never changes, or what is not as planned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

from validator.checking.monitoring.expected_state import Moment
from validator.errors import ModelError
from validator.model.pddl.initial import SeenState, checked_facts, read_seen
from validator.model.values import Conditional, Domain, Effect, GroundAtom, Literal, Model
from validator.records import replace
from validator.texts import decimal

__all__ = ["State", "changed", "differences", "seen"]

State: TypeAlias = str | Path | Iterable[GroundAtom]
"""The facts that hold: a path or a text, as ``(on a b) (= (fuel) 3)``, or ground atoms, which are the whole state."""

_MOST_NAMED = 8


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
    fixed = model.domain.predicates.keys() - set(_changing(model.domain))
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
        shown = [f"({' '.join(key)}) = {decimal(value)}" for key, value in sorted(told.items())[:_MOST_NAMED]]
        more = f", and {len(told) - _MOST_NAMED} more" if len(told) > _MOST_NAMED else ""
        yield f"as planned, since the state does not tell: {', '.join(shown)}{more}"


def _changing(domain: Domain) -> Iterator[str]:
    """Yield the predicates that some action changes."""
    for action in (*domain.actions.values(), *domain.events):
        for effect in action.effects:
            yield from _predicates(effect)
    for durative in domain.durative.values():
        for timed in durative.effects:
            for effect in timed.effects:
                yield from _predicates(effect)


def _predicates(effect: Effect) -> Iterator[str]:
    if isinstance(effect, Literal):
        yield effect.atom.predicate
    elif isinstance(effect, Conditional):
        for inner in effect.effects:
            yield from _predicates(inner)
