"""Paths into the value of a trace: what stands at one, which objects meet a condition, and how much each holds.

turns[].data.calls             the calls of all turns: ``[]`` are the members of a list, ``[-1]`` is the last one
*.type                         what stands under any key
content|contents               the first of two paths that has a value
type=tool|llm*, id, !role|run  a condition: a value is one of some words, a key is there, two others are not
messages:list                  the value has a type: list, object, text, number, or value (anything but null)
query or id, name              one of two conditions holds

Keys are compared as ``spelled`` writes them, and a dot in a key is ``_``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import translate
from functools import lru_cache
from itertools import count
from typing import TypeAlias, TypeVar

from validator.reading.calls.objects import is_object, spelled
from validator.reading.values import printed_value

_Told = TypeVar("_Told")
# Made once: each value of a trace is asked for its type, often.
_LISTS = (list, tuple)
PLAIN = (str, int, float, bool, type(None))


def told(
    value: object,
    tell: Callable[[Mapping[str, object]], _Told | None],
    outside: Callable[[Mapping[str, object]], object] = lambda _: None,
    homes: Iterator[int] | None = None,
) -> Iterator[tuple[Mapping[str, object], _Told, int]]:
    """Yield the objects inside a JSON value for which ``tell`` returns something, in order, none inside another.

    Each comes with that result, and with the number, from ``homes``, of the list in which it stands. ``outside`` is
    called with each object around them, before what is in it. What the author of a test expects is passed over.
    """
    homes = count(1) if homes is None else homes
    waiting: list[tuple[object, int]] = [(value, 0)]
    while waiting:
        each, home = waiting.pop()
        if is_object(each):
            if (found := tell(each)) is not None:
                yield each, found, home
                continue
            outside(each)
            inner: Iterable[object] = map(each.__getitem__, _keys_in_order(tuple(each)))
        else:
            inner = each if isinstance(each, _LISTS) else ()
            home = next(homes)  # the same list may stand in two places
        waiting.extend(reversed([(part, home) for part in inner if not isinstance(part, PLAIN)]))


_OF_AUTHORS = re.compile(
    r"(?:expected|references?|ground_truth|gold(?:en)?|ideal|oracle|few_shots?|demonstrations)(?:_\w+)?|\w+_ground_truth"
)
"""keys of what the author of a test expects, or shows"""
_OF_REQUESTS = frozenset(("request", "messages", "input", "inputs", "prompt", "history", "contents"))
"""keys under which a model is asked, with its history"""


@lru_cache(maxsize=4096)
def _keys_in_order(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Return keys without those of what the author of a test expects or shows, a request before its answer."""
    done = [key for key in keys if not _OF_AUTHORS.fullmatch(spelled(str(key)))]
    return tuple(sorted(done, key=lambda key: spelled(str(key)) not in _OF_REQUESTS))


def units(
    value: object,
    is_unit: Callable[[Mapping[str, object]], object],
    outside: Callable[[Mapping[str, object]], object] = lambda _: None,
) -> Iterator[Mapping[str, object]]:
    """Yield the objects that ``is_unit`` takes, in the same way."""
    return (unit for unit, _, _ in told(value, lambda each: is_unit(each) or None, outside))


@lru_cache(maxsize=512)
def _steps(path: str) -> tuple[tuple[str, str], ...]:
    return tuple((step.partition("[")[0], step.partition("[")[2]) for step in path.split(".") if step)


def at(value: object, path: str) -> list[object]:
    """Return what stands at a path; no path is the value."""
    found = [value]
    for key, members in _steps(path):
        found = [inner for each in found if is_object(each) for inner in _held(each, key)]
        if members:
            listed = [each for each in found if isinstance(each, _LISTS)]
            found = [member for each in listed for member in (each if members == "]" else each[-1:])]
    return found


def _held(value: Mapping[str, object], key: str) -> Iterable[object]:
    if key in value:
        return (value[key],)
    if key == "*":
        return map(value.__getitem__, _keys_in_order(tuple(value)))
    name = _names(tuple(value)).get(key)
    return () if name is None else (value[name],)


