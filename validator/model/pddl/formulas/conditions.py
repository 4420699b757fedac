"""Conditions and numeric expressions of PDDL: from groups of words to the values of the model."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NoReturn

from validator.errors import did_you_mean
from validator.model.pddl.formulas.object_fluents import equal_objects, is_object_fluent, with_plain_terms
from validator.model.pddl.scope import Scope, Variables
from validator.model.pddl.syntax import Flat, Group, Node, Word, chained
from validator.model.values import (
    TRUE,
    And,
    Arithmetic,
    Atom,
    Compare,
    Equal,
    Exists,
    Expression,
    Fluent,
    Forall,
    Formula,
    Imply,
    Not,
    Number,
    Or,
)

NO_PREFERENCE = "a preference may stand below 'and' and 'forall' of a goal or precondition only"
CONNECTIVES = ("and", "or", "not", "imply", "forall", "exists", "=", "<", "<=", ">", ">=")
ASSIGN = frozenset(("assign", "increase", "decrease", "scale-up", "scale-down"))
TRAJECTORIES = {
    "at-end": (0, 1),
    "always": (0, 1),
    "sometime": (0, 1),
    "within": (1, 1),
    "at-most-once": (0, 1),
    "sometime-after": (0, 2),
    "sometime-before": (0, 2),
    "always-within": (1, 2),
    "hold-during": (2, 1),
    "hold-after": (1, 1),
}
"""operators of trajectory constraints, with the numbers and the conditions that each takes"""


def formula(scope: Scope, node: Node, variables: Variables) -> Formula:
    """Read a condition. What is beyond classical planning is noted in ``scope.features``."""
    if isinstance(node, Flat):
        plain = plain_atom(scope, node, variables)
        if plain is not None:
            return plain
    group = scope.group(node, "a condition")
    nodes = group.nodes
    if not nodes:
        return TRUE
    head = scope.word(nodes[0], "a predicate or connective")
    if head.text in CONNECTIVES:
        return _connected(scope, group, head.text, variables)
    if head.text in scope.predicates:
        if scope.object_functions and any(is_object_fluent(scope, node) for node in nodes[1:]):
            return with_plain_terms(scope, nodes, variables, lambda words, bound: atom(scope, words, bound))
        return atom(scope, nodes, variables)
    if head.text == "preference":
        scope.source.fail(NO_PREFERENCE, head.offset)
    return _unknown_predicate(scope, head)


def _unknown_predicate(scope: Scope, head: Word) -> NoReturn:
    if head.text in {*CONNECTIVES, *ASSIGN, "when", *TRAJECTORIES}:
        scope.source.fail(f"'{head.text}' is not allowed here", head.offset)
    known = [*scope.predicates, *CONNECTIVES]
    scope.source.fail(f"undeclared predicate '{head.text}'{did_you_mean(head.text, known)}", head.offset)


def plain_atom(scope: Scope, group: Flat, variables: Variables) -> Atom | None:
    """Return an atom that needs no second look: every name is known, and nothing is to be said of it."""
    known = scope.plain.get(group.text)
    if known is not None and (not known[1] or all(variables.get(name) == types for name, types in known[1])):
        return known[0]
    words = group.text[1:-1].split()
    parameters = scope.predicates.get(words[0])
    if parameters is None or len(parameters) != len(words) - 1 or words[0] in CONNECTIVES:
        return None
    bound = []
    for term, parameter in zip(words[1:], parameters, strict=True):
        types = variables.get(term) if term[0] == "?" else scope.objects.get(term)
        if types is None or (types != parameter.types and not scope.may_be(types, parameter.types)):
            return None
        if term[0] == "?":
            bound.append((term, types))
    found = Atom(words[0], tuple(words[1:]))
    scope.plain[group.text] = found, tuple(bound)
    return found


def atom(scope: Scope, nodes: tuple[Node, ...], variables: Variables) -> Atom:
    """Read an atom whose terms are variables and objects."""
    head = scope.word(nodes[0], "a predicate")
    if head.text not in scope.predicates:
        _unknown_predicate(scope, head)
    terms = scope.terms(nodes[1:], scope.predicates[head.text], variables, head, "predicate")
    return Atom(head.text, terms)


def _connected(scope: Scope, group: Group, connective: str, variables: Variables) -> Formula:
    """Read a condition that is made of others, or a comparison."""
    nodes = group.nodes
    if connective in ("and", "or"):
        parts = tuple(formula(scope, node, variables) for node in chained(group))
        return And(parts) if connective == "and" else Or(parts)
    scope.takes(group, 1 if connective == "not" else 2)
    if connective == "not":
        return Not(formula(scope, nodes[1], variables))
    if connective == "imply":
        return Imply(formula(scope, nodes[1], variables), formula(scope, nodes[2], variables))
    if connective in ("forall", "exists"):
        parameters, inner = scope.quantified(nodes[1], variables)
        return (Forall if connective == "forall" else Exists)(parameters, formula(scope, nodes[2], inner))
    return _comparison(scope, group, variables)


def _comparison(scope: Scope, group: Group, variables: Variables) -> Formula:
    comparator, (_, left, right) = group.head, group.nodes
    if comparator == "=" and not any(_is_numeric(scope, operand) for operand in (left, right)):
        if any(is_object_fluent(scope, operand) for operand in (left, right)):
            return equal_objects(scope, left, right, variables)
        return Equal(scope.term(left, variables), scope.term(right, variables))
    scope.feature("numeric-fluents", group.offset)
    return Compare(comparator, expression(scope, left, variables), expression(scope, right, variables))


def _is_numeric(scope: Scope, node: Node) -> bool:
    if isinstance(node, Word) and node.text in scope.functions and node.text not in scope.objects:
        return node.text not in scope.object_functions
    if isinstance(node, Group):
        return node.head not in scope.object_functions
    return number(node.text) is not None and node.text not in scope.objects


# --- numeric expressions --------------------------------------------------------------------------

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$")
_GLUED = re.compile(r"([-+*/])(\d+(?:\.\d*)?)$")
_PREDEFINED = {
    "total-time": "metrics",
    "is-violated": "metrics",
    "#t": "the rates of continuous effects",
    "?duration": "the conditions and effects of durative actions",
}
"""what needs no declaration, and where alone it means something"""


@lru_cache(maxsize=4096)
def number(text: str) -> Fraction | None:
    """Return the exact value of a decimal literal, or None if the text is none."""
    return Fraction(text) if len(text) < 400 and _NUMBER.match(text) else None


def expression(scope: Scope, node: Node, variables: Variables) -> Expression:
    """Read a numeric expression."""
    if isinstance(node, Word):
        value = number(node.text)
        if value is not None:
            return Number(value)
        return _fluent(scope, (node,), variables, node)
    nodes = node.nodes
    if not nodes:
        scope.source.fail("a number or function was expected, not '()'", node.offset)
    nodes = _operator_apart(scope, nodes)
    head = scope.word(nodes[0], "a function or one of + - * /")
    if head.text in ("+", "-", "*", "/"):
        if len(nodes) < (3 if head.text == "/" else 2):
            needed = "two operands" if head.text == "/" else "an operand"
            scope.source.fail(f"'{head.text}' needs {needed}", head.offset)
        parts = chained(node) if head.text in ("+", "*") and head is node.nodes[0] else nodes[1:]
        return Arithmetic(head.text, tuple(expression(scope, part, variables) for part in parts))
    return _fluent(scope, nodes, variables, head)


def _operator_apart(scope: Scope, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the nodes of an expression whose operator and first number may stand together, as in ``(*2 (f))``."""
    head = nodes[0]
    found = _GLUED.match(head.text) if isinstance(head, Word) and head.text not in scope.functions else None
    if found is None:
        return nodes
    message = f"a blank is missing between '{found[1]}' and '{found[2]}'"
    scope.tolerate("missing-blank", message, head.offset)
    return (Word(found[1], head.offset), Word(found[2], head.offset + len(found[1])), *nodes[1:])


