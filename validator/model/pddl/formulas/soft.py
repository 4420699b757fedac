"""Preferences and trajectory constraints of PDDL 3 (Gerevini, Haslum, Long, Saetti and Dimopoulos 2009)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from validator.errors import did_you_mean
from validator.model.pddl.formulas.conditions import TRAJECTORIES, formula, number
from validator.model.pddl.scope import Scope, Variables
from validator.model.pddl.syntax import Group, Node, Word, chained
from validator.model.temporal import Preference, Trajectory
from validator.model.values import And, Forall, Formula, Parameter
from validator.texts import counted

# --- preferences in conditions -----------------------------------------------------------------


def soft_formula(scope: Scope, node: Node, variables: Variables) -> tuple[Formula, tuple[Preference, ...]]:
    """Read a goal or precondition as its hard part and its preferences.

    Preferences stand below ``and`` and ``forall`` only; anywhere else ``formula`` refuses them.
    """
    found: list[Preference] = []
    return _hard(scope, node, variables, (), found), tuple(found)


def _hard(
    scope: Scope, node: Node, variables: Variables, outer: tuple[Parameter, ...], found: list[Preference]
) -> Formula:
    if not _mentions(node):
        return formula(scope, node, variables)
    group = scope.group(node, "a condition")
    nodes = group.nodes
    if group.head == "and":
        return And(tuple(_hard(scope, part, variables, outer, found) for part in chained(group)))
    if group.head == "forall" and len(nodes) == 3:
        parameters, inner = scope.quantified(nodes[1], variables)
        return Forall(parameters, _hard(scope, nodes[2], inner, (*outer, *parameters), found))
    if group.head == "preference":
        name, body = named_preference(scope, group)
        found.append(Preference(name=name, parameters=outer, condition=formula(scope, body, variables)))
        return And(())
    return formula(scope, node, variables)


def _mentions(node: Node) -> bool:
    """Return whether a preference stands somewhere in a node."""
    return isinstance(node, Group) and (node.head == "preference" or any(map(_mentions, node.nodes)))


def named_preference(scope: Scope, group: Group) -> tuple[str, Node]:
    """Return the name of ``(preference [NAME] CONDITION)``, empty for none, and the condition."""
    nodes = group.nodes
    if len(nodes) not in (2, 3):
        scope.source.fail("'(preference [NAME] CONDITION)' was expected", group.offset)
    scope.feature("preferences", group.offset)
    name = scope.word(nodes[1], "the name of the preference").text if len(nodes) == 3 else ""
    scope.preferences.add(name)
    return name, nodes[-1]


# --- the section :constraints --------------------------------------------------------------------


_EXPECTED = "a constraint such as (always (p))"


def constraints(scope: Scope, section: Group) -> tuple[tuple[Trajectory, ...], tuple[Preference, ...]]:
    """Read a section ``:constraints`` as its hard constraints and its preferences."""
    scope.feature("constraints", section.offset)
    hard: list[Trajectory] = []
    soft: list[Preference] = []
    for group, bound, outer in (leaf for node in section.nodes[1:] for leaf in scope.leaves(node, {}, _EXPECTED)):
        if group.head != "preference":
            hard.append(_trajectory(scope, group, bound, outer))
            continue
        name, body = named_preference(scope, group)
        trajectories = tuple(_trajectory(scope, *leaf) for leaf in scope.leaves(body, bound, _EXPECTED))
        soft.append(Preference(name=name, parameters=outer, trajectories=trajectories))
    return tuple(hard), tuple(soft)


def _trajectory(scope: Scope, group: Group, variables: Variables, outer: tuple[Parameter, ...]) -> Trajectory:
    nodes, operator = group.nodes, group.head
    if operator == "at" and len(nodes) > 1 and isinstance(nodes[1], Word) and nodes[1].text == "end":
        operator, nodes = "at-end", nodes[1:]
    if operator not in TRAJECTORIES:
        hint = did_you_mean(operator, TRAJECTORIES)
        scope.source.fail(f"'{operator or '('}' is not a trajectory constraint{hint}", group.offset)
    times, parts = TRAJECTORIES[operator]
    if len(nodes) != 1 + times + parts:
        said = f"{counted(times, 'number')} and " if times else ""
        expected = f"{said}{counted(parts, 'condition')}"
        scope.source.fail(f"'{operator}' takes {expected}, got {len(nodes) - 1} arguments", group.offset)
    return Trajectory(
        operator="at end" if operator == "at-end" else operator,
        times=tuple(_times(scope, nodes[1 : 1 + times])),
        parts=tuple(formula(scope, part, variables) for part in nodes[1 + times :]),
        parameters=outer,
    )


def _times(scope: Scope, nodes: tuple[Node, ...]) -> Iterator[Fraction]:
    for node in nodes:
        value = number(node.text) if isinstance(node, Word) else None
        if value is None:
            scope.source.fail("a number was expected", node.offset)
        yield value
