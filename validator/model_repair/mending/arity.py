"""Atoms with another number of arguments than their predicate: which of the two is to be changed, and how."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice

from validator.model_repair.mending.names import Change, at, bound, section_of, uses
from validator.model_repair.source.tree import Item

__all__ = ["numbers"]

_MOST = 12
"""ways that are told for one atom"""


def numbers(text: str, offset: int, match: re.Match[str], problems: Sequence[str]) -> list[Change]:
    """Change the declaration of a predicate or one atom; first that of which fewer say something else."""
    name, declared, given = match[1], int(match[2]), int(match[3])
    found = uses(text, problems, name)
    anew = _redeclared(text, name, given)
    atom = at(text, offset)
    changes = [] if atom is None else list(islice(_of_atom(text, atom, name, declared, given), _MOST))
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