@lru_cache(maxsize=4096)
def _names(keys: tuple[str, ...]) -> Mapping[str, str]:
    """Return keys by themselves, and by how paths write them; the objects of a trace have few shapes."""
    names = {spelled(str(key)).replace(".", "_"): key for key in reversed(keys)}
    return {**names, **{key: key for key in keys}}


def value_at(value: object, paths: str) -> object:
    """Return the first value that stands at one of some paths; None where none does."""
    return next((each for path in paths.split("|") for each in at(value, path) if each is not None), None)


_TYPES: Mapping[str, tuple[type, ...]] = {
    "list": (list,),
    "object": (dict, Mapping),
    "text": (str,),
    "number": (int,),
    "value": (object,),
}


_Term: TypeAlias = Callable[[Mapping[str, object]], bool]
_Alternative: TypeAlias = tuple[tuple[_Term, ...], tuple[frozenset[str], ...]]
"""Terms that all have to hold, and the keys of which an object needs one each for those that are not denied."""


@lru_cache(maxsize=512)
def _alternatives(condition: str) -> tuple[_Alternative, ...]:
    found = []
    for each in condition.split(" or "):
        texts = each.split(", ")
        needs = (text.partition("=")[0].partition(":")[0].split("|") for text in texts if not text.startswith("!"))
        keys = (frozenset(_steps(path)[0][0] for path in paths) for paths in needs)
        found.append((tuple(map(_term, texts)), tuple(each for each in keys if "*" not in each)))
    return tuple(found)


def _term(text: str) -> _Term:
    """Return whether a value at one of some paths is of some types and, with ``=``, one of some words."""
    left, _, words = text.partition("=")
    listed, _, kinds = left.removeprefix("!").partition(":")
    paths, is_denied = listed.split("|"), text.startswith("!")
    types = tuple(kind for word in kinds.split("|") for kind in _TYPES[word]) if kinds else None
    word = re.compile("|".join(map(translate, words.split("|")))) if words else None

    def fits(each: object) -> bool:
        if word is not None:
            return isinstance(each, str | bool) and word.fullmatch(str(each).lower()) is not None
        return types is None or (each is not None and isinstance(each, types))

    return lambda value: is_denied != any(fits(each) for path in paths for each in at(value, path))


def meets(value: Mapping[str, object], condition: str) -> bool:
    """Return whether an object meets a condition."""
    possible = _of_shape(tuple(value), condition)
    return bool(possible) and any(all(term(value) for term in terms) for terms in possible)


@lru_cache(maxsize=8192)
def _of_shape(keys: tuple[str, ...], condition: str) -> tuple[tuple[_Term, ...], ...]:
    """Return the alternatives of a condition that an object with some keys may meet."""
    names = _names(keys)
    return tuple(
        [terms for terms, needs in _alternatives(condition) if not any(needed.isdisjoint(names) for needed in needs)]
    )


class Sizes:
    """How much each object and list of a value holds: a character counts one, and so does any other value.

    Raises RecursionError for what is nested too deeply.
    """

    def __init__(self, value: object) -> None:
        self._of: dict[int, int] = {}
        self.whole = self._count(value)

    def _count(self, value: object) -> int:
        inner = value.values() if is_object(value) else value if isinstance(value, _LISTS) else None
        if inner is None:
            return 1 + len(value) if isinstance(value, str) else 1
        self._of[id(value)] = size = sum(map(self._count, inner))
        return size

    def share(self, taken: Iterable[object]) -> float:
        """Return the share of the whole that some objects and lists hold, none of which is inside another."""
        held = sum(self._of.get(id(unit), 0) for unit in taken)
        return min(1.0, held / self.whole) if self.whole else 1.0


def parsed(value: object, *, python: bool = False) -> object:
    """Return the value that a text of JSON stands for, with ``python`` that of a Python literal too; others as is."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text[:1] not in ("{", "[", '"') or len(text) < 2:
        return value
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    found = printed_value(text) if python else None
    return found if isinstance(found, dict | list) else value
