"""Reading PDDL problems of a domain: objects, initial facts and values, goal, metric."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from validator.errors import ModelError, did_you_mean
from validator.model.pddl.formulas.conditions import formula
from validator.model.pddl.formulas.expressions import expression, number
from validator.model.pddl.formulas.goals import hard_and_soft
from validator.model.pddl.frame import declare_objects, grouped, read_text, sections_of
from validator.model.pddl.scope import Scope
from validator.model.pddl.syntax import Flat, Group, Node, Run, Source, Value, Word, group_of, parse
from validator.model.values import (
    Atom,
    Domain,
    Fluent,
    GroundAtom,
    Literal,
    Metric,
    Number,
    NumericEffect,
    Parameter,
    Problem,
)

if TYPE_CHECKING:
    from validator.model.temporal import Preference, TimedFact, Trajectory

__all__ = ["read_problem", "read_state"]

_SECTIONS = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric", ":constraints", ":length")


def read_problem(source: str | Path, domain: Domain) -> Problem:
    """Read a PDDL problem of a domain from a path or a text. Raises ModelError, or OSError for a file."""
    text, name = read_text(source, "problem")
    where, group, warnings = parse(text, name)
    scope = Scope(
        where,
        types=domain.types,
        objects=dict(domain.constants),
        predicates=dict(domain.predicates),
        functions=dict(domain.functions),
        object_functions=set(domain.object_functions),
        preferences=_preference_names(domain),
        derived={axiom.predicate for axiom in domain.axioms},
        warnings=list(warnings),
    )
    title, sections = sections_of(scope, group, "problem", _SECTIONS)
    by_name = grouped(scope, sections)
    others = [told for section in by_name.get(":domain", ()) if (told := _other_domain(scope, section, domain))]
    try:
        return _problem(scope, title, by_name, group.offset)
    except ModelError as error:
        error.message = "; ".join((error.message, *others))
        raise


def _problem(scope: Scope, title: str, by_name: Mapping[str, Sequence[Group]], start: int) -> Problem:
    """Read the sections of a problem, which begins at an offset."""
    for section in by_name.get(":objects", ()):
        declare_objects(scope, section, "object")
    init: set[GroundAtom] = set()
    values: dict[GroundAtom, Fraction] = {}
    timed: list[TimedFact] = []
    if ":init" not in by_name:
        scope.warn("no :init section; no fact holds initially", start)
    for section in by_name.get(":init", ()):
        _init(scope, section, init, values, timed)
    if ":goal" not in by_name:
        scope.source.fail("the problem has no :goal section", start)
    goal, preferences = hard_and_soft(scope, _only(scope, by_name[":goal"][0]), {})
    hard, soft = _constraints(scope, by_name[":constraints"][0]) if ":constraints" in by_name else ((), ())
    return Problem(
        name=title,
        objects=scope.objects,
        init=frozenset(init),
        values=values,
        goal=goal,
        timed=tuple(timed),
        constraints=hard,
        preferences=(*preferences, *soft),
        metric=_metric(scope, by_name[":metric"][0]) if ":metric" in by_name else None,
        features=scope.features,
        warnings=tuple(scope.warnings),
        source=scope.source.name,
    )


_FACT = re.compile(r"\([^()]*\)|\S")


def read_state(source: str | Path, domain: Domain, problem: Problem) -> frozenset[GroundAtom]:
    """Read the facts that hold in a state, as ``(on a b) (clear a)`` or within ``(:init ...)``, from a path or a text.

    Raises ModelError for anything else, also for negative facts and for values of functions; OSError for a file.
    """
    text, name = read_text(source, "state")
    text = "".join(character.lower() if character.isascii() else character for character in text)
    text = re.sub(r";[^\n]*", lambda comment: " " * len(comment[0]), text)
    scope = Scope(
        Source(name, text),
        types=domain.types,
        objects=dict(problem.objects),
        predicates=dict(domain.predicates),
        derived={axiom.predicate for axiom in domain.axioms},
    )
    start, end = 0, len(text)
    if opening := re.match(r"\s*\(\s*:init\b", text):
        start, end = opening.end(), len(text.rstrip()) - 1
        if text[end] != ")" or text.count("(") != text.count(")"):
            scope.source.fail("'(' is not closed, or ')' is too many", text.index("("))
    found: set[GroundAtom] = set()
    values: dict[GroundAtom, Fraction] = {}
    timed: list[TimedFact] = []
    for match in _FACT.finditer(text, start, end):
        if match[0][0] != "(" or not match[0][1:-1].strip():
            scope.source.fail("a fact such as (on a b) was expected; what is not listed is false", match.start())
        fact = Flat(match[0], match.start())
        if not _plain_fact(scope, fact, found):
            _fact(scope, group_of(fact), found, values, timed)
    if timed or values:
        raise ModelError("a state is of plain facts; values and timed facts are not in it", source=name)
    return frozenset(found)


def _other_domain(scope: Scope, section: Group, domain: Domain) -> str:
    """Warn of, and return, that the problem is for another domain; an empty text when it is not."""
    nodes = section.nodes
    if len(nodes) != 2:
        scope.source.fail("'(:domain NAME)' was expected", section.offset)
    name = scope.word(nodes[1], "a name").text
    if name == domain.name:
        return ""
    told = f"the problem is for domain '{name}', the domain given is '{domain.name}'"
    scope.warn(told, section.offset)
    return told


def _init(
    scope: Scope,
    section: Group,
    init: set[GroundAtom],
    values: dict[GroundAtom, Fraction],
    timed: list[TimedFact],
) -> None:
    first, *facts = section.parts
    words = [*first.words()][1:] if isinstance(first, Run) else []
    for part in facts:
        if isinstance(part, Value):
            if not _plain_value(scope, part, values):
                _fact(scope, group_of(part), init, values, timed)
        elif isinstance(part, Flat):
            if not _plain_fact(scope, part, init):
                _fact(scope, group_of(part), init, values, timed)
        elif isinstance(part, Group):
            _fact(scope, part, init, values, timed)
        else:
            words += part.words()
    if words:
        scope.source.fail(f"a fact such as (on a b) was expected, not '{words[0].text}'", words[0].offset)


def _plain_fact(scope: Scope, part: Flat, init: set[GroundAtom]) -> bool:
    """Take a fact that needs no second look; return whether it was one."""
    words = tuple(part.text[1:-1].split())
    parameters = scope.predicates.get(words[0])
    if parameters is None or words[0] in scope.derived or not _fit(scope, words, parameters):
        return False
    init.add(words)
    return True


def _plain_value(scope: Scope, part: Value, values: dict[GroundAtom, Fraction]) -> bool:
    """Take an initial value that needs no second look; return whether it was one."""
    words, text = part.split()
    parameters = scope.functions.get(words[0]) if words else None
    value = number(text)
    if parameters is None or value is None or words[0] in scope.object_functions or not _fit(scope, words, parameters):
        return False
    return values.setdefault(tuple(words), value) == value


def _fit(scope: Scope, words: Sequence[str], parameters: tuple[Parameter, ...]) -> bool:
    """Return whether the words behind the first are objects of the right number and types."""
    if len(parameters) != len(words) - 1:
        return False
    for word, parameter in zip(words[1:], parameters, strict=True):
        types = scope.objects.get(word)
        if types is None or (types != parameter.types and not scope.may_be(types, parameter.types)):
            return False
    return True


def _fact(
    scope: Scope,
    group: Group,
    init: set[GroundAtom],
    values: dict[GroundAtom, Fraction],
    timed: list[TimedFact],
) -> None:
    """Read one initial fact in full, with the errors and the rarer forms."""
    nodes = group.nodes
    head = group.head
    if head == "=" and len(nodes) == 3:
        _initial_value(scope, group, nodes, init, values)
    elif head == "at" and len(nodes) == 3 and isinstance(nodes[2], Group):
        timed.append(_timed(scope, group, nodes[1], nodes[2]))
    elif head == "not" and len(nodes) == 2:
        formula(scope, nodes[1], {})
        scope.warn("a negative literal in :init says nothing; facts not listed are false", group.offset)
    elif head in ("and", "or", "forall", "exists", "imply", "oneof", "unknown") and head not in scope.predicates:
        scope.source.fail(f"a fact was expected in :init, not '{head}'", group.offset)
    else:
        if head in scope.derived:
            scope.source.fail(f"derived predicate '{head}' may not be given in :init", group.offset)
        atom = formula(scope, group, {})
        terms = getattr(atom, "terms", None)
        if terms is None:
            scope.source.fail("a fact was expected", group.offset)
        init.add((head, *terms))


def _timed(scope: Scope, group: Group, when: Node, what: Group) -> TimedFact:
    """Read ``(at 5 (open))``, ``(at 5 (not (open)))`` or ``(at 5 (= (price) 3))``."""
    from validator.model.temporal import TimedFact

    scope.feature("timed-initial-literals", group.offset)
    time = number(when.text) if isinstance(when, Word) else None
    if time is None or time < 0:
        scope.source.fail("a time such as 5.5 was expected", when.offset)
    nodes = what.nodes
    if what.head == "=" and len(nodes) == 3:
        value = number(nodes[2].text) if isinstance(nodes[2], Word) else None
        fluent = expression(scope, nodes[1], {})
        if value is None or not isinstance(fluent, Fluent):
            scope.source.fail("'(= (FUNCTION ...) NUMBER)' was expected", what.offset)
        return TimedFact(time=time, effect=NumericEffect("assign", fluent, Number(value)))
    positive = what.head != "not"
    if not positive and len(nodes) != 2:
        scope.source.fail(f"'not' takes 1 arguments, got {len(nodes) - 1}", what.offset)
    inner = what if positive else nodes[1]
    atom = formula(scope, inner, {})
    if not isinstance(atom, Atom):
        scope.source.fail("an atom was expected", inner.offset)
    if atom.predicate in scope.derived:
        scope.source.fail(f"derived predicate '{atom.predicate}' may not be given in :init", inner.offset)
    if atom.predicate.startswith("="):
        scope.feature("timed-object-fluents", inner.offset)
    return TimedFact(time=time, effect=Literal(atom, positive))


def _initial_value(
    scope: Scope,
    group: Group,
    nodes: tuple[Node, ...],
    init: set[GroundAtom],
    values: dict[GroundAtom, Fraction],
) -> None:
    target, given = nodes[1], nodes[2]
    head = target.head if isinstance(target, Group) else target.text
    if head not in scope.functions:
        scope.source.fail(f"undeclared function '{head}'{did_you_mean(head, scope.functions)}", target.offset)
    if head in scope.object_functions:
        _initial_object(scope, group, init)
        return
    value = number(given.text) if isinstance(given, Word) else None
    fluent = expression(scope, target, {})
    if value is None:
        scope.source.fail("a number was expected", given.offset)
    key = (head, *getattr(fluent, "terms", ()))
    if values.get(key, value) != value:
        scope.source.fail(f"'({' '.join(key)})' is given two values", group.offset)
    values[key] = value


def _initial_object(scope: Scope, group: Group, init: set[GroundAtom]) -> None:
    """Read the initial value of an object fluent."""
    atom = formula(scope, group, {})
    if not isinstance(atom, Atom):
        scope.source.fail("'(= (FUNCTION ...) OBJECT)' was expected", group.offset)
    key = (atom.predicate, *atom.terms)
    if any(known[:-1] == key[:-1] and known != key for known in init):
        scope.source.fail(f"'({' '.join((key[0][1:], *key[1:-1]))})' is given two values", group.offset)
    init.add(key)


def _constraints(scope: Scope, section: Group) -> tuple[tuple[Trajectory, ...], tuple[Preference, ...]]:
    from validator.model.pddl.formulas.soft import constraints

    return constraints(scope, section)


def _only(scope: Scope, section: Group) -> Node:
    nodes = section.nodes
    if len(nodes) != 2:
        scope.source.fail(f"one goal condition was expected, got {len(nodes) - 1}", section.offset)
    return nodes[1]


def _preference_names(domain: Domain) -> set[str]:
    found = list(domain.preferences)
    for action in domain.actions.values():
        found += action.preferences
    for durative in domain.durative.values():
        found += durative.preferences
    return {preference.name for preference in found}


def _metric(scope: Scope, section: Group) -> Metric:
    nodes = section.nodes
    if len(nodes) != 3 or not isinstance(nodes[1], Word) or nodes[1].text not in ("minimize", "maximize"):
        scope.source.fail("'(:metric minimize EXPRESSION)' or 'maximize' was expected", section.offset)
    return Metric(optimization=nodes[1].text, expression=expression(scope, nodes[2], {}))
