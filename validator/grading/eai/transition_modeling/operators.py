"""Operators in a text that a model wrote: found one by one, read by the reader of PDDL, errors with their places."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, TypeAlias, TypeVar

from validator.errors import ModelError
from validator.model.pddl.actions import read_action
from validator.model.pddl.scope import OBJECT, Scope
from validator.model.pddl.syntax import Group, Node, Source, Word, chained, end_of_group, parse
from validator.model.values import Action, Atom, Domain, Equal, Formula, Or, Parameter
from validator.records import dataclass, field, replace
from validator.texts import blank

# --- undeclared names, as Fast Downward took them up to version 23.06 -----------------------------
# An undeclared name or an unbound variable was taken as it stood: no parameter is ever bound to it, so that an atom
# with such a term is an atom of its own. Here it becomes an atom of a predicate of its own, without the term.


@dataclass(slots=True)
class TolerantScope(Scope):
    """A scope that takes every name; ``undeclared`` collects those that were not declared, marked as such."""

    undeclared: set[str] = field(default_factory=set)

    def term(self, node: Node, variables: Mapping[str, frozenset[str]]) -> str:
        if isinstance(node, Word) and node.text not in variables and node.text not in self.objects:
            name = f"undeclared {node.text}"
            self.undeclared.add(name)
            self.objects[name] = OBJECT
            return name
        return Scope.term(self, node, variables)


def rewritten(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a condition, an effect or several with what ``change`` makes of each atom and equation in them."""
    if isinstance(value, Atom | Equal):
        return change(value)
    if isinstance(value, tuple):
        return tuple(rewritten(each, change) for each in value)
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is None:
        return value
    return replace(value, **{name: rewritten(getattr(value, name), change) for name in fields})


def without_undeclared(
    action: Action, undeclared: frozenset[str]
) -> tuple[Action, Mapping[str, tuple[Parameter, ...]]]:
    """Return an action in which no atom has an undeclared term, and the predicates that stand for such atoms."""
    predicates: dict[str, tuple[Parameter, ...]] = {}

    def change(part: Atom | Equal) -> Formula:
        if isinstance(part, Equal):
            is_strange = part.left != part.right and not undeclared.isdisjoint((part.left, part.right))
            return Or(()) if is_strange else part
        if undeclared.isdisjoint(part.terms):
            return part
        known = tuple(term for term in part.terms if term not in undeclared)
        name = " ".join((part.predicate, *(term if term in undeclared else "_" for term in part.terms)))
        predicates[name] = tuple(Parameter(f"?{place}") for place in range(len(known)))
        return Atom(name, known)

    precondition, effects = rewritten(action.precondition, change), rewritten(action.effects, change)
    return replace(action, precondition=precondition, effects=effects), predicates


# --- operators in a text --------------------------------------------------------------------------


SOURCE = "<answer>"

_DEEPEST = 100
"""connectives in each other, ``and`` in ``and`` counted once; those that people write are five deep"""

_OPERATOR = re.compile(r"\(\s*:action(?![\w-])", re.IGNORECASE)
_KEYS = (":parameters", ":precondition", ":effect")
_NAME = re.compile(r"\(\s*:action\s+([^\s();?]+)", re.IGNORECASE)
_FENCE = re.compile(r"```(?:\w+)?\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_NO_PDDL = re.compile(r'(?:\\[nrt])?"[ \t]*\+\s*"|\\[nrt"\\]|\*\*')


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why a text is no operator; ``line`` and ``column`` count from 1 in the text of the operators."""

    message: str
    line: int | None = None
    column: int | None = None
    shown: str = ""

    @classmethod
    def of(cls, error: ModelError) -> Fault:
        return cls(message=error.message, line=error.line, column=error.column, shown=str(error))

    def __str__(self) -> str:
        return self.shown or self.message


_Within: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A literal and the connectives that it stands in, the outer first; the terms of ``=`` stand in no order."""

    within: _Within
    predicate: str
    terms: tuple[str, ...]
    positive: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """An operator as literals, names unchecked, for comparing it with another. ``bound`` are quantified variables."""

    name: str
    parameters: tuple[Parameter, ...]
    bound: tuple[str, ...]
    precondition: frozenset[Leaf]
    effect: frozenset[Leaf]


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicted:
    """One ``(:action ...)`` of an answer.

    ``text`` is blank up to the operator, so that places in it are places in the answer; ``operator`` is None when
    ``fault`` says why not.
    """

    name: str
    text: str
    operator: Operator | None = None
    fault: Fault | None = None


