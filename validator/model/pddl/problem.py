"""Reading PDDL problems of a domain: objects, goal, metric; ``initial`` reads what holds at first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from validator.errors import ModelError
from validator.model.pddl.actions import hard_and_soft
from validator.model.pddl.formulas.conditions import expression
from validator.model.pddl.frame import declare_objects, grouped, opened, sections_of
from validator.model.pddl.initial import Facts
from validator.model.pddl.scope import Scope
from validator.model.pddl.syntax import Group, Node, Word
from validator.model.values import Domain, Metric, Problem
from validator.resources import without_collection

if TYPE_CHECKING:
    from validator.model.temporal import Preference, Trajectory


_SECTIONS = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric", ":constraints", ":length")


def read_problem(source: str | Path, domain: Domain, *, strict: bool = False, called: str = "") -> Problem:
    """Read a PDDL problem of a domain from a path or a text. Raises ModelError, or OSError for a file.

    What published problems have against the grammar is a warning, and with ``strict`` an error; ``called`` is what
    messages call a text.
    """
    with without_collection():
        return problem_in(*opened(source, "problem", is_strict=strict, called=called), domain)


def object_names(source: str | Path) -> list[str]:
    """Return the names that a problem declares, whatever their types are. Raises ModelError, or OSError for a file."""
    _, group = opened(source, "problem", is_strict=False)
    objects = (section for section in group.nodes if isinstance(section, Group) and section.head == ":objects")
    return [node.text for section in objects for node in section.nodes[1:] if isinstance(node, Word)]


def problem_in(scope: Scope, group: Group, domain: Domain) -> Problem:
    """Read a problem that is parsed; the scope knows its names afterwards. Raises ModelError."""
    scope.types = domain.types
    scope.objects = dict(domain.constants)
    scope.predicates = dict(domain.predicates)
    scope.functions = dict(domain.functions)
    scope.object_functions = set(domain.object_functions)
    scope.preferences = _preference_names(domain)
    scope.derived = {axiom.predicate for axiom in domain.axioms}
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
    facts = Facts(scope)
    if ":init" not in by_name:
        scope.warn("no :init section; no fact holds initially", start)
    for section in by_name.get(":init", ()):
        facts.read(section)
    if ":goal" not in by_name:
        scope.source.fail("the problem has no :goal section", start)
    goal, preferences = hard_and_soft(scope, _only(scope, by_name[":goal"][0]), {})
    hard, soft = _constraints(scope, by_name[":constraints"][0]) if ":constraints" in by_name else ((), ())
    return Problem(
        name=title,
        objects=scope.objects,
        init=frozenset(facts.atoms),
        values=facts.values,
        goal=goal,
        timed=tuple(facts.timed),
        uncertain=facts.possible(),
        constraints=hard,
        preferences=(*preferences, *soft),
        metric=_metric(scope, by_name[":metric"][0]) if ":metric" in by_name else None,
        features=scope.features,
        warnings=scope.told(),
        source=scope.source.name,
        spelling=scope.source.spelling(),
    )


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


def _constraints(scope: Scope, section: Group) -> tuple[tuple[Trajectory, ...], tuple[Preference, ...]]:
    from validator.model.pddl.formulas.soft import constraints

    return constraints(scope, section)


def _only(scope: Scope, section: Group) -> Node:
    nodes = section.nodes
    if len(nodes) > 2 and all(isinstance(node, Group) for node in nodes[1:]):
        return scope.joined(nodes[1:], ":goal", f"one goal condition was expected, got {len(nodes) - 1}")
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
    with scope.defining("total-time", "total-cost", "is-violated"):
        return Metric(optimization=nodes[1].text, expression=expression(scope, nodes[2], {}))
