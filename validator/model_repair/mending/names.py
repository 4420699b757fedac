"""Names that nothing declares, and atoms of another length than their predicate: what each may have been meant for.

The likeliest way comes first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import chain, combinations, islice
from typing import TypeAlias

from validator.model_repair.source.tree import Item, groups, part_of

__all__ = [
    "Change",
    "at",
    "declared_for",
    "near",
    "numbers",
    "objects",
    "predicates",
    "replaced",
    "section_of",
    "types",
    "variables",
]

Change: TypeAlias = tuple[str, str]
"""the text without a fault, and what was changed"""

_NOT_PREDICATES = frozenset(
    ("and", "or", "not", "imply", "forall", "exists", "when", "=", "increase", "decrease", "define")
)
_ALIKE, _LIKE = 0.75, 0.55
"""how similar (difflib's ratio) a name must be that is more likely meant than none, and that may be meant at all"""
_MOST_NAMES = 3


def near(name: str, known: Iterable[str], cutoff: float = _ALIKE) -> str | None:
    """Return the name that is most like another one, if it is alike enough."""
    found = get_close_matches(name, sorted(known), n=1, cutoff=cutoff)
    return found[0] if found else None


def _meant(name: str, known: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the names that are likely meant, and those that may be."""
    found = get_close_matches(name, sorted(known), n=_MOST_NAMES, cutoff=_LIKE)
    likely = [one for one in found if one in get_close_matches(name, found, cutoff=_ALIKE)]
    return likely, [one for one in found if one not in likely]


def replaced(text: str, offset: int, old: str, new: str) -> str:
    """Return a text with the word at an offset, or next after it, exchanged."""
    match = re.compile(rf"(?<![^\s()]){re.escape(old)}(?![^\s()])", re.IGNORECASE).search(text, offset)
    if match is None:
        return text
    return f"{text[: match.start()]}{new}{text[match.end() :]}"


# --- where things stand --------------------------------------------------------------------------


def section_of(text: str, name: str) -> Item | None:
    """Return the section of a domain with a keyword."""
    found = groups(text)
    return next((item for item in found[0].children if item.head == name), None) if found else None


def at(text: str, offset: int) -> Item | None:
    """Return the smallest group around an offset."""
    found, inside = None, groups(text)
    while around := next((item for item in inside if item.start <= offset < item.end and not item.word), None):
        found, inside = around, around.children
    return found


def action_at(text: str, offset: int) -> Item | None:
    """Return the section around an offset, as a rule an action."""
    return next((item for item in groups(text)[0].children if item.start <= offset < item.end), None)


def bound(text: str, offset: int) -> list[str]:
    """Return the parameters of the action around an offset, in order."""
    action = action_at(text, offset)
    listed = None if action is None else part_of(action, ":parameters")
    return [] if listed is None else [child.word for child in listed.children if child.word.startswith("?")]


def new_section(text: str, section: str, before: Sequence[str]) -> str:
    """Put a section in front of the first one with one of some keywords."""
    define = groups(text)[0]
    place = next((item.start for item in define.children if item.head in before), define.end - 1)
    return f"{text[:place]}{section}\n  {text[place:]}"


def _declared(text: str) -> dict[str, int]:
    """Return the declared predicates with their numbers of arguments."""
    section = section_of(text, ":predicates")
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


def uses(text: str, problems: Sequence[str], name: str) -> Counter[int]:
    """Return how often a predicate is used with each number of arguments, in the domain and its problems."""
    trees = [tree for source in (text, *problems) for tree in groups(source.lower())]
    return Counter(len(atom.children) - 1 for tree in trees for atom in _atoms(tree) if atom.head == name)


# --- what they may have been meant for -----------------------------------------------------------


def predicates(text: str, offset: int, match: re.Match[str], problems: Sequence[str]) -> list[Change]:
    """Take an unknown predicate for a declared one of a similar name, or declare it."""
    name = match[1]
    atom = at(text, offset)
    if atom is None:
        return []
    arity, declared = len(atom.children) - 1, _declared(text)
    likely, possible = _meant(name, [known for known, number in declared.items() if number == arity])
    other = near(name, [known for known, number in declared.items() if number != arity])
    called = {
        one: (replaced(text, offset, name, one), f"predicate '{name}' becomes '{one}'")
        for one in (*likely, *possible, *(() if other is None else (other,)))
    }
    declaration = _declare(text, name, max(uses(text, problems, name).most_common(1), default=((arity, 1)))[0])
    first = [called.pop(one) for one in likely]
    return [*first, declaration, *called.values()]


def declared_for(text: str, problem: str, name: str) -> list[Change]:
    """Declare a predicate that a problem uses, or give its name to one of a similar name that the problem lacks."""
    arity = max(uses("", [problem], name).most_common(1), default=((0, 1)))[0]
    unused = [known for known, number in _declared(text).items() if number == arity and not uses("", [problem], known)]
    likely, possible = _meant(name, unused)
    called = {
        one: (_everywhere(text, one, name), f"predicate '{one}' becomes '{name}', as in the problem")
        for one in (*likely, *possible)
    }
    first = [called.pop(one) for one in likely]
    return [*first, _declare(text, name, arity), *called.values()]


def _everywhere(text: str, old: str, new: str) -> str:
    return re.sub(rf"(?<![^\s()]){re.escape(old)}(?![^\s()])", new, text, flags=re.IGNORECASE)


def _declare(text: str, name: str, arity: int) -> Change:
    words = " ".join((name, *(f"?a{number}" for number in range(1, arity + 1))))
    section = section_of(text, ":predicates")
    said = f"predicate '({words})' is not declared"
    if section is not None:
        return f"{text[: section.end - 1]} ({words}){text[section.end - 1 :]}", said
    return new_section(text, f"(:predicates ({words}))", (":action", ":derived", ":functions")), said


def types(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> list[Change]:
    """Take an unknown type for a declared one of a similar name, or declare it."""
    name = match[1]
    section = section_of(text, ":types")
    known = {item.word for item in section.children[1:] if item.word and item.word != "-"} if section else set()
    likely, possible = _meant(name, known | {"object"})
    called = [(replaced(text, offset, name, one), f"type '{name}' becomes '{one}'") for one in (*likely, *possible)]
    said = f"type '{name}' is not declared"
    if section is None:
        declared = new_section(text, f"(:types {name})", (":constants", ":predicates", ":action", ":functions"))
    else:
        declared = f"{text[: section.start]}{_with_type(text[section.start : section.end], name)}{text[section.end :]}"
    return [*called[: len(likely)], (declared, said), *called[len(likely) :]]


def _with_type(section: str, name: str) -> str:
    """Put a type in front, where no ``- supertype`` after it is its own."""
    head = re.match(r"\(\s*:types", section, re.IGNORECASE)
    assert head is not None
    return f"{section[: head.end()]} {name} - object{section[head.end() :]}"


def variables(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> list[Change]:
    """Take an unbound variable for a bound one, those of a similar name first."""
    name, known = match[1], bound(text, offset)
    alike = get_close_matches(name, known, n=len(known) or 1, cutoff=0.5)
    return [
        (replaced(text, offset, name, one), f"variable '{name}' becomes '{one}'")
        for one in dict.fromkeys((*alike, *known))
    ]


def objects(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> list[Change]:
    """Take an unknown object for the variable of that name, or declare it as a constant."""
    name = match[1]
    if f"?{name}" in bound(text, offset):
        return [(replaced(text, offset, name, f"?{name}"), f"'{name}' is the variable '?{name}'")]
    section = section_of(text, ":constants")
    said = f"constant '{name}' is not declared"
    if section is not None:
        place = section.start + len("(:constants")
        return [(f"{text[:place]} {name} - object{text[place:]}", said)]
    return [(new_section(text, f"(:constants {name})", (":predicates", ":action", ":functions")), said)]


# --- numbers of arguments --------------------------------------------------------------------------

_MOST_WAYS = 12
"""ways that are told for one atom"""


def numbers(text: str, offset: int, match: re.Match[str], problems: Sequence[str]) -> list[Change]:
    """Change the declaration of a predicate or one atom; first that of which fewer say something else."""
    name, declared, given = match[1], int(match[2]), int(match[3])
    found = uses(text, problems, name)
    anew = _redeclared(text, name, given)
    atom = at(text, offset)
    changes = [] if atom is None else list(islice(_of_atom(text, atom, name, declared, given), _MOST_WAYS))
    return [*anew, *changes] if found[given] > found[declared] else [*changes, *anew]


def _of_atom(text: str, atom: Item, name: str, declared: int, given: int) -> Iterator[Change]:
    args = [text[item.start : item.end] for item in atom.children[1:]]
    kept = combinations(range(given), declared) if given > declared else ()
    yield from (_dropped(text, atom, name, args, places) for places in kept)
    if declared == given + 1:
        others = bound(text, atom.start)
        fresh = [word for word in others if word not in map(str.lower, args)]
        for word in chain(fresh, (word for word in others if word not in fresh)):
            for place in reversed(range(declared)):
                words = [*args[:place], word, *args[place:]]
                yield _with_args(text, atom, words), f"predicate '{name}' takes {declared}: {word} is missing"


def _dropped(text: str, atom: Item, name: str, args: Sequence[str], places: Sequence[int]) -> Change:
    words = " ".join(arg for place, arg in enumerate(args) if place not in places)
    said = f"predicate '{name}' takes {len(places)}, not {words} as well"
    return _with_args(text, atom, [args[place] for place in places]), said


def _with_args(text: str, atom: Item, args: Sequence[str]) -> str:
    words = " ".join((text[atom.children[0].start : atom.children[0].end], *args))
    return f"{text[: atom.start]}({words}){text[atom.end :]}"


def _redeclared(text: str, name: str, arity: int) -> list[Change]:
    section = section_of(text, ":predicates")
    item = None if section is None else next((one for one in section.children if one.head == name), None)
    if item is None:
        return []
    words = " ".join((text[item.children[0].start : item.children[0].end], *(f"?a{n}" for n in range(1, arity + 1))))
    said = f"predicate '{name}' is used with {arity} argument{'s' * (arity != 1)}"
    return [(f"{text[: item.start]}({words}){text[item.end :]}", said)]
