"""What PDDL domains and problems have in common: the file, the sections, the declarations of objects.

A text that the grammar forbids, and that competitions, planners and peers have all the same, is read where only one
meaning is possible, each time by a rule that has a name, and a warning says where and what was taken. A text whose
meaning would be guessed is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import TypeAlias

from validator.errors import HierarchicalModelError, ModelError, did_you_mean
from validator.model.pddl.scope import OBJECT, Scope
from validator.model.pddl.syntax import Group, Word, end_of_group, parse, with_end
from validator.texts import blank, is_path, read_latin
from validator.texts import read_text as read_file

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

_RETURN = re.compile(r"\r(?!\n)")
"""a carriage return that ends a line by itself"""


def head_of(text: str) -> tuple[str, str] | None:
    """Return whether a text begins as a domain or a problem, and its name; None for anything else."""
    found = _HEAD.match(text)
    return None if found is None else (found[1].lower(), found[2].lower())


def read_text(source: str | Path, kind: str) -> tuple[str, str]:
    """Return the PDDL text and the name for errors."""
    if is_text(source):
        return _RETURN.sub("\n", str(source)), f"<{kind}>"
    path = Path(source)
    return _RETURN.sub("\n", read_file(path, ModelError)), str(path)


def is_text(source: str | Path) -> bool:
    """Return whether a source is PDDL itself, which has parentheses, and names no file that is there."""
    if isinstance(source, Path):
        return False
    return "\n" in source or "\0" in source or not source.strip() or ("(" in source and not is_path(source))


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


def opened(given: str | Path, kind: str, *, is_strict: bool, called: str = "") -> tuple[Scope, Group]:
    """Parse a path or a text, perhaps ``called`` by a name; return its group and a scope that knows no names yet."""
    try:
        text, name = read_text(given, kind)
        name = called or name
        published, changed = (text, []) if is_strict else as_published(text)
    except ModelError:
        if is_strict or not Path(given).is_file():
            raise
        text, name = _RETURN.sub("\n", read_latin(Path(given), ModelError)), str(given)
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
    declared = Counter(chain(scope.objects, (word.text for named in private for word, _ in named))) if private else {}
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


# --- models as they are published -----------------------------------------------------------------

RULES = {
    "missing-blank": "'-' and a type, an operator and a number, or a name and a key touch: no name begins or ends so",
    "blank-in-variable": "a blank between '?' and a name: no variable has an empty name",
    "comma": "no name ends with a comma: one between declarations says nothing",
    "empty-list": "a type with no name before it declares nothing",
    "several-types": "an object declared with several types belongs to each of them",
    "several-values": "of several initial values of one function the last counts",
    "and-of-facts": "all facts of :init hold initially, so that 'and' around some says nothing",
    "unread-fact": "what :init says of a name that is declared nowhere, and nothing reads, is left out",
    "declared-again": "a predicate, function or action that is declared again in the same way is declared once",
    "section-again": "declarations and initial facts in several sections of one name are taken together",
    "own-supertype": "a type is a subtype of itself in any case",
    "undeclared-type": "what a declaration takes for a type is one, below no other; in a model without types, nothing",
    "undeclared-constant": "what a domain names, and only the problem declares, is that object",
    "missing-and": "formulas side by side where one is expected are all meant: nothing else joins them",
    "unclosed-define": "where everything else is closed at the end of the text, only '(define' can end there",
    "early-end": "sections after the end of '(define ...)' belong to it: nothing else holds sections",
    "text-around": "what stands around a whole '(define ...)' and holds no section says nothing of the model",
    "not-utf-8": "each byte of a text that is not UTF-8 is a character of Latin-1; names are the same in any case",
    "private": "who may know of a declaration of multi-agent PDDL changes nothing of what its steps do",
    "agent": "the agent of an action in multi-agent PDDL is its first parameter, as steps name it",
    "in-package": "a line for a Lisp reader before the definition is passed over",
}
"""rule -> why only one meaning is possible"""

_IN_PACKAGE = re.compile(r"(?:\s|;[^\n]*)*+(\(\s*in-package\b[^()]*\))", re.IGNORECASE)
_DEFINE = re.compile(r";[^\n]*|\(\s*define\s*\(\s*(domain|problem)\b", re.IGNORECASE)
_SECTION = re.compile(r"\(\s*:")
_ONLY_SECTIONS = re.compile(r"(?:\s|;[^\n]*)*+\(\s*:")
_COMMA = re.compile(r";[^\n]*+|(?<=[\w)]),(?=[\s?)])")
_BLANK = re.compile(r";[^\n]*+|\?(\s++)(?=[^\W\d_])")


def as_published(text: str, *, is_latin: bool = False) -> tuple[str, list[tuple[str, str, int]]]:
    """Return a text of the same length without what a reader of words cannot pass, and what was changed where.

    A change is a rule, what was taken, and the offset.
    """
    changed: list[tuple[str, str, int]] = []
    if is_latin:
        odd = next(place for place, letter in enumerate(text) if not letter.isascii())
        changed.append(("not-utf-8", "the text is not UTF-8, and is read as Latin-1", odd))
    if package := _IN_PACKAGE.match(text):
        changed.append(("in-package", f"'{package[1]}' is passed over", package.start(1)))
        text = text[: package.start(1)] + " " * len(package[1]) + text[package.end(1) :]

    def joined(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        changed.append(("blank-in-variable", "the blank after '?' is ignored", match.start()))
        return f"{match[1]}?"

    def parted(match: re.Match[str]) -> str:
        if match[0] != ",":
            return match[0]
        changed.append(("comma", "the comma is passed over", match.start()))
        return " "

    if re.search(r"\?\s", text):
        text = _BLANK.sub(joined, text)
    if "," in text:
        text = _COMMA.sub(parted, text)
    return text, changed


def closed(text: str, kind: str) -> tuple[str, list[tuple[str, str, int]]] | None:
    """Return a text whose ``(define ...)`` ends too late, too early or with other text around it as it is meant.

    What was changed is told as in ``as_published``. None where more than one meaning is possible.
    """
    if whole := with_end(text):
        told = "the text ends before '(define' is closed; it is taken as closed"
        return whole, [("unclosed-define", told, len(text))]
    starts = [found.start() for found in _DEFINE.finditer(text) if (found[1] or "").lower() == kind]
    end = end_of_group(text, starts[0]) if len(starts) == 1 else None
    if end is None:
        return None
    before, inner, behind = text[: starts[0]], text[starts[0] : end], text[end:]
    if _ONLY_SECTIONS.match(behind) and not before.strip():
        opened = f"{before}{inner[:-1]} {behind}"
        told = "'(define' is closed before sections; they are taken as its own"
        return with_end(opened) or opened, [("early-end", told, end - 1)]
    if not (before + behind).strip():
        return None
    others = [found.start() for found in _DEFINE.finditer(text) if found[1] and found[1].lower() != kind]
    if not others and _SECTION.search(before + behind):
        return None
    told = f"what stands around the {kind} is passed over"
    return f"{blank(before)}{inner}{blank(behind)}", [("text-around", told, 0 if before.strip() else end)]
