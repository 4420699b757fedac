"""Reading PDDL domains: sections in any order, every name checked, exact places in errors.

Sources: PDDL 1.2 (McDermott et al. 1998), 2.1 (Fox and Long 2003), 2.2 (Edelkamp and Hoffmann 2004), 3.0
(Gerevini and Long 2005), 3.1 (Helmert 2008) and PDDL+ (Fox and Long 2006), as collected by Kovacs (2011).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import dropwhile
from pathlib import Path
from typing import TYPE_CHECKING

from validator.errors import did_you_mean
from validator.model.conditions import compares_numbers
from validator.model.derived import strata
from validator.model.pddl.actions import BEYOND, Actions
from validator.model.pddl.formulas.conditions import formula
from validator.model.pddl.formulas.object_fluents import predicate_of
from validator.model.pddl.frame import (
    check_order,
    declare_objects,
    grouped,
    opened,
    sections_of,
)
from validator.model.pddl.scope import OBJECT, Scope
from validator.model.pddl.syntax import Group, Node, Word
from validator.model.values import (
    Axiom,
    Domain,
    Parameter,
    Types,
)
from validator.records import replace
from validator.resources import without_collection
from validator.texts import counted

if TYPE_CHECKING:
    from validator.model.temporal import Preference, Trajectory


_ORDER = (":requirements", ":types", ":constants", ":predicates", ":functions")
_SECTIONS = (*_ORDER, ":action", ":derived", ":constraints", *BEYOND)


def read_domain(source: str | Path, *, strict: bool = False, borrowed: Iterable[str] = (), called: str = "") -> Domain:
    """Read a PDDL domain from a path or a text. Raises ModelError, or OSError for a file.

    What published domains have against the grammar is a warning, and with ``strict`` an error. ``borrowed`` are objects
    of a problem, which a domain may then name without declaring them; ``called`` is what messages call a text.
    """
    with without_collection():
        scope, group = opened(source, "domain", is_strict=strict, called=called)
        scope.borrowed = frozenset(borrowed)
        return domain_in(scope, group)


def domain_in(scope: Scope, group: Group) -> Domain:
    """Read a domain that is parsed; the scope knows its names afterwards. Raises ModelError."""
    title, sections = sections_of(scope, group, "domain", _SECTIONS)
    check_order(scope, sections, _ORDER)
    by_name = grouped(scope, sections)
    scope.types = _types(scope, by_name.get(":types", ()))
    scope.is_declaring = True
    for section in by_name.get(":constants", ()):
        declare_objects(scope, section, "constant")
    constants = dict(scope.objects)
    for section in by_name.get(":predicates", ()):
        _predicates(scope, section)
    for section in by_name.get(":functions", ()):
        _functions(scope, section)
    scope.is_declaring = False
    rules = [_axiom_head(scope, section) for section in by_name.get(":derived", ())]
    actions = Actions()
    for name_, section in sections:
        if name_ == ":action" or name_ in BEYOND:
            actions.add(scope, name_, section)
    axioms = tuple(
        Axiom(
            predicate=head,
            parameters=parameters,
            condition=formula(scope, body, {parameter.name: parameter.types for parameter in parameters}),
        )
        for head, parameters, body in rules
    )
    for axiom, section in zip(axioms, by_name.get(":derived", ()), strict=True):
        if compares_numbers(axiom.condition):
            scope.feature("numbers-in-derived-predicates", section.offset)
    _check_stratified(scope, axioms, by_name.get(":derived", ()))
    hard: tuple[Trajectory, ...] = ()
    soft: tuple[Preference, ...] = ()
    for section in by_name.get(":constraints", ()):
        from validator.model.pddl.formulas.soft import constraints

        hard, soft = constraints(scope, section)
    _check_requirements(scope, by_name.get(":requirements", ()))
    return Domain(
        name=title,
        types=scope.types,
        constants=constants,
        predicates=scope.predicates,
        functions=scope.functions,
        object_functions=frozenset(scope.object_functions),
        actions=actions.actions,
        durative=actions.durative,
        processes=tuple(actions.processes),
        events=tuple(actions.events),
        constraints=hard,
        preferences=soft,
        axioms=axioms,
        features=scope.features,
        features_of={name: frozenset(found) for name, found in scope.features_of.items()},
        is_whole=True,
        warnings=scope.told(),
        source=scope.source.name,
        spelling=scope.source.spelling(),
    )


# --- declarations ------------------------------------------------------------------------------


def _types(scope: Scope, sections: Sequence[Group]) -> Types:
    parents: dict[str, frozenset[str]] = {}
    places: dict[str, int] = {}
    for word, supertypes in (named for part in sections for named in scope.typed_list(part.nodes[1:], "a type")):
        if word.text == "object":
            continue
        if supertypes is not None and supertypes == {word.text}:
            refusal = f"type '{word.text}' is a subtype of itself"
            scope.tolerate("own-supertype", f"{refusal}, which says nothing", word.offset, refusal)
            supertypes = None
        known = parents.get(word.text)
        if known is not None and known != (supertypes or OBJECT):
            scope.warn(f"type '{word.text}' is declared twice; it is a subtype of both", word.offset)
        parents[word.text] = (supertypes or OBJECT) | (known or frozenset())
        places.setdefault(word.text, word.offset)
    types = Types(parents)
    for name, supertypes in parents.items():
        for supertype in sorted(supertypes):
            if supertype not in types:
                # Many domains name a supertype without declaring it.
                scope.warn(f"supertype '{supertype}' is not declared; it is taken as declared", places[name])
                types = Types({**types.parents, supertype: OBJECT})
    for name, supertypes in types.parents.items():
        if name in types.ancestors(supertypes):
            scope.source.fail(f"type '{name}' is a subtype of itself", places.get(name, 0))
    return types


def _of_all(scope: Scope, section: Group) -> Iterator[Node]:
    """Yield what a section declares, and what in it is private to an agent (``?a - robot``), which stands before it."""
    public, *private = scope.declared(section)
    yield from public
    for nodes in private:
        yield from dropwhile(lambda node: isinstance(node, Word) or node.head == "either", nodes)


def _predicates(scope: Scope, section: Group) -> None:
    for node in _of_all(scope, section):
        group = scope.group(node, "a predicate such as (on ?a ?b)")
        nodes = group.nodes
        if not nodes:
            scope.source.fail("a predicate needs a name", group.offset)
        name = scope.word(nodes[0], "the name of a predicate")
        _declare(scope, "predicate", scope.predicates, name, nodes[1:])


def _declare(
    scope: Scope, kind: str, known: dict[str, tuple[Parameter, ...]], name: Word, nodes: tuple[Node, ...]
) -> None:
    """Declare a predicate or function; again only with as many arguments, whose types it then has too."""
    parameters = scope.parameters(_named(nodes))
    before = known.get(name.text)
    if before is not None:
        refusal = f"duplicate {kind} '{name.text}'"
        if len(before) != len(parameters):
            scope.source.fail(refusal, name.offset)
        scope.tolerate("declared-again", f"{kind} '{name.text}' is declared again", name.offset, refusal)
        parameters = tuple(
            replace(one, types=one.types | other.types) for one, other in zip(before, parameters, strict=True)
        )
    known[name.text] = parameters


def _named(nodes: Iterable[Node]) -> list[Node]:
    """Give every variable a name of its own: in a declaration ``(on ?x ?x)`` the names mean nothing."""
    seen: set[str] = set()
    named: list[Node] = []
    for position, node in enumerate(nodes):
        if isinstance(node, Word) and node.text in seen and node.text.startswith("?"):
            node = Word(f"{node.text}@{position}", node.offset)
        elif isinstance(node, Word):
            seen.add(node.text)
        named.append(node)
    return named


def _functions(scope: Scope, section: Group) -> None:
    for group, types in scope.typed(_of_all(scope, section), "a function such as (distance ?a ?b)", scope.group):
        name = group.nodes[0] if group.nodes else None
        if not isinstance(name, Word):
            scope.source.fail("a function needs a name", group.offset)
        _declare(scope, "function", scope.functions, name, group.nodes[1:])
        if types is not None and types != {"number"}:  # PDDL 3.1: functions whose values are objects
            value = Parameter("?value", scope.check_types(types, group.offset))
            scope.object_functions.add(name.text)
            scope.predicates[predicate_of(name.text)] = (*scope.functions[name.text], value)


def _axiom_head(scope: Scope, section: Group) -> tuple[str, tuple[Parameter, ...], Node]:
    nodes = section.nodes
    if len(nodes) != 3 or not isinstance(nodes[1], Group) or not nodes[1].head:
        scope.source.fail("'(:derived (PREDICATE ?x ...) CONDITION)' was expected", section.offset)
    head = nodes[1]
    name = scope.word(head.nodes[0], "a predicate")
    parameters = scope.parameters(head.nodes[1:])
    declared = scope.predicates.get(name.text)
    if declared is None:
        scope.warn(f"derived predicate '{name.text}' is not declared in :predicates", name.offset)
        scope.predicates[name.text] = parameters
    elif len(declared) != len(parameters):
        scope.source.fail(
            f"predicate '{name.text}' takes {counted(len(declared), 'argument')}, got {len(parameters)}", name.offset
        )
    scope.derived.add(name.text)
    return name.text, parameters, nodes[2]


def _check_stratified(scope: Scope, axioms: Sequence[Axiom], sections: Sequence[Group]) -> None:
    """Raise ModelError at the rule of a derived predicate that depends on its own negation."""
    found = strata(axioms)
    if isinstance(found, str):
        section = next(part for axiom, part in zip(axioms, sections, strict=True) if axiom.predicate == found)
        scope.source.fail(
            f"derived predicate '{found}' depends on its own negation; the axioms are not stratified", section.offset
        )


# --- requirements ------------------------------------------------------------------------------

_FLAGS = frozenset(
    (
        *("strips", "typing", "adl", "ucpop", "fluents", "equality", "conditional-effects", "derived-predicates"),
        *("negative-preconditions", "disjunctive-preconditions", "quantified-preconditions", "domain-axioms"),
        *("existential-preconditions", "universal-preconditions", "action-costs", "numeric-fluents", "goal-utilities"),
        *("object-fluents", "durative-actions", "timed-initial-literals", "constraints", "preferences", "time"),
        *("duration-inequalities", "continuous-effects", "timed-effects", "processes", "events"),
        *("non-deterministic", "probabilistic-effects", "contingent", "uncertainty", "sensing", "hierarchy"),
        *("method-preconditions", "multi-agent", "factored-privacy", "unfactored-privacy"),
    )
)


def _check_requirements(scope: Scope, sections: Iterable[Group]) -> None:
    """Warn of flags that nobody knows; no flag changes what a model means."""
    for word in (scope.word(node, "a requirement such as :strips") for part in sections for node in part.nodes[1:]):
        flags = word.text.removeprefix(":").split(":")
        if flags[1:]:
            told = f"a blank is missing before ':{flags[1]}'; it is taken as a requirement of its own"
            scope.tolerate("missing-blank", told, word.offset)
        for flag in flags:
            if flag in ("rewards", "mdp"):
                scope.warn(f"':{flag}': rewards are not supported", word.offset)
            elif flag not in _FLAGS:
                hint = did_you_mean(f":{flag}", [f":{known}" for known in sorted(_FLAGS)])
                scope.warn(f"unknown requirement ':{flag}'{hint}", word.offset)
