"""Reading PDDL domains and problems: sections in any order, every name checked, exact places in errors.

Sources: PDDL 1.2 (McDermott et al. 1998), 2.1 (Fox and Long 2003), 2.2 (Edelkamp and Hoffmann 2004), 3.0
(Gerevini and Long 2005), 3.1 (Helmert 2008) and PDDL+ (Fox and Long 2006), as collected by Kovacs (2011).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from validator.errors import ModelError, did_you_mean
from validator.model import (
    TRUE,
    Action,
    Axiom,
    Domain,
    Formula,
    GroundAtom,
    Metric,
    Model,
    Parameter,
    Problem,
    Types,
)
from validator.pddl.axioms import check_stratified
from validator.pddl.conditions import effects, expression, formula, number
from validator.pddl.requirements import check_requirements
from validator.pddl.scope import OBJECT, Scope
from validator.pddl.syntax import Flat, Group, Node, Value, Word, group_of, parse

__all__ = ["read_domain", "read_model", "read_problem"]

_DOMAIN_ORDER = (":requirements", ":types", ":constants", ":predicates", ":functions")
_READ_ONLY = {":durative-action": "durative-actions", ":process": "processes", ":event": "events"}
_DOMAIN_SECTIONS = (*_DOMAIN_ORDER, ":action", ":derived", ":constraints", *_READ_ONLY)
_PROBLEM_SECTIONS = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric", ":constraints", ":length")
_REPEATABLE = frozenset((":action", ":derived", *_READ_ONLY))


def read_model(domain: str | Path, problem: str | Path) -> Model:
    """Read a domain and a problem, each a path or a PDDL text. Raises ModelError, or OSError for a file."""
    parsed = read_domain(domain)
    return Model(domain=parsed, problem=read_problem(problem, parsed))


def read_domain(source: str | Path) -> Domain:
    """Read a PDDL domain from a path or a text. Raises ModelError, or OSError for a file."""
    text, name = _text(source, "domain")
    where, group, warnings = parse(text, name)
    scope = Scope(where, warnings=list(warnings))
    title, sections = _sections(scope, group, "domain", _DOMAIN_SECTIONS)
    _order(scope, sections, _DOMAIN_SECTIONS)
    by_name = _grouped(scope, sections)
    for section in by_name.get(":types", ()):
        scope.types = _types(scope, section)
    for section in by_name.get(":constants", ()):
        _objects(scope, section, "constant")
    constants = dict(scope.objects)
    for section in by_name.get(":predicates", ()):
        _predicates(scope, section)
    for section in by_name.get(":functions", ()):
        _functions(scope, section)
    rules = [_axiom_head(scope, section) for section in by_name.get(":derived", ())]
    actions: dict[str, Action] = {}
    for name_, section in sections:
        if name_ == ":action" or name_ in _READ_ONLY:
            action = _action(scope, section, _READ_ONLY.get(name_))
            if action.name in actions:
                scope.source.fail(f"duplicate action '{action.name}'", section.offset)
            actions[action.name] = action
    axioms = tuple(
        Axiom(predicate=head, parameters=parameters, condition=formula(scope, body, _bound(parameters)))
        for head, parameters, body in rules
    )
    check_stratified(scope, axioms, by_name.get(":derived", ()))
    for section in by_name.get(":constraints", ()):
        scope.feature("constraints", section.offset)
    check_requirements(scope, by_name.get(":requirements", ()))
    return Domain(
        name=title,
        types=scope.types,
        constants=constants,
        predicates=scope.predicates,
        functions=scope.functions,
        object_functions=frozenset(scope.object_functions),
        actions=actions,
        axioms=axioms,
        features=scope.features,
        warnings=tuple(scope.warnings),
        source=name,
    )


def read_problem(source: str | Path, domain: Domain) -> Problem:
    """Read a PDDL problem of a domain from a path or a text. Raises ModelError, or OSError for a file."""
    text, name = _text(source, "problem")
    where, group, warnings = parse(text, name)
    scope = Scope(
        where,
        types=domain.types,
        objects=dict(domain.constants),
        predicates=dict(domain.predicates),
        functions=dict(domain.functions),
        object_functions=set(domain.object_functions),
        derived={axiom.predicate for axiom in domain.axioms},
        warnings=list(warnings),
    )
    title, sections = _sections(scope, group, "problem", _PROBLEM_SECTIONS)
    by_name = _grouped(scope, sections)
    for section in by_name.get(":domain", ()):
        _check_domain_name(scope, section, domain)
    for section in by_name.get(":objects", ()):
        _objects(scope, section, "object")
    init: set[GroundAtom] = set()
    values: dict[GroundAtom, Fraction] = {}
    if ":init" not in by_name:
        scope.warn("no :init section; no fact holds initially", group.offset)
    for section in by_name.get(":init", ()):
        _init(scope, section, init, values)
    if ":goal" not in by_name:
        scope.source.fail("the problem has no :goal section", group.offset)
    for section in by_name.get(":constraints", ()):
        scope.feature("constraints", section.offset)
    return Problem(
        name=title,
        objects=scope.objects,
        init=frozenset(init),
        values=values,
        goal=_goal(scope, by_name[":goal"][0]),
        metric=_metric(scope, by_name[":metric"][0]) if ":metric" in by_name else None,
        features=scope.features,
        warnings=tuple(scope.warnings),
        source=name,
    )


def _text(source: str | Path, kind: str) -> tuple[str, str]:
    """Return the PDDL text and the name for errors; a text is told from a path by its parenthesis."""
    if isinstance(source, str) and ("(" in source or "\n" in source or not source.strip()):
        return source, f"<{kind}>"
    path = Path(source)
    try:
        return path.read_bytes().decode("utf-8-sig"), str(path)
    except UnicodeDecodeError as error:
        found = f"byte {error.start} is {error.object[error.start]:#04x}"
        raise ModelError(f"not UTF-8 text: {found}", source=str(path)) from None


# --- the frame ---------------------------------------------------------------------------------


def _sections(scope: Scope, group: Group, kind: str, known: tuple[str, ...]) -> tuple[str, list[tuple[str, Group]]]:
    """Return the name of a domain or problem and its sections in the order of the text."""
    nodes = group.nodes
    if group.head != "define":
        scope.source.fail(f"'(define ({kind} NAME) ...' was expected", group.offset)
    if len(nodes) < 2 or not isinstance(nodes[1], Group) or nodes[1].head != kind or len(nodes[1].nodes) != 2:
        found = nodes[1].head if len(nodes) > 1 and isinstance(nodes[1], Group) else ""
        hint = f"; this is a {found}" if found in ("domain", "problem") and found != kind else ""
        scope.source.fail(f"'({kind} NAME)' was expected after 'define'{hint}", nodes[min(1, len(nodes) - 1)].offset)
    title = scope.word(nodes[1].nodes[1], "a name").text
    sections = []
    for node in nodes[2:]:
        section = scope.group(node, "a section such as (:goal ...)")
        head = section.head
        if head not in known:
            hint = did_you_mean(head, known)
            scope.source.fail(f"'{head or '('}' is not a section of a {kind}{hint}", section.offset)
        sections.append((head, section))
    return title, sections


def _grouped(scope: Scope, sections: Iterable[tuple[str, Group]]) -> dict[str, list[Group]]:
    grouped: dict[str, list[Group]] = {}
    for head, section in sections:
        if head in grouped and head not in _REPEATABLE:
            scope.source.fail(f"duplicate section '{head}'", section.offset)
        grouped.setdefault(head, []).append(section)
    return grouped


def _order(scope: Scope, sections: list[tuple[str, Group]], order: tuple[str, ...]) -> None:
    """Warn when declarations come later than what they declare; they are read all the same."""
    places = [(min(order.index(head), len(_DOMAIN_ORDER)), section) for head, section in sections]
    for (earlier, _), (later, section) in pairwise(places):
        if later < earlier:
            scope.warn(f"section '{section.head}' is out of the usual order", section.offset)
            return


def _check_domain_name(scope: Scope, section: Group, domain: Domain) -> None:
    nodes = section.nodes
    if len(nodes) != 2:
        scope.source.fail("'(:domain NAME)' was expected", section.offset)
    name = scope.word(nodes[1], "a name").text
    if name != domain.name:
        scope.warn(f"the problem is for domain '{name}', the domain given is '{domain.name}'", section.offset)


# --- declarations ------------------------------------------------------------------------------


def _types(scope: Scope, section: Group) -> Types:
    parents: dict[str, frozenset[str]] = {}
    places: dict[str, int] = {}
    for word, supertypes in scope.typed_list(section.nodes[1:], "a type"):
        if word.text == "object":
            continue
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
            scope.source.fail(f"type '{name}' is a subtype of itself", places.get(name, section.offset))
    return types


def _objects(scope: Scope, section: Group, kind: str) -> None:
    for word, given in scope.typed_list(section.nodes[1:], f"an {kind}" if kind == "object" else f"a {kind}"):
        name = word.text
        if name.startswith("?"):
            scope.source.fail(f"'{name}' is a variable; {kind}s are names", word.offset)
        types = OBJECT if given is None else scope.check_types(given, word.offset)
        known = scope.objects.get(name)
        if known is not None and known != types:
            scope.source.fail(
                f"'{name}' is declared twice with different types: {_either(known)} and {_either(types)}", word.offset
            )
        if known is not None:
            scope.warn(f"'{name}' is declared twice", word.offset)
        scope.objects[name] = types


def _either(types: frozenset[str]) -> str:
    return " or ".join(sorted(types))


def _predicates(scope: Scope, section: Group) -> None:
    for node in section.nodes[1:]:
        group = scope.group(node, "a predicate such as (on ?a ?b)")
        nodes = group.nodes
        if not nodes:
            scope.source.fail("a predicate needs a name", group.offset)
        name = scope.word(nodes[0], "the name of a predicate")
        if name.text in scope.predicates:
            scope.source.fail(f"duplicate predicate '{name.text}'", name.offset)
        scope.predicates[name.text] = scope.parameters(_named(nodes[1:]))


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
    declared: list[Group] = []
    nodes = list(section.nodes[1:])
    position = 0
    while position < len(nodes):
        node = nodes[position]
        if isinstance(node, Word) and node.text == "-" and declared and position + 1 < len(nodes):
            result = nodes[position + 1]
            if not isinstance(result, Word) or result.text != "number":
                # PDDL 3.1: functions whose values are objects.
                scope.feature("object-fluents", node.offset)
                scope.object_functions.update(group.head for group in declared)
            declared, position = [], position + 2
            continue
        group = scope.group(node, "a function such as (distance ?a ?b)")
        name = group.nodes[0] if group.nodes else None
        if not isinstance(name, Word):
            scope.source.fail("a function needs a name", group.offset)
        if name.text in scope.functions:
            scope.source.fail(f"duplicate function '{name.text}'", name.offset)
        scope.functions[name.text] = scope.parameters(_named(group.nodes[1:]))
        declared.append(group)
        position += 1


# --- actions and axioms ------------------------------------------------------------------------

_ACTION_KEYS = (":parameters", ":precondition", ":effect", ":vars")
_DURATIVE_KEYS = (":parameters", ":duration", ":condition", ":precondition", ":effect")


def _action(scope: Scope, section: Group, read_only: str | None) -> Action:
    """Read an action; of a durative action, process or event only the name and the parameters."""
    keys = _DURATIVE_KEYS if read_only else _ACTION_KEYS
    nodes = section.nodes
    name = scope.word(nodes[1], "the name of an action") if len(nodes) > 1 else Word("", section.offset)
    if not name.text or name.text in keys:
        scope.source.fail("an action needs a name", name.offset)
    parts = _keyed(scope, nodes[2:], keys, name.text)
    if ":vars" in parts:
        scope.source.fail("':vars' (PDDL 1.2) is not supported; make them :parameters", parts[":vars"].offset)
    if read_only:
        scope.feature(read_only, section.offset)
    if ":parameters" not in parts and not read_only:
        scope.warn(f"action '{name.text}' has no :parameters; it takes none", name.offset)
    parameters: tuple[Parameter, ...] = ()
    if ":parameters" in parts:
        parameters = scope.parameters(scope.group(parts[":parameters"], "a list of variables").nodes)
    variables = _bound(parameters)
    if read_only:
        return Action(name=name.text, parameters=parameters, precondition=TRUE, effects=())
    condition = parts.get(":precondition")
    effect = parts.get(":effect")
    return Action(
        name=name.text,
        parameters=parameters,
        precondition=TRUE if condition is None else formula(scope, condition, variables),
        effects=() if effect is None else effects(scope, effect, variables),
    )


def _keyed(scope: Scope, nodes: tuple[Node, ...], keys: tuple[str, ...], owner: str) -> dict[str, Node]:
    """Return ``:key value`` pairs in any order."""
    parts: dict[str, Node] = {}
    position = 0
    while position < len(nodes):
        key = scope.word(nodes[position], f"one of {', '.join(keys)}")
        if key.text not in keys:
            hint = did_you_mean(key.text, keys)
            scope.source.fail(f"'{key.text}' is not a part of action '{owner}'{hint}", key.offset)
        if key.text in parts:
            scope.source.fail(f"duplicate '{key.text}' in action '{owner}'", key.offset)
        if position + 1 == len(nodes):
            scope.source.fail(f"'{key.text}' of action '{owner}' has no value", key.offset)
        parts[key.text] = nodes[position + 1]
        position += 2
    return parts


def _bound(parameters: tuple[Parameter, ...]) -> dict[str, frozenset[str]]:
    return {parameter.name: parameter.types for parameter in parameters}


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
            f"predicate '{name.text}' takes {len(declared)} arguments, got {len(parameters)}", name.offset
        )
    scope.derived.add(name.text)
    scope.uses("derived-predicates", section.offset)
    return name.text, parameters, nodes[2]


# --- problem -----------------------------------------------------------------------------------


def _init(scope: Scope, section: Group, init: set[GroundAtom], values: dict[GroundAtom, Fraction]) -> None:
    predicates, objects, derived = scope.predicates, scope.objects, scope.derived
    for part in section.parts:
        if isinstance(part, Value):
            if _plain_value(scope, part, values):
                continue
            part = group_of(part)
        stray = None if isinstance(part, Group | Flat) else [*part.words()][part is section.parts[0] :]
        if stray:
            scope.source.fail(f"a fact such as (on a b) was expected, not '{stray[0].text}'", stray[0].offset)
    for part in section.parts[1:]:
        if isinstance(part, Flat):
            words = tuple(part.text[1:-1].split())
            parameters = predicates.get(words[0])
            if parameters is not None and len(parameters) == len(words) - 1 and words[0] not in derived:
                for word, parameter in zip(words[1:], parameters, strict=True):
                    types = objects.get(word)
                    if types is None or (types != parameter.types and not scope.may_be(types, parameter.types)):
                        break
                else:
                    init.add(words)
                    continue
            part = group_of(part)
        if isinstance(part, Group):
            _fact(scope, part, init, values)


def _plain_value(scope: Scope, part: Value, values: dict[GroundAtom, Fraction]) -> bool:
    """Take an initial value that needs no second look; return whether it was one."""
    words, text = part.split()
    parameters = scope.functions.get(words[0]) if words else None
    value = number(text)
    if parameters is None or value is None or len(parameters) != len(words) - 1 or words[0] in scope.object_functions:
        return False
    for word, parameter in zip(words[1:], parameters, strict=True):
        types = scope.objects.get(word)
        if types is None or (types != parameter.types and not scope.may_be(types, parameter.types)):
            return False
    key = tuple(words)
    return values.setdefault(key, value) == value


def _fact(scope: Scope, group: Group, init: set[GroundAtom], values: dict[GroundAtom, Fraction]) -> None:
    """Read one initial fact in full, with the errors and the rarer forms."""
    nodes = group.nodes
    head = group.head
    if head == "=" and len(nodes) == 3:
        _initial_value(scope, group, nodes, values)
    elif head == "at" and len(nodes) == 3 and isinstance(nodes[2], Group):
        scope.feature("timed-initial-literals", group.offset)
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


def _initial_value(scope: Scope, group: Group, nodes: tuple[Node, ...], values: dict[GroundAtom, Fraction]) -> None:
    target, given = nodes[1], nodes[2]
    head = target.head if isinstance(target, Group) else target.text
    if head not in scope.functions:
        scope.source.fail(f"undeclared function '{head}'{did_you_mean(head, scope.functions)}", target.offset)
    value = number(given.text) if isinstance(given, Word) else None
    fluent = expression(scope, target, {})
    if value is None:
        if isinstance(given, Word) and given.text in scope.objects:
            scope.feature("object-fluents", group.offset)
            return
        scope.source.fail("a number was expected", given.offset)
    key = (head, *getattr(fluent, "terms", ()))
    if values.get(key, value) != value:
        scope.source.fail(f"'({' '.join(key)})' is given two values", group.offset)
    values[key] = value


def _goal(scope: Scope, section: Group) -> Formula:
    nodes = section.nodes
    if len(nodes) != 2:
        scope.source.fail(f"one goal condition was expected, got {len(nodes) - 1}", section.offset)
    return formula(scope, nodes[1], {})


def _metric(scope: Scope, section: Group) -> Metric:
    nodes = section.nodes
    if len(nodes) != 3 or not isinstance(nodes[1], Word) or nodes[1].text not in ("minimize", "maximize"):
        scope.source.fail("'(:metric minimize EXPRESSION)' or 'maximize' was expected", section.offset)
    return Metric(optimization=nodes[1].text, expression=expression(scope, nodes[2], {}))
