"""PDDL formulas, numeric expressions and effects: from groups of words to the values of the model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from validator.errors import did_you_mean
from validator.model.pddl.formulas.object_fluents import (
    assigned,
    equal_objects,
    is_object_fluent,
    with_plain_terms,
    with_plain_terms_in_effect,
)
from validator.model.pddl.scope import Scope
from validator.model.pddl.syntax import Group, Node, Word
from validator.model.values import (
    TRUE,
    And,
    Arithmetic,
    Atom,
    Compare,
    Conditional,
    Effect,
    Equal,
    Exists,
    Expression,
    Fluent,
    Forall,
    Formula,
    Imply,
    Literal,
    Not,
    Number,
    NumericEffect,
    Or,
)

if TYPE_CHECKING:
    from validator.model.temporal import Preference

__all__ = ["TOTAL_COST", "compares_numbers", "effects", "expression", "formula", "hard_and_soft", "number"]

Variables: TypeAlias = Mapping[str, frozenset[str]]

TOTAL_COST = Fluent("total-cost", ())

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$")
_BUILT_IN = {  # what needs no declaration, and the feature that it belongs to
    "total-time": "",
    "#t": "continuous-effects",
    "?duration": "durative-actions",
}
_ASSIGN = frozenset(("assign", "increase", "decrease", "scale-up", "scale-down"))


@lru_cache(maxsize=4096)
def number(text: str) -> Fraction | None:
    """Return the exact value of a decimal literal, or None if the text is none."""
    return Fraction(text) if len(text) < 400 and _NUMBER.match(text) else None


# --- formulas ----------------------------------------------------------------------------------


def formula(scope: Scope, node: Node, variables: Variables) -> Formula:
    """Read a condition. What is beyond classical planning is noted in ``scope.features``."""
    group = scope.group(node, "a condition")
    nodes = group.nodes
    if not nodes:
        return TRUE
    head = scope.word(nodes[0], "a predicate or connective")
    reader = _CONNECTIVES.get(head.text)
    if reader is not None:
        return reader(scope, group, nodes, variables)
    if head.text in scope.predicates:
        if scope.object_functions and any(is_object_fluent(scope, node) for node in nodes[1:]):
            return with_plain_terms(scope, nodes, variables, lambda words, bound: _atom(scope, words, bound))
        return _atom(scope, nodes, variables)
    if head.text == "preference":
        scope.source.fail("a preference may stand below 'and' and 'forall' of a goal or precondition only", head.offset)
    return _unknown_predicate(scope, head)


def hard_and_soft(scope: Scope, node: Node, variables: Variables) -> tuple[Formula, tuple[Preference, ...]]:
    """Read a goal or precondition as its hard part and its preferences (PDDL 3)."""
    if "preference" not in scope.source.text:
        return formula(scope, node, variables), ()
    from validator.model.pddl.formulas.soft import soft_formula

    return soft_formula(scope, node, variables)


def _unknown_predicate(scope: Scope, head: Word) -> NoReturn:
    known = [*scope.predicates, *_CONNECTIVES]
    scope.source.fail(f"undeclared predicate '{head.text}'{did_you_mean(head.text, known)}", head.offset)


def _atom(scope: Scope, nodes: tuple[Node, ...], variables: Variables) -> Atom:
    head = scope.word(nodes[0], "a predicate")
    if head.text not in scope.predicates:
        _unknown_predicate(scope, head)
    terms = scope.terms(nodes[1:], scope.predicates[head.text], variables, head, "predicate")
    return Atom(head.text, terms)


def _and(scope: Scope, group: Group, nodes: tuple[Node, ...], variables: Variables) -> Formula:
    return And(tuple(formula(scope, node, variables) for node in nodes[1:]))


def _or(scope: Scope, group: Group, nodes: tuple[Node, ...], variables: Variables) -> Formula:
    scope.uses("disjunctive-preconditions", group.offset)
    return Or(tuple(formula(scope, node, variables) for node in nodes[1:]))


def _not(scope: Scope, group: Group, nodes: tuple[Node, ...], variables: Variables) -> Formula:
    _count(scope, group, nodes, 1)
    part = formula(scope, nodes[1], variables)
    if isinstance(part, Atom):
        scope.uses("negative-preconditions", group.offset)
    return Not(part)


def _imply(scope: Scope, group: Group, nodes: tuple[Node, ...], variables: Variables) -> Formula:
    _count(scope, group, nodes, 2)
    scope.uses("disjunctive-preconditions", group.offset)
    return Imply(formula(scope, nodes[1], variables), formula(scope, nodes[2], variables))


def _quantified(scope: Scope, group: Group, nodes: tuple[Node, ...], variables: Variables) -> Formula:
    _count(scope, group, nodes, 2)
    universal = group.head == "forall"
    scope.uses("universal-preconditions" if universal else "existential-preconditions", group.offset)
    parameters = scope.parameters(scope.group(nodes[1], "a list of variables").nodes)
    inner = {**variables, **{parameter.name: parameter.types for parameter in parameters}}
    part = formula(scope, nodes[2], inner)
    return Forall(parameters, part) if universal else Exists(parameters, part)


def _comparison(scope: Scope, group: Group, nodes: tuple[Node, ...], variables: Variables) -> Formula:
    _count(scope, group, nodes, 2)
    head, left, right = nodes
    assert isinstance(head, Word)
    operands = (left, right)
    if head.text == "=" and not any(_is_numeric(scope, operand) for operand in operands):
        scope.uses("equality", group.offset)
        if any(is_object_fluent(scope, operand) for operand in operands):
            return equal_objects(scope, left, right, variables)
        return Equal(scope.term(left, variables), scope.term(right, variables))
    scope.feature("numeric-fluents", group.offset)
    return Compare(head.text, expression(scope, left, variables), expression(scope, right, variables))


def _is_numeric(scope: Scope, node: Node) -> bool:
    if isinstance(node, Word) and node.text in scope.functions and node.text not in scope.objects:
        return node.text not in scope.object_functions
    if isinstance(node, Group):
        return node.head not in scope.object_functions
    return number(node.text) is not None and node.text not in scope.objects


def _count(scope: Scope, group: Group, nodes: tuple[Node, ...], arguments: int) -> None:
    if len(nodes) - 1 != arguments:
        scope.source.fail(f"'{group.head}' takes {arguments} arguments, got {len(nodes) - 1}", group.offset)


_CONNECTIVES: dict[str, Callable[[Scope, Group, tuple[Node, ...], Variables], Formula]] = {
    "and": _and,
    "or": _or,
    "not": _not,
    "imply": _imply,
    "forall": _quantified,
    "exists": _quantified,
    "=": _comparison,
    "<": _comparison,
    "<=": _comparison,
    ">": _comparison,
    ">=": _comparison,
}


# --- numeric expressions -----------------------------------------------------------------------


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
    head = scope.word(nodes[0], "a function or one of + - * /")
    if head.text in ("+", "-", "*", "/"):
        if len(nodes) < 2:
            scope.source.fail(f"'{head.text}' needs an operand", head.offset)
        return Arithmetic(head.text, tuple(expression(scope, part, variables) for part in nodes[1:]))
    return _fluent(scope, nodes, variables, head)


def _fluent(scope: Scope, nodes: tuple[Node, ...], variables: Variables, head: Word) -> Fluent:
    if head.text == "is-violated" and head.text not in scope.functions:
        if len(nodes) != 2:
            scope.source.fail("'(is-violated PREFERENCE)' was expected", head.offset)
        scope.feature("preferences", head.offset)
        name = scope.word(nodes[1], "the name of a preference")
        if name.text not in scope.preferences:
            hint = did_you_mean(name.text, sorted(scope.preferences))
            scope.source.fail(f"undeclared preference '{name.text}'{hint}", name.offset)
        return Fluent(head.text, (name.text,))
    if head.text in _BUILT_IN and head.text not in scope.functions:
        if _BUILT_IN[head.text]:
            scope.feature(_BUILT_IN[head.text], head.offset)
        return Fluent(head.text, ())
    if head.text in scope.object_functions:
        scope.source.fail(f"function '{head.text}' has an object as its value, not a number", head.offset)
    if head.text not in scope.functions:
        if head.text != TOTAL_COST.function or len(nodes) > 1:
            scope.source.fail(
                f"undeclared function '{head.text}'{did_you_mean(head.text, scope.functions)}", head.offset
            )
        scope.warn("function 'total-cost' is not declared in :functions", head.offset)
        scope.functions[head.text] = ()
    terms = scope.terms(nodes[1:], scope.functions[head.text], variables, head, "function")
    return Fluent(head.text, terms)


def compares_numbers(condition: Formula) -> bool:
    """Return whether a numeric comparison stands somewhere in a condition."""
    match condition:
        case Compare():
            return True
        case Not(part) | Forall(_, part) | Exists(_, part):
            return compares_numbers(part)
        case And(parts) | Or(parts):
            return any(map(compares_numbers, parts))
        case Imply(premise, conclusion):
            return compares_numbers(premise) or compares_numbers(conclusion)
        case _:
            return False


# --- effects -----------------------------------------------------------------------------------


def effects(scope: Scope, node: Node, variables: Variables, conditional: bool = False) -> tuple[Effect, ...]:
    """Read an effect as a flat tuple; ``conditional`` says that it stands inside a ``when`` or ``forall``."""
    group = scope.group(node, "an effect")
    nodes = group.nodes
    if not nodes:
        return ()
    head = scope.word(nodes[0], "a predicate or 'and', 'not', 'when', 'forall'")
    if head.text == "and":
        return tuple(effect for part in nodes[1:] for effect in effects(scope, part, variables, conditional))
    if head.text == "not":
        _count(scope, group, nodes, 1)
        return _literal(scope, scope.group(nodes[1], "an atom"), variables, positive=False)
    if head.text == "when":
        _count(scope, group, nodes, 2)
        scope.uses("conditional-effects", group.offset)
        condition = formula(scope, nodes[1], variables)
        return (Conditional((), condition, _conditional(scope, nodes[2], variables)),)
    if head.text == "forall":
        _count(scope, group, nodes, 2)
        scope.uses("conditional-effects", group.offset)
        parameters = scope.parameters(scope.group(nodes[1], "a list of variables").nodes)
        inner = {**variables, **{parameter.name: parameter.types for parameter in parameters}}
        return (Conditional(parameters, TRUE, _conditional(scope, nodes[2], inner)),)
    if head.text in _ASSIGN and head.text not in scope.predicates:
        return _numeric_effect(scope, group, nodes, variables, conditional)
    if head.text in ("oneof", "probabilistic") and head.text not in scope.predicates:
        scope.feature("non-deterministic-effects", group.offset)
        return ()
    return _literal(scope, group, variables, positive=True)


def _conditional(scope: Scope, node: Node, variables: Variables) -> tuple[Effect, ...]:
    """Read the effects inside a ``when`` or ``forall``: what they read is no condition of the action."""
    needed, scope.values_needed = scope.values_needed, None
    found = effects(scope, node, variables, conditional=True)
    scope.values_needed = needed
    return found


def _literal(scope: Scope, group: Group, variables: Variables, *, positive: bool) -> tuple[Effect, ...]:
    def read(nodes: tuple[Node, ...], bound: Variables) -> tuple[Effect, ...]:
        atom = _atom(scope, nodes, bound)
        if atom.predicate in scope.derived:
            scope.source.fail(f"derived predicate '{atom.predicate}' may not be changed by an effect", group.offset)
        return (Literal(atom, positive),)

    nodes = group.nodes or (Word("", group.offset),)
    if scope.object_functions and any(is_object_fluent(scope, node) for node in nodes[1:]):
        return with_plain_terms_in_effect(scope, nodes, variables, read)
    return read(nodes, variables)


def _numeric_effect(
    scope: Scope, group: Group, nodes: tuple[Node, ...], variables: Variables, conditional: bool
) -> tuple[Effect, ...]:
    _count(scope, group, nodes, 2)
    operator, target = group.head, nodes[1]
    target_head = target.head if isinstance(target, Group) else target.text
    if target_head in scope.object_functions:
        return assigned(scope, group, variables)
    fluent = expression(scope, target, variables)
    if not isinstance(fluent, Fluent):
        scope.source.fail(f"'{operator}' changes a function, not a number", target.offset)
    value = expression(scope, nodes[2], variables)
    if fluent != TOTAL_COST or operator != "increase":
        scope.feature("numeric-fluents", group.offset)
    elif conditional:
        scope.feature("conditional-costs", group.offset)
    return (NumericEffect(operator, fluent, value),)