def _fluent(scope: Scope, nodes: tuple[Node, ...], variables: Variables, head: Word) -> Fluent:
    if head.text in _PREDEFINED and head.text not in scope.functions and head.text not in scope.predefined:
        scope.source.fail(f"'{head.text}' means something in {_PREDEFINED[head.text]} only", head.offset)
    if head.text == "is-violated" and head.text not in scope.functions:
        if len(nodes) != 2:
            scope.source.fail("'(is-violated PREFERENCE)' was expected", head.offset)
        scope.feature("preferences", head.offset)
        name = scope.word(nodes[1], "the name of a preference")
        if name.text not in scope.preferences:
            hint = did_you_mean(name.text, sorted(scope.preferences))
            scope.source.fail(f"undeclared preference '{name.text}'{hint}", name.offset)
        return Fluent(head.text, (name.text,))
    if head.text in _PREDEFINED and head.text not in scope.functions:
        return Fluent(head.text, ())
    if head.text in scope.object_functions:
        scope.source.fail(f"function '{head.text}' has an object as its value, not a number", head.offset)
    if head.text not in scope.functions:
        if head.text == "reward":
            scope.feature("rewards", head.offset)
            return Fluent("reward", ())
        if head.text not in scope.predefined or len(nodes) > 1:
            scope.source.fail(
                f"undeclared function '{head.text}'{did_you_mean(head.text, scope.functions)}", head.offset
            )
        scope.warn("function 'total-cost' is not declared in :functions", head.offset)
        scope.functions[head.text] = ()
    terms = scope.terms(nodes[1:], scope.functions[head.text], variables, head, "function")
    return Fluent(head.text, terms)
