"""Conditions and facts in questions: PDDL, in which ``_`` may stand for any object."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import count, permutations

from validator.automata.properties import ANY
from validator.errors import InputError, ModelError, nearest
from validator.model.pddl.formulas.conditions import formula
from validator.model.pddl.initial import read_seen
from validator.model.pddl.scope import Scope
from validator.model.pddl.syntax import parse
from validator.model.values import And, Atom, Formula, GroundAtom, Model, Parameter
from validator.texts import no_path

__all__ = ["read_condition", "read_fact", "read_value"]

_ATOM = re.compile(r"\(([^()]*)\)")

_MOST_ORDERED = 5
"""objects that are tried in every order where their types do not fit"""

_MOST_NAMED = 5
"""objects of the right type that are named in place of one of a wrong type"""


def read_condition(text: str, model: Model, source: str = "") -> Formula:
    """Read a condition on the states of a model. Raises InputError for what is none."""
    numbers = count()

    def closed(found: re.Match[str]) -> str:
        words = found[1].split()
        places = [place for place, word in enumerate(words) if place and word in ("_", "?")]
        parameters = model.domain.predicates.get(words[0].lower(), ()) if places else ()
        if not places or len(parameters) != len(words) - 1:
            return found[0]
        variables = []
        for place in places:
            words[place] = f"{ANY}{next(numbers)}"
            variables.append(f"{words[place]} - {_types(parameters[place - 1])}")
        return f"(exists ({' '.join(variables)}) ({' '.join(words)}))"

    try:
        where, group, _ = parse(f"(and {_ATOM.sub(closed, text)})", source or "<condition>")
        scope = Scope(
            where,
            types=model.domain.types,
            objects=dict(model.problem.objects),
            predicates=dict(model.domain.predicates),
            functions=dict(model.domain.functions),
        )
        parts = tuple(formula(scope, node, {}) for node in group.nodes[1:])
    except ModelError as error:
        raise InputError(f"{text.strip()}: {error.message}", source=source) from None
    if scope.features:
        raise InputError(f"{text.strip()}: {next(iter(scope.features))} cannot be asked about", source=source)
    if not parts:
        raise InputError("a condition such as (at truck1 depot) was expected", source=source)
    for found in _ATOM.finditer(text):
        if wrong := _mistyped(tuple(found[1].lower().split()), model, scope):
            raise InputError(f"{text.strip()}: {wrong}", source=source)
    return parts[0] if len(parts) == 1 else And(parts)


def _mistyped(atom: tuple[str, ...], model: Model, scope: Scope) -> str:
    """Return what is wrong with the types of an atom, and which one may be meant; empty where they are right.

    Published models whose own facts are not of the declared types are taken as they are.
    """
    parameters = model.domain.predicates.get(atom[0], ()) if atom else ()
    place = _misfit(atom, parameters, scope)
    if place is None or any(
        own[0] == atom[0] and _misfit(own, parameters, scope) is not None for own in model.problem.init
    ):
        return ""
    wanted = parameters[place - 1].types
    said = f"'{atom[place]}' is not of type {' or '.join(sorted(wanted))}, which '{atom[0]}' takes"
    orders = permutations(atom[1:]) if len(parameters) <= _MOST_ORDERED else ()
    meant = next((names for names in orders if _misfit((atom[0], *names), parameters, scope) is None), None)
    if meant is not None:
        return f"{said} (did you mean ({' '.join((atom[0], *meant))})?)"
    known = [name for name, types in model.problem.objects.items() if scope.may_be(types, wanted)]
    near = nearest(atom[place], known)
    return f"{said} (did you mean '{near}'?)" if near else f"{said}: {', '.join(known[:_MOST_NAMED])}"


def _misfit(atom: Sequence[str], parameters: Sequence[Parameter], scope: Scope) -> int | None:
    """Return the place of the first object of an atom that is of another type than is declared."""
    if len(atom) != len(parameters) + 1:
        return None
    for place, (name, parameter) in enumerate(zip(atom[1:], parameters, strict=True), start=1):
        if name in scope.objects and not scope.may_be(scope.objects[name], parameter.types):
            return place
    return None


def _types(parameter: Parameter) -> str:
    names = sorted(parameter.types)
    return names[0] if len(names) == 1 else f"(either {' '.join(names)})"


def read_fact(text: str, model: Model, source: str = "") -> GroundAtom:
    """Read a fact of a model. Raises InputError for what is none."""
    read = read_condition(text, model, source)
    if not isinstance(read, Atom):
        raise InputError(f"{text.strip()}: a fact such as (at truck1 depot) was expected", source=source)
    return (read.predicate, *read.terms)


def read_value(text: str, model: Model, source: str = "") -> tuple[GroundAtom, Fraction]:
    """Read the value of a function, ``(= (fuel) 3)``. Raises InputError for what is none."""
    try:
        seen = read_seen(no_path(text), model.domain, model.problem)
    except ModelError as error:
        raise InputError(f"{text.strip()}: {error.message}", source=source) from None
    if len(seen.values) != 1 or seen.true or seen.false:
        raise InputError(f"{text.strip()}: a value such as (= (fuel truck1) 30) was expected", source=source)
    return next(iter(seen.values.items()))