def _blank(found: re.Match[str]) -> str:
    return ("\n" if "\n" in found[0] or "\\n" in found[0] else " ").rjust(len(found[0]))


def _answered_text(answer: str) -> str:
    """Return the text of operators in an answer: the value of ``output`` where there is JSON, else the answer."""
    fenced = _FENCE.search(answer)
    for candidate in (answer, fenced[1] if fenced else ""):
        start, end = candidate.find("{"), candidate.rfind("}")
        if 0 <= start < end:
            try:
                data = json.loads(candidate[start : end + 1], strict=False)
            except (ValueError, RecursionError):
                continue
            output = data.get("output") if isinstance(data, dict) else None
            if isinstance(output, list) and all(isinstance(part, str) for part in output):
                output = "\n".join(output)
            if isinstance(output, str):
                return output
    return answer


def find_operators(answer: str) -> tuple[Predicted, ...]:
    """Return the operators of an answer in order, those that cannot be read with their fault.

    What is no PDDL becomes blanks, or a line end where it stands for one: escapes, texts joined as programs do it
    (``"..." + "..."``), bold letters of Markdown.
    """
    text = _NO_PDDL.sub(_blank, _answered_text(answer))
    return tuple(_predicted(text, start, end) for start, end in _spans(text))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each ``(:action`` begins and ends; one that is not closed ends where the next begins."""
    starts = [match.start() for match in _OPERATOR.finditer(text) if not _is_comment(text, match.start())]
    for start, limit in pairwise((*starts, len(text))):
        size = end_of_group(text[start:limit], 0)
        yield start, limit if size is None else start + size


def _is_comment(text: str, offset: int) -> bool:
    return ";" in text[text.rfind("\n", 0, offset) + 1 : offset]


def _predicted(text: str, start: int, end: int) -> Predicted:
    own = blank(text[:start]) + text[start:end]
    named = _NAME.match(text, start, end)
    try:
        operator = operator_of(own)
    except ModelError as error:
        return Predicted(name=named[1].lower() if named else "", text=own, fault=Fault.of(error))
    return Predicted(name=operator.name, text=own, operator=operator)


def operator_of(text: str, name: str = SOURCE) -> Operator:
    """Read one ``(:action ...)`` as trees. Raises ModelError."""
    if "(" not in text.lstrip()[1:]:
        wanted = "(:action NAME :parameters (...) :precondition (...) :effect (...))"
        Source(name, text).fail(f"'{wanted}' was expected", len(text) - len(text.lstrip()))
    source, group, warnings = parse(text, name)
    scope = Scope(source, warnings=list(warnings))
    nodes = group.nodes
    title = scope.word(nodes[1], "the name of an action") if len(nodes) > 1 else Word("", group.offset)
    if not title.text or title.text.startswith(":"):
        scope.source.fail("an action needs a name", title.offset)
    parts = scope.keyed(nodes[2:], _KEYS, f"action '{title.text}'")
    literals = _Literals(scope)
    precondition, effect = (frozenset(literals.of(parts[key], (), {}) if key in parts else ()) for key in _KEYS[1:])
    return Operator(
        name=title.text,
        parameters=_parameters(scope, parts[":parameters"]) if ":parameters" in parts else (),
        bound=tuple(literals.bound),
        precondition=precondition,
        effect=effect,
    )


_DUAL = {"and": "or", "or": "and", "forall": "exists", "exists": "forall"}
_SPREAD = {"forall": "and", "exists": "or"}
"""a quantifier -> the junction whose parts it can stand in one by one"""


class _Literals:
    """Takes conditions and effects apart; ``bound`` are their quantified variables, each with a name of its own.

    Negations stand at literals, ``imply`` is an ``or``, a quantifier stands as deep as it can, and a conjunction counts
    only inside of a disjunction.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.bound: list[str] = []
        self.depth = 0

    def of(self, node: Node, within: _Within, names: Mapping[str, str], positive: bool = True) -> Iterator[Leaf]:
        """Yield the literals of a condition or an effect. Raises ModelError for one that is written otherwise."""
        self.depth += 1
        group = self.scope.group(node, "a condition or an effect")
        if self.depth > _DEEPEST:
            self.scope.source.fail(f"the operator is nested more than {_DEEPEST} deep even when flat", group.offset)
        if group.nodes:
            yield from self._parts(group, within, names, positive)
        self.depth -= 1

    def _parts(self, group: Group, within: _Within, names: Mapping[str, str], positive: bool) -> Iterator[Leaf]:
        head, nodes = self.scope.word(group.nodes[0], "a predicate or connective").text, group.nodes
        kind = head if positive else _DUAL.get(head, head)
        match head:
            case "not":
                self.scope.takes(group, 1)
                yield from self.of(nodes[1], within, names, not positive)
            case "and" | "or":
                parts = tuple(chained(group))
                for part in parts:
                    yield from self.of(part, _inside(within, kind) if len(parts) > 1 else within, names, positive)
            case "imply":
                self.scope.takes(group, 2)
                inside = _inside(within, "or" if positive else "and")
                yield from self.of(nodes[1], inside, names, not positive)
                yield from self.of(nodes[2], inside, names, positive)
            case "forall" | "exists":
                self.scope.takes(group, 2)
                bound = [each.name for each in _parameters(self.scope, nodes[1])]
                for part in _apart(nodes[2], _SPREAD[head]):
                    inner = {**names, **{name: self._fresh(name) for name in bound}}
                    yield from self.of(part, _inside(within, kind), inner, positive)
            case "when":
                self.scope.takes(group, 2)
                yield from self.of(nodes[1], (*within, "when"), names)
                yield from self.of(nodes[2], (*within, "then"), names)
            case _:
                yield self._leaf(group, within, names, positive)

    def _fresh(self, name: str) -> str:
        self.bound.append(f"{name} {len(self.bound)}")
        return self.bound[-1]

    def _leaf(self, group: Group, within: _Within, names: Mapping[str, str], positive: bool) -> Leaf:
        head, *rest = (self.scope.word(each, "a variable or an object").text for each in group.nodes)
        if not head:
            self.scope.source.fail("an atom was expected", group.offset)
        terms = [names.get(term, term) for term in rest]
        return Leaf(within, head, tuple(sorted(terms) if head == "=" else terms), positive)


def _apart(node: Node, head: str) -> Iterator[Node]:
    """Yield the parts of a junction of a kind; any other condition is its own only part."""
    yield from chained(node) if isinstance(node, Group) and node.head == head else (node,)


def _inside(within: _Within, kind: str) -> _Within:
    """Return the connectives around a part of a junction or a quantifier; an ``and`` alone says nothing."""
    is_same = within[-1:] == (kind,) or (kind == "and" and within[-1:] != ("or",))
    return within if is_same else (*within, kind)


def _parameters(scope: Scope, node: Node) -> tuple[Parameter, ...]:
    """Read a list of parameters, types unchecked."""
    listed = scope.typed_list(scope.group(node, "a list of variables").nodes, "a variable")
    return tuple(Parameter(word.text, types or frozenset(("object",))) for word, types in listed)


def action_of(text: str, domain: Domain, objects: Mapping[str, frozenset[str]], *, name: str = SOURCE) -> Action:
    """Read one ``(:action ...)`` with every name checked; ``objects`` are those of the task, which it may name.

    Raises ModelError, for what is read but not executed too.
    """
    return _action(Scope, text, domain, objects, name)[0]


def tolerated_action_of(
    text: str, domain: Domain, objects: Mapping[str, frozenset[str]]
) -> tuple[Action, Mapping[str, tuple[Parameter, ...]]]:
    """Read one ``(:action ...)`` that may name what nobody declared; return it with the predicates that it adds."""
    action, scope = _action(TolerantScope, text, domain, objects, SOURCE)
    return without_undeclared(action, frozenset(scope.undeclared))


_S = TypeVar("_S", bound=Scope)


def _action(
    kind: type[_S], text: str, domain: Domain, objects: Mapping[str, frozenset[str]], name: str
) -> tuple[Action, _S]:
    source, group, warnings = parse(text, name)
    scope = kind(
        source,
        types=domain.types,
        objects=dict(objects),
        predicates=dict(domain.predicates),
        functions=dict(domain.functions),
        derived={axiom.predicate for axiom in domain.axioms},
        warnings=list(warnings),
    )
    action = read_action(scope, group)
    for feature in scope.features:
        source.fail(f"the operator uses {feature}, which is read, not executed", group.offset)
    return action, scope
