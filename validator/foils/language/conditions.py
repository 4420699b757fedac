"""Conditions and facts in questions: PDDL, in which ``_`` may stand for any object."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import count

from validator.errors import InputError, ModelError
from validator.foils.compiled.properties import ANY
from validator.model.pddl.formulas.conditions import formula
from validator.model.pddl.initial import read_seen
from validator.model.pddl.scope import Scope
from validator.model.pddl.syntax import parse
from validator.model.values import And, Atom, Formula, GroundAtom, Model, Parameter
from validator.texts import no_path

__all__ = ["read_condition", "read_fact", "read_value"]

_ATOM = re.compile(r"\(([^()]*)\)")


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
    return parts[0] if len(parts) == 1 else And(parts)


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
