"""Effects of PDDL: from groups of words to the values of the model."""

from __future__ import annotations

from fractions import Fraction

from validator.model.formulas import conjunction
from validator.model.pddl.formulas.conditions import ASSIGN, atom, expression, formula, number, plain_atom
from validator.model.pddl.formulas.object_fluents import assigned, is_object_fluent, with_plain_terms_in_effect
from validator.model.pddl.scope import Scope, Variables
from validator.model.pddl.syntax import Flat, Group, Node, Word, chained
from validator.model.values import (
    TOTAL_COST,
    TRUE,
    Conditional,
    Effect,
    Fluent,
    Formula,
    Literal,
    NumericEffect,
    OneOf,
    Option,
    Parameter,
)


def effects(scope: Scope, node: Node, variables: Variables, conditional: bool = False) -> tuple[Effect, ...]:
    """Read an effect as a flat tuple; ``conditional`` says that it stands inside a ``when`` or ``forall``.

    What is open in it is added to ``scope.choices``.
    """
    group = scope.group(node, "an effect")
    if isinstance(group, Flat):
        plain = _plain_literal(scope, group, variables, positive=True)
        if plain:
            return plain
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
        condition = formula(scope, nodes[1], variables)
        return _conditional(scope, (), condition, nodes[2], variables)
    if head.text == "forall":
        scope.takes(group, 2)
        parameters, inner = scope.quantified(nodes[1], variables)
        return _conditional(scope, parameters, TRUE, nodes[2], inner)
    if head.text in ASSIGN and head.text not in scope.predicates:
        return _numeric_effect(scope, group, nodes, variables, conditional)
    if head.text in ("oneof", "probabilistic") and head.text not in scope.predicates:
        scope.feature("non-deterministic-effects", group.offset)
        read = _one_of if head.text == "oneof" else _by_probability
        scope.choices.append(OneOf((), TRUE, read(scope, group, variables, conditional)))
        return ()
    return _literal(scope, group, variables, positive=True)


def _conditional(
    scope: Scope, parameters: tuple[Parameter, ...], condition: Formula, node: Node, variables: Variables
) -> tuple[Effect, ...]:
    """Read the effects inside a ``when`` or ``forall``: what they read is no condition of the action."""
    needed, scope.values_needed = scope.values_needed, None
    found = _outcome(scope, node, variables, conditional=True)
    scope.values_needed = needed
    for choice in found.choices:
        both = conjunction((condition, choice.condition))
        scope.choices.append(OneOf((*parameters, *choice.parameters), both, choice.options))
    return (Conditional(parameters, condition, found.effects),) if found.effects or not found.choices else ()


def _outcome(scope: Scope, node: Node, variables: Variables, conditional: bool) -> Option:
    """Read effects with what is open in them."""
    outer, scope.choices = scope.choices, []
    found = effects(scope, node, variables, conditional)
    inner, scope.choices = scope.choices, outer
    return Option(found, tuple(inner))


def _one_of(scope: Scope, group: Group, variables: Variables, conditional: bool) -> tuple[Option, ...]:
    if len(group.nodes) < 2:
        scope.source.fail("effects were expected after 'oneof'", group.offset)
    return tuple(_outcome(scope, node, variables, conditional) for node in group.nodes[1:])


def _by_probability(scope: Scope, group: Group, variables: Variables, conditional: bool) -> tuple[Option, ...]:
    """Read the effects that are possible; with what is left of 1 there is none."""
    return tuple(
        Option(()) if node is None else _outcome(scope, node, variables, conditional)
        for node in likely(scope, group, "an effect")
    )


def likely(scope: Scope, group: Group, expected: str) -> list[Node | None]:
    """Return what stands behind the probabilities above 0 of ``(probabilistic P NODE ...)``; None for the rest of 1."""
    nodes = group.nodes
    total = Fraction(0)
    found: list[Node | None] = []
    for place in range(1, len(nodes), 2):
        word = nodes[place]
        if place + 1 == len(nodes):
            scope.source.fail(f"{expected} was expected after the probability", word.offset)
        if isinstance(word, Group):
            scope.feature("computed-probabilities", word.offset)
            return [*nodes[2::2], None]
        over, _, under = word.text.partition("/")  # PPDDL writes 2/5, too
        top, bottom = number(over), number(under or "1")
        chance = top / bottom if top is not None and bottom else None
        if chance is None or not 0 <= chance <= 1:
            scope.source.fail(f"a probability from 0 to 1 was expected, not '{word.text}'", word.offset)
        total += chance
        found += [nodes[place + 1]] if chance else []
    if total > 1:
        scope.source.fail("the probabilities add up to more than 1", group.offset)
    return found if total == 1 else [*found, None]


def _plain_literal(scope: Scope, group: Flat, variables: Variables, *, positive: bool) -> tuple[Effect, ...]:
    """Return the effect on an atom that needs no second look; nothing for any other."""
    changed = plain_atom(scope, group, variables)
    if changed is None or changed.predicate in scope.derived or changed.predicate == "when":
        return ()
    return (Literal(changed, positive),)


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
    if fluent.function == "reward" and "reward" not in scope.functions:
        return ()  # no condition reads it
    if fluent != TOTAL_COST or operator != "increase":
        scope.feature("numeric-fluents", group.offset)
    elif conditional:
        scope.feature("conditional-costs", group.offset)
    return (NumericEffect(operator, fluent, value),)
