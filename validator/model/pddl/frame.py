"""What PDDL domains and problems have in common: the file, the sections, the declarations of objects."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import TypeAlias

from validator.errors import HierarchicalModelError, ModelError, did_you_mean
from validator.model.pddl.published import as_published, closed
from validator.model.pddl.scope import OBJECT, Scope
from validator.model.pddl.syntax import Group, Word, parse
from validator.texts import is_path, read_latin
from validator.texts import read_text as read_file

__all__ = [
    "check_order",
    "declare_objects",
    "grouped",
    "head_of",
    "is_text",
    "opened",
    "read_text",
    "sections_of",
]

_Named: TypeAlias = "Sequence[tuple[Word, frozenset[str] | None]]"
"""names that are declared, each with its types"""

_JOINED = frozenset((":requirements", ":types", ":constants", ":predicates", ":functions", ":objects", ":init"))
_BEYOND = {
    ":goal-probability": "probabilities of goals are not read",
    ":constraint": "a condition that holds at all times is ENHSP's own; (:constraints (always ...)) says it in PDDL 3",
    **dict.fromkeys((":observations", ":observation"), "plans that sense branch on what is seen"),
}
"""sections of other languages -> why they are not read"""
_HDDL = frozenset((":task", ":method", ":htn", ":htn-ti", ":tihtn"))
_HEAD = re.compile(r"(?:\s|;[^\n]*)*+\(\s*define\s*\(\s*(domain|problem)\s+([^\s();]+)", re.IGNORECASE)
_REPEATABLE = frozenset((":action", ":derived", ":durative-action", ":process", ":event"))


def head_of(text: str) -> tuple[str, str] | None:
    """Return whether a text begins as a domain or a problem, and its name; None for anything else."""
    found = _HEAD.match(text)
    return None if found is None else (found[1].lower(), found[2].lower())


def read_text(source: str | Path, kind: str) -> tuple[str, str]:
    """Return the PDDL text and the name for errors."""
    if is_text(source):
        return str(source), f"<{kind}>"
    path = Path(source)
    return read_file(path, ModelError), str(path)


def is_text(source: str | Path) -> bool:
    """Return whether a source is PDDL itself, which has parentheses, and names no file that is there."""
    if isinstance(source, Path):
        return False
    return "\n" in source or not source.strip() or ("(" in source and not is_path(source))


def sections_of(scope: Scope, group: Group, kind: str, known: tuple[str, ...]) -> tuple[str, list[tuple[str, Group]]]:
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
            if head in _HDDL:
                why = "plans of HDDL are decompositions of tasks, which 'check' verifies"
                scope.source.fail(f"'{head}' is not supported here: {why}", section.offset, HierarchicalModelError)
            if head == ":goal-reward":
                scope.feature("rewards", section.offset)
                continue
            if head in _BEYOND:
                scope.source.fail(f"'{head}' is not supported: {_BEYOND[head]}", section.offset)
            hint = did_you_mean(head, known)
            scope.source.fail(f"'{head or '('}' is not a section of a {kind}{hint}", section.offset)
        sections.append((head, section))
    return title, sections


def opened(given: str | Path, kind: str, *, is_strict: bool) -> tuple[Scope, Group]:
    """Parse a path or a text and return its group and a scope that knows no names yet."""
    try:
        text, name = read_text(given, kind)
        published, changed = (text, []) if is_strict else as_published(text)
    except ModelError:
        if is_strict or not Path(given).is_file():
            raise
        text, name = read_latin(Path(given), ModelError), str(given)
        published, changed = as_published(text, is_latin=True)
    try:
        source, group, warnings = parse(published, name, text)
    except ModelError as error:
        meant = None if is_strict else closed(published, kind)
        if meant is None:
            raise
        try:
            source, group, warnings = parse(meant[0], name, f"{text}\n)"[: len(meant[0])])
        except ModelError:
            raise error from None
        changed += meant[1]
    scope = Scope(source, is_strict=is_strict, warnings=list(warnings))
    for rule, message, offset in changed:
        scope.tolerate(rule, message, offset)
    return scope, group


def grouped(scope: Scope, sections: Iterable[tuple[str, Group]]) -> dict[str, list[Group]]:
    """Return the sections by name, in order of the text."""
    grouped: dict[str, list[Group]] = {}
    for head, section in sections:
        if head in grouped and head not in _REPEATABLE:
            refusal = f"duplicate section '{head}'"
            if head not in _JOINED and grouped[head][0] == section:
                scope.tolerate("section-again", f"section '{head}' stands here again", section.offset, refusal)
                continue
            if head not in _JOINED:
                scope.source.fail(refusal, section.offset)
            message = f"section '{head}' stands here again; both are taken together"
            scope.tolerate("section-again", message, section.offset, refusal)
        grouped.setdefault(head, []).append(section)
    return grouped


def check_order(scope: Scope, sections: list[tuple[str, Group]], order: tuple[str, ...]) -> None:
    """Warn when declarations come later than what they declare; they are read all the same."""
    places = [(order.index(head) if head in order else len(order), section) for head, section in sections]
    for (earlier, _), (later, section) in pairwise(places):
        if later < earlier:
            scope.warn(f"section '{section.head}' is out of the usual order", section.offset)
            return


def declare_objects(scope: Scope, section: Group, kind: str) -> None:
    expected = f"an {kind}" if kind == "object" else f"a {kind}"
    public, *private = (scope.typed_list(nodes, expected) for nodes in scope.declared(section))
    _declare_named(scope, public, kind)
    # How often each name is declared, counting once those of other sections.
    declared = Counter(chain(scope.objects, (word.text for named in private for word, _ in named)))
    for named in private:
        # The name of the agent that knows the objects stands before them, and is declared elsewhere.
        is_of_agent = len(named) > 1 and declared[named[0][0].text] > 1
        _declare_named(scope, named[1:] if is_of_agent else named, kind)


def _declare_named(scope: Scope, named: _Named, kind: str) -> None:
    for word, given in named:
        name = word.text
        if name.startswith("?"):
            scope.source.fail(f"'{name}' is a variable; {kind}s are names", word.offset)
        types = _types_of(scope, word, given)
        known = scope.objects.get(name)
        if known is not None and known != types:
            both = f"{_either(known)} and {_either(types)}"
            message = f"'{name}' is declared with several types, {both}; it belongs to each"
            refusal = f"'{name}' is declared twice with different types: {both}"
            scope.tolerate("several-types", message, word.offset, refusal)
            types |= known
        elif known is not None:
            scope.warn(f"'{name}' is declared twice", word.offset)
        scope.objects[name] = types


def _types_of(scope: Scope, word: Word, given: frozenset[str] | None) -> frozenset[str]:
    """Return the types of what is declared; in a model without types, whatever a problem calls its objects, none."""
    if given is None or scope.is_declaring or scope.types.parents or given == OBJECT:
        return scope.check_types(given, word.offset)
    refusal = f"undeclared type '{_either(given)}'"
    message = f"{refusal}; the domain has no types, and '{word.text}' is an object"
    scope.tolerate("undeclared-type", message, word.offset, refusal)
    return OBJECT


def _either(types: frozenset[str]) -> str:
    return " or ".join(sorted(types))
