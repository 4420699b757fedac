"""For each fault that the reader of domains tells, what is changed in the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import TypeAlias

from validator.model_repair.mending.parentheses import balanced
from validator.model_repair.source.tree import Item, groups

__all__ = ["FIXES", "Change", "declared_for", "replaced"]

Change: TypeAlias = tuple[str, str] | None
"""the text without a fault, and what was changed"""
Fix: TypeAlias = Callable[[str, int, re.Match[str], Sequence[str]], Change]

_SECTIONS = (":requirements", ":types", ":constants", ":predicates", ":functions", ":action", ":derived")
_KEYS = (":parameters", ":precondition", ":effect")
_NOT_PREDICATES = frozenset(
    ("and", "or", "not", "imply", "forall", "exists", "when", "=", "increase", "decrease", "define")
)
_ALIKE = 0.75
"""how alike a name must be that is taken for another (difflib's ratio)"""


def _near(name: str, known: Iterable[str], cutoff: float = _ALIKE) -> str | None:
    found = get_close_matches(name, sorted(known), n=1, cutoff=cutoff)
    return found[0] if found else None


def replaced(text: str, offset: int, old: str, new: str) -> str:
    """Return a text with the word at an offset, or next behind it, exchanged."""
    match = re.compile(rf"(?<![^\s()]){re.escape(old)}(?![^\s()])", re.IGNORECASE).search(text, offset)
    if match is None:
        return text
    return f"{text[: match.start()]}{new}{text[match.end() :]}"


# --- parentheses, sections, keywords -------------------------------------------------------------


def _balance(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> Change:
    after, said = balanced(text)
    return (after, said) if said else None


def _section(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> Change:
    name = match[1]
    found = _near(name if name.startswith(":") else f":{name}", _SECTIONS, 0.6)
    return None if found is None else (replaced(text, offset, name, found), f"'{name}' is called '{found}'")


def _key(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> Change:
    name = match[1]
    found = _near(name if name.startswith(":") else f":{name}", _KEYS, 0.5)
    return None if found is None else (replaced(text, offset, name, found), f"'{name}' is called '{found}'")


# --- names ---------------------------------------------------------------------------------------


def _section_of(text: str, name: str) -> Item | None:
    found = groups(text)
    return next((item for item in found[0].children if item.head == name), None) if found else None


def _declared(text: str) -> dict[str, int]:
    """Return the declared predicates with their numbers of arguments."""
    section = _section_of(text, ":predicates")
    return {} if section is None else {item.head: _arity(item) for item in section.children[1:] if item.head}


def _arity(item: Item) -> int:
    """Return how many arguments a declaration or an atom has, without types."""
    words, number, is_type = item.children[1:], 0, False
    for word in words:
        if word.word == "-":
            is_type = True
        elif is_type:
            is_type = False
        else:
            number += 1
    return number


def _atoms(item: Item) -> Iterator[Item]:
    """Yield the groups that may be atoms, the declarations left out."""
    if item.head.startswith(":") and item.head in (":predicates", ":types", ":constants", ":functions", ":objects"):
        return
    if item.head and not item.head.startswith((":", "?")) and item.head not in _NOT_PREDICATES:
        yield item
    for child in item.children:
        yield from _atoms(child)


def _uses(text: str, problems: Sequence[str], name: str) -> Counter[int]:
    """Return how often a predicate is used with each number of arguments, in the domain and its problems."""
    trees = [tree for source in (text, *problems) for tree in groups(source.lower())]
    return Counter(len(atom.children) - 1 for tree in trees for atom in _atoms(tree) if atom.head == name)


def _at(text: str, offset: int) -> Item | None:
    """Return the smallest group around an offset."""
    found, inside = None, groups(text)
    while around := next((item for item in inside if item.start <= offset < item.end and not item.word), None):
        found, inside = around, around.children
    return found


def _predicate(text: str, offset: int, match: re.Match[str], problems: Sequence[str]) -> Change:
    """Take an unknown predicate for a declared one of a similar name, or declare it."""
    name = match[1]
    atom = _at(text, offset)
    if atom is None:
        return None
    arity = len(atom.children) - 1
    found = _near(name, [known for known, number in _declared(text).items() if number == arity])
    if found is not None:
        return replaced(text, offset, name, found), f"predicate '{name}' is called '{found}'"
    return _declare(text, name, max(_uses(text, problems, name).most_common(1), default=((arity, 1)))[0])


def declared_for(text: str, problem: str, name: str) -> Change:
    """Declare a predicate that a problem uses, or give its name to one of a similar name that the problem lacks."""
    arity = max(_uses("", [problem], name).most_common(1), default=((0, 1)))[0]
    unused = [known for known, number in _declared(text).items() if number == arity and not _uses("", [problem], known)]
    found = _near(name, unused)
    if found is None:
        return _declare(text, name, arity)
    word = re.compile(rf"(?<![^\s()]){re.escape(found)}(?![^\s()])", re.IGNORECASE)
    return word.sub(name, text), f"predicate '{found}' is called '{name}' by the problem"


def _declare(text: str, name: str, arity: int) -> Change:
    words = " ".join((name, *(f"?a{number}" for number in range(1, arity + 1))))
    section = _section_of(text, ":predicates")
    said = f"predicate '({words})' is not declared"
    if section is not None:
        return f"{text[: section.end - 1]} ({words}){text[section.end - 1 :]}", said
    return _new_section(text, f"(:predicates ({words}))", (":action", ":derived", ":functions")), said


def _new_section(text: str, section: str, before: Sequence[str]) -> str:
    define = groups(text)[0]
    place = next((item.start for item in define.children if item.head in before), define.end - 1)
    return f"{text[:place]}{section}\n  {text[place:]}"


def _type(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> Change:
    """Take an unknown type for a declared one of a similar name, or declare it."""
    name = match[1]
    section = _section_of(text, ":types")
    known = {item.word for item in section.children[1:] if item.word and item.word != "-"} if section else set()
    found = _near(name, known | {"object"})
    if found is not None:
        return replaced(text, offset, name, found), f"type '{name}' is called '{found}'"
    said = f"type '{name}' is not declared"
    if section is None:
        return _new_section(text, f"(:types {name})", (":constants", ":predicates", ":action", ":functions")), said
    return f"{text[: section.start]}{_with_type(text[section.start : section.end], name)}{text[section.end :]}", said


def _with_type(section: str, name: str) -> str:
    """Put a type in front, where no ``- supertype`` behind it is its own."""
    head = re.match(r"\(\s*:types", section, re.IGNORECASE)
    assert head is not None
    return f"{section[: head.end()]} {name} - object{section[head.end() :]}"


def _variable(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> Change:
    """Take an unbound variable for a bound one of a similar name."""
    name = match[1]
    known = _bound(text, offset)
    found = _near(name, known, 0.5)
    return None if found is None else (replaced(text, offset, name, found), f"variable '{name}' is called '{found}'")


def _object(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> Change:
    """Take an unknown object for the variable of that name, or declare it as a constant."""
    name = match[1]
    if f"?{name}" in _bound(text, offset):
        return replaced(text, offset, name, f"?{name}"), f"'{name}' is the variable '?{name}'"
    section = _section_of(text, ":constants")
    said = f"constant '{name}' is not declared"
    if section is not None:
        at = section.start + len("(:constants")
        return f"{text[:at]} {name} - object{text[at:]}", said
    return _new_section(text, f"(:constants {name})", (":predicates", ":action", ":functions")), said


def _bound(text: str, offset: int) -> set[str]:
    """Return the variables of the action around an offset and of the quantifiers in it."""
    define = groups(text)[0]
    action = next((item for item in define.children if item.start <= offset < item.end), None)
    if action is None:
        return set()
    words = [child.word for child in action.children]
    lists = [action.children[words.index(":parameters") + 1]] if ":parameters" in words[:-1] else []
    return {child.word for item in lists for child in item.children if child.word.startswith("?")}


def _question_mark(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> Change:
    name = match[1]
    return replaced(text, offset, name, f"?{name}"), f"parameter '{name}' is called '?{name}'"


# --- numbers of arguments ------------------------------------------------------------------------


def _number(text: str, offset: int, match: re.Match[str], problems: Sequence[str]) -> Change:
    """Change the declaration of a predicate where most atoms have another number of arguments; else the atom."""
    name, declared, given = match[1], int(match[2]), int(match[3])
    uses = _uses(text, problems, name)
    if uses[given] > uses[declared]:
        return _redeclared(text, name, given)
    atom = _at(text, offset)
    if atom is None or given < declared:
        return None  # which argument is missing is not told by the text
    surplus = atom.children[declared + 1 :]
    start, end = atom.children[declared].end, surplus[-1].end
    words = " ".join(text[item.start : item.end] for item in surplus)
    return f"{text[:start]}{text[end:]}", f"predicate '{name}' takes {declared}, not {words} as well"


def _redeclared(text: str, name: str, arity: int) -> Change:
    section = _section_of(text, ":predicates")
    item = None if section is None else next((one for one in section.children if one.head == name), None)
    if item is None:
        return None
    words = " ".join((text[item.children[0].start : item.children[0].end], *(f"?a{n}" for n in range(1, arity + 1))))
    return f"{text[: item.start]}({words}){text[item.end :]}", f"predicate '{name}' is used with {arity} arguments"


# --- what is said twice --------------------------------------------------------------------------


def _twice(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> Change:
    """Take out a declaration or an action that says word for word what stands before."""
    item = _at(text, offset)
    define = groups(text)[0]
    holder = define if match[1] == "action" else _section_of(text, ":predicates")
    if item is None or holder is None:
        return None
    said = text[item.start : item.end].lower().split()
    if not any(text[one.start : one.end].lower().split() == said for one in holder.children if one.start < item.start):
        return None
    return f"{text[: item.start].rstrip()}{text[item.end :]}", f"{match[1]} '{match[2]}' is declared twice, alike"


FIXES: Sequence[tuple[re.Pattern[str], Fix]] = [
    (
        re.compile(r"'\(' is not closed before the section|'\(' is never closed|text after the end of|'\(define' was"),
        _balance,
    ),
    (re.compile(r"'(\S+)' is not a section of a domain"), _section),
    (re.compile(r"'(\S+)' is not a part of action"), _key),
    (re.compile(r"undeclared predicate '([^']+)'"), _predicate),
    (re.compile(r"undeclared type '([^']+)'"), _type),
    (re.compile(r"unbound variable '([^']+)'"), _variable),
    (re.compile(r"undeclared object '([^']+)'"), _object),
    (re.compile(r"a variable such as \?x was expected, not '([^'?]+)'"), _question_mark),
    (re.compile(r"predicate '([^']+)' takes (\d+) arguments, got (\d+)"), _number),
    (re.compile(r"one of :\S+, .* was expected|a section such as .* was expected"), _balance),
    (re.compile(r"duplicate (predicate|action) '([^']+)'"), _twice),
]
"""what the reader says -> the mend; the first that fits"""
