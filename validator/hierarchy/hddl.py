"""Reading HDDL: the sections that are PDDL's by the reader of PDDL, tasks, methods and the initial network here.

Source: Hoeller, Behnke, Bercher, Biundo, Fiorino, Pellier and Alford (AAAI 2020).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from graphlib import CycleError
from pathlib import Path

from validator.errors import UndeclaredObjectError, did_you_mean
from validator.hierarchy.values import ROOT, Hierarchy, Method, Subtask
from validator.model.conditions import compares_numbers, conjuncts, predicates
from validator.model.pddl.domain import domain_in
from validator.model.pddl.formulas.conditions import formula
from validator.model.pddl.frame import opened
from validator.model.pddl.problem import object_names, problem_in
from validator.model.pddl.scope import Scope, Variables
from validator.model.pddl.syntax import Group, Nested, Node, Run, Word
from validator.model.values import And, Equal, Formula, Model, Not, Parameter
from validator.records import replace
from validator.resources import without_collection

_NETWORK = {
    ":subtasks": False,
    ":tasks": False,
    ":ordered-subtasks": True,
    ":ordered-tasks": True,
}
"""what lists the subtasks of a network, and whether they are totally ordered"""
_KEYS = (":parameters", ":task", ":precondition", *_NETWORK, ":ordering", ":order", ":constraints")
_REFUSED = {
    ":effect": "effects of tasks and methods are not supported",
    ":causal-links": "causal links are not supported",
}


def read_hddl(domain: str | Path, problem: str | Path, *, strict: bool = False) -> Hierarchy:
    """Read a domain and a problem in HDDL, each a path or a text. Raises ModelError, or OSError for a file."""
    with without_collection():
        try:
            return _read(domain, problem, (), strict)
        except UndeclaredObjectError:
            if strict:
                raise
            return _read(domain, problem, object_names(problem), strict)


def _read(domain: str | Path, problem: str | Path, borrowed: Sequence[str], strict: bool) -> Hierarchy:
    scope, group = opened(domain, "domain", is_strict=strict)
    scope.borrowed = frozenset(borrowed)
    plain, sections = _apart(scope, group)
    read = domain_in(scope, plain)
    for feature, place in read.features.items():
        scope.source.fail(f"HDDL with {feature} is not supported ({place})", 0)
    tasks: dict[str, tuple[Parameter, ...]] = {ROOT: ()}
    for section in (section for section in sections if section.head == ":task"):
        name, parts = _parts(scope, section, "task")
        if name.text in tasks or name.text in read.actions:
            scope.source.fail(f"'{name.text}' is declared twice", name.offset)
        tasks[name.text] = scope.bound(_listed(scope, parts), {})[0]
    known = {**{name: action.parameters for name, action in read.actions.items()}, **tasks}
    methods: dict[str, list[Method]] = {}
    for section in (section for section in sections if section.head == ":method"):
        method = _method(scope, section, tasks, known)
        methods.setdefault(method.task, []).append(method)
    constants = dict(scope.objects)
    read = replace(read, constants=constants, warnings=scope.told())
    scope, group = opened(problem, "problem", is_strict=strict)
    plain, networks = _apart(scope, group)
    told = problem_in(scope, plain, read)
    if len(networks) != 1:
        scope.source.fail(f"one initial task network (:htn ...) was expected, got {len(networks)}", group.offset)
    methods[ROOT] = [_initial(scope, networks[0], known)]
    model = Model(domain=read, problem=replace(told, warnings=scope.told()))
    return Hierarchy(model=model, tasks=tasks, methods={name: tuple(found) for name, found in methods.items()})


def _apart(scope: Scope, group: Group) -> tuple[Group, list[Group]]:
    """Return a text without what PDDL does not know, with a goal where a problem has none, and what it does not know.

    A task may stand as an action that has methods only in texts that are older than HDDL; those are not read.
    """
    plain: list[Run | Group] = [Run("define", group.offset)]
    beyond: list[Group] = []
    heads = set()
    for node in group.nodes[1:]:
        section = scope.group(node, "a section such as (:task ...)")
        heads.add(section.head)
        (beyond if section.head in (":task", ":method", ":htn") else plain).append(section)
    if ":htn" in heads and ":goal" not in heads:
        plain.append(Nested((Run(":goal", group.offset), Nested((), group.offset)), group.offset))
    return Nested(tuple(plain), group.offset), beyond


# --- tasks, methods, networks ----------------------------------------------------------------------


def _parts(scope: Scope, section: Group, kind: str) -> tuple[Word, dict[str, Node]]:
    """Return the name of what a section declares (its keyword for a network), and its ``:key value`` pairs."""
    nodes = scope.keys_apart(section.nodes, _KEYS)
    start = 1 if kind == "network" else 2
    name = scope.word(nodes[start - 1], f"the name of a {kind}") if len(nodes) >= start else Word("", section.offset)
    if not name.text or (name.text[0] == ":" and start == 2):
        scope.source.fail(f"a {kind} needs a name", section.offset)
    parts = scope.keyed(nodes[start:], (*_KEYS, *_REFUSED), f"a {kind}")
    for key, why in _REFUSED.items():
        if key in parts and not _is_empty(value := parts.pop(key)):
            scope.source.fail(f"'{key}': {why}", value.offset)
    if kind == "task":
        for key, node in parts.items():
            if key != ":parameters" and not _is_empty(node):
                scope.source.fail(f"'{key}' of a task is not supported", node.offset)
    return name, parts


def _is_empty(node: Node) -> bool:
    return isinstance(node, Group) and not node.nodes


def _listed(scope: Scope, parts: dict[str, Node]) -> tuple[Node, ...]:
    return scope.group(parts[":parameters"], "a list of variables").nodes if ":parameters" in parts else ()


_Known = dict[str, tuple[Parameter, ...]]


def _method(scope: Scope, section: Group, tasks: _Known, known: _Known) -> Method:
    name, parts = _parts(scope, section, "method")
    if ":task" not in parts:
        scope.source.fail(f"method '{name.text}' names no :task", section.offset)
    parameters, variables = scope.bound(_listed(scope, parts), {})
    head = scope.group(parts[":task"], "a task such as (deliver ?p)")
    task = _subtask(scope, head, "", variables, known)
    if task.task not in tasks:
        scope.source.fail(f"'{task.task}' is an action, which no method decomposes", head.offset)
    return _network(scope, name.text, task, parts, parameters, variables, known)


def _initial(scope: Scope, section: Group, known: _Known) -> Method:
    _, parts = _parts(scope, section, "network")
    for key in (":task", ":precondition"):
        if key in parts:
            scope.source.fail(f"'{key}' is not a part of the initial task network", parts[key].offset)
    parameters, variables = scope.bound(_listed(scope, parts), {})
    root = Subtask(name="", task=ROOT, args=())
    return _network(scope, "the initial task network", root, parts, parameters, variables, known)


def _network(
    scope: Scope,
    name: str,
    task: Subtask,
    parts: dict[str, Node],
    parameters: tuple[Parameter, ...],
    variables: Variables,
    known: _Known,
) -> Method:
    lists = [key for key in _NETWORK if key in parts]
    if len(lists) > 1:
        scope.source.fail(f"'{lists[1]}' beside '{lists[0]}'", parts[lists[1]].offset)
    subtasks: list[Subtask] = []
    pairs: list[tuple[int, int]] = []
    for key in lists:
        subtasks = list(_subtasks(scope, parts[key], variables, known))
        if _NETWORK[key]:
            pairs = [(place, place + 1) for place in range(len(subtasks) - 1)]
    places = {subtask.name: place for place, subtask in enumerate(subtasks) if subtask.name}
    for key in (":ordering", ":order"):
        if key in parts:
            pairs += _ordering(scope, parts[key], places)
    condition: list[Formula] = []
    if ":precondition" in parts:
        condition.append(_condition(scope, parts[":precondition"], variables))
    if ":constraints" in parts:
        sorts, node = _sorts(scope, parts[":constraints"])
        parameters = tuple(_narrowed(scope, one, sorts, node) for one in parameters)
        condition.append(_equalities(scope, node, variables))
    found = Method(
        name=name,
        task=task.task,
        args=task.args,
        parameters=parameters,
        condition=And(tuple(part for one in condition for part in conjuncts(one))),
        subtasks=tuple(subtasks),
        order=frozenset(pairs),
    )
    try:
        found.places  # noqa: B018
    except CycleError:
        ordering = parts.get(":ordering", parts.get(":order"))
        scope.source.fail(f"the subtasks of '{name}' are ordered in a circle", ordering.offset if ordering else 0)
    return found


def _condition(scope: Scope, node: Node, variables: Variables) -> Formula:
    found = formula(scope, node, variables)
    if compares_numbers(found):
        scope.source.fail("conditions of methods that compare numbers are not supported", node.offset)
    if not scope.derived.isdisjoint(predicates(found)):
        scope.source.fail("conditions of methods with derived predicates are not supported", node.offset)
    return found


def _conjuncts(scope: Scope, node: Node, expected: str) -> tuple[Node, ...]:
    """Return what stands in ``(and ...)``; nothing for ``()``, and else the group itself."""
    group = scope.group(node, expected)
    if group.head == "and":
        return group.nodes[1:]
    return (group,) if group.nodes else ()


def _subtasks(scope: Scope, node: Node, variables: Variables, known: _Known) -> Iterator[Subtask]:
    seen: set[str] = set()
    for part in _conjuncts(scope, node, "subtasks such as (and (t1 (drive ?a ?b)))"):
        group = scope.group(part, "a subtask such as (t1 (drive ?a ?b))")
        nodes = group.nodes
        if len(nodes) == 2 and isinstance(nodes[0], Word) and isinstance(nodes[1], Group):
            label, inner = nodes[0].text, nodes[1]
            if label in seen:
                scope.source.fail(f"two subtasks are called '{label}'", nodes[0].offset)
            seen.add(label)
            yield _subtask(scope, inner, label, variables, known)
        else:
            yield _subtask(scope, group, "", variables, known)


def _subtask(scope: Scope, group: Group, label: str, variables: Variables, known: _Known) -> Subtask:
    nodes = group.nodes
    if not nodes:
        scope.source.fail("a task such as (drive ?a ?b) was expected", group.offset)
    name = scope.word(nodes[0], "the name of a task")
    if name.text not in known or name.text == ROOT:
        scope.source.fail(f"undeclared task '{name.text}'{did_you_mean(name.text, known)}", name.offset)
    args = scope.terms(nodes[1:], known[name.text], variables, name, "task")
    return Subtask(name=label, task=name.text, args=args)


def _ordering(scope: Scope, node: Node, places: dict[str, int]) -> Iterator[tuple[int, int]]:
    for part in _conjuncts(scope, node, "an order such as (and (< t1 t2))"):
        group = scope.group(part, "an order such as (< t1 t2)")
        words = [scope.word(each, "the name of a subtask") for each in group.nodes]
        names = [word for word in words if word.text != "<"]
        if len(words) != 3 or len(names) != 2 or words[2].text == "<":
            scope.source.fail("an order such as (< t1 t2) was expected", group.offset)
        for word in names:
            if word.text not in places:
                hint = did_you_mean(word.text, places)
                scope.source.fail(f"no subtask is called '{word.text}'{hint}", word.offset)
        yield places[names[0].text], places[names[1].text]


# --- constraints -----------------------------------------------------------------------------------


def _sorts(scope: Scope, node: Node) -> tuple[dict[str, frozenset[str]], Node]:
    """Return the types that ``(sortof ?x - T)`` asks for, and the constraints without them."""
    found: dict[str, frozenset[str]] = {}
    rest: list[Run | Group] = [Run("and", node.offset)]
    for part in _conjuncts(scope, node, "constraints such as (not (= ?a ?b))"):
        group = scope.group(part, "a constraint such as (not (= ?a ?b))")
        if group.head in ("sortof", "sort-of", "typeof"):
            for word, types in scope.typed_list(group.nodes[1:], "a variable"):
                found[word.text] = scope.check_types(types, word.offset)
        else:
            rest.append(group)
    return found, Nested(tuple(rest), node.offset)


def _narrowed(scope: Scope, parameter: Parameter, sorts: dict[str, frozenset[str]], node: Node) -> Parameter:
    wanted = sorts.get(parameter.name)
    if wanted is None or not wanted.isdisjoint(scope.types.ancestors(parameter.types)):
        return parameter
    if parameter.types.isdisjoint(scope.types.ancestors(wanted)):
        told = f"{parameter.name} is {' or '.join(sorted(parameter.types))}"
        scope.source.fail(f"'sortof' of a type that is neither above nor below is not supported: {told}", node.offset)
    return Parameter(parameter.name, wanted)


def _equalities(scope: Scope, node: Node, variables: Variables) -> Formula:
    found = formula(scope, node, variables)
    for part in conjuncts(found):
        if not isinstance(part.part if isinstance(part, Not) else part, Equal):
            scope.source.fail("constraints other than equalities of variables are not supported", node.offset)
    return found
