"""Effects of PDDL: from groups of words to the values of the model."""

from __future__ import annotations

from validator.model.pddl.formulas.conditions import atom, formula, plain_atom
from validator.model.pddl.formulas.expressions import expression
from validator.model.pddl.formulas.object_fluents import assigned, is_object_fluent, with_plain_terms_in_effect
from validator.model.pddl.scope import Scope, Variables
from validator.model.pddl.syntax import Flat, Group, Node, Word, Wrapped, chained
from validator.model.values import TOTAL_COST, TRUE, Conditional, Effect, Fluent, Literal, NumericEffect

__all__ = ["effects"]

_NEGATION = ("not",)
_ASSIGN = frozenset(("assign", "increase", "decrease", "scale-up", "scale-down"))


def effects(scope: Scope, node: Node, variables: Variables, conditional: bool = False) -> tuple[Effect, ...]:
    """Read an effect as a flat tuple; ``conditional`` says that it stands inside a ``when`` or ``forall``."""
    group = scope.group(node, "an effect")
    if isinstance(group, Flat):
        plain = _plain_literal(scope, group, variables, positive=True)
        if plain:
            return plain
    elif isinstance(group, Wrapped):
        words, denied = group.split()
        if words == _NEGATION:
            return _literal(scope, denied, variables, positive=False)
    nodes = group.nodes
    if not nodes:
        return ()
    head = scope.word(nodes[0], "a predicate or 'and', 'not', 'when', 'forall'")
    if head.text == "and":
        found: list[Effect] = []
        for part in chained(group):
            plain = _plain_literal(scope, part, variables, positive=True) if isinstance(part, Flat) else ()
            found += plain or effects(scope, part, variables, conditional)
        return tuple(found)
    if head.text == "not":
        scope.takes(group, 1)
        return _literal(scope, scope.group(nodes[1], "an atom"), variables, positive=False)
    if head.text == "when":
        scope.takes(group, 2)
        scope.uses("conditional-effects", group.offset)
        condition = formula(scope, nodes[1], variables)
        return (Conditional((), condition, _conditional(scope, nodes[2], variables)),)
    if head.text == "forall":
        scope.takes(group, 2)
        scope.uses("conditional-effects", group.offset)
        parameters, inner = scope.quantified(nodes[1], variables)
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


def _plain_literal(scope: Scope, group: Flat, variables: Variables, *, positive: bool) -> tuple[Effect, ...]:
    """Return the effect on an atom that needs no second look; nothing for any other."""
    changed = plain_atom(scope, group, variables)
    if changed is None or changed.predicate in scope.derived or changed.predicate == "when":
        return ()
    known = scope.changes.get((group.text, positive))
    if known is None or known[0].atom is not changed:
        known = scope.changes[group.text, positive] = (Literal(changed, positive),)
    return known


def _literal(scope: Scope, group: Group, variables: Variables, *, positive: bool) -> tuple[Effect, ...]:
    if isinstance(group, Flat):
        plain = _plain_literal(scope, group, variables, positive=positive)
        if plain:
            return plain

    def read(nodes: tuple[Node, ...], bound: Variables) -> tuple[Effect, ...]:
        changed = atom(scope, nodes, bound)
        if changed.predicate in scope.derived:
            scope.source.fail(f"derived predicate '{changed.predicate}' may not be changed by an effect", group.offset)
        return (Literal(changed, positive),)

    nodes = group.nodes or (Word("", group.offset),)
    if scope.object_functions and any(is_object_fluent(scope, node) for node in nodes[1:]):
        return with_plain_terms_in_effect(scope, nodes, variables, read)
    return read(nodes, variables)


def _numeric_effect(
    scope: Scope, group: Group, nodes: tuple[Node, ...], variables: Variables, conditional: bool
) -> tuple[Effect, ...]:
    scope.takes(group, 2)
    operator, target = group.head, nodes[1]
    target_head = target.head if isinstance(target, Group) else target.text
    if target_head in scope.object_functions:
        return assigned(scope, group, variables)
    with scope.defining("total-cost"):
        fluent = expression(scope, target, variables)
    if not isinstance(fluent, Fluent):
        scope.source.fail(f"'{operator}' changes a function, not a number", target.offset)
    value = expression(scope, nodes[2], variables)
    if fluent != TOTAL_COST or operator != "increase":
        scope.feature("numeric-fluents", group.offset)
    elif conditional:
        scope.feature("conditional-costs", group.offset)
    return (NumericEffect(operator, fluent, value),)
