"""Walking through the value of a trace: the objects of one kind, how much each holds, and values in texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from validator.reading.calls.objects import is_object, spelled
from validator.reading.values import printed_value
from validator.records import dataclass, field

__all__ = [
    "Sizes",
    "Wrapping",
    "at",
    "first_text",
    "first_value",
    "parsed",
    "spelled_keys",
    "units",
    "unwrapped",
    "value_at",
]

# Made once: each value of a trace is asked for its type, often.
_LISTS = (list, tuple)
_PLAIN = (str, int, float, bool, type(None))


def units(
    value: object, is_unit: Callable[[Mapping[str, object]], bool], outside: Callable[[Mapping[str, object]], object]
) -> Iterator[Mapping[str, object]]:
    """Yield the objects inside a JSON value that ``is_unit`` takes, in order, none inside another.

    ``outside`` is called with each object around them, before what is in it.
    """
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if is_object(each):
            if is_unit(each):
                yield each
                continue
            outside(each)
            inner: Iterable[object] = each.values()
        else:
            inner = each if isinstance(each, _LISTS) else ()
        waiting.extend(reversed([part for part in inner if not isinstance(part, _PLAIN)]))


def spelled_keys(value: Mapping[str, object]) -> dict[str, object]:
    """Return an object with its keys as the lists of keys spell them."""
    return {spelled(str(key)): each for key, each in value.items()}


def first_value(own: Mapping[str, object], keys: Iterable[str]) -> object:
    """Return the first value that is there, of some keys in their order; None without one."""
    return next((own[key] for key in keys if own.get(key) is not None), None)


def first_text(own: Mapping[str, object], keys: Iterable[str]) -> str | None:
    """Return the first value that is a text; None without one."""
    return next((each for key in keys if isinstance(each := own.get(key), str)), None)


@lru_cache(maxsize=256)
def _steps(path: str) -> tuple[tuple[str, bool], ...]:
    return tuple((step.removesuffix("[]"), step.endswith("[]")) for step in path.split(".") if step)


def at(value: object, path: str) -> list[object]:
    """Return what stands at a path, ``turns[].data.calls``: ``[]`` are the members of a list, no path is the value."""
    found = [value]
    for key, is_list in _steps(path):
        found = [inner for each in found if is_object(each) for inner in _held(each, key)]
        if is_list:
            found = [member for each in found if isinstance(each, _LISTS) for member in each]
    return found


def _held(value: Mapping[str, object], key: str) -> Iterable[object]:
    if key in value:
        return (value[key],)
    return [inner for name, inner in value.items() if spelled(str(name)) == key]


def value_at(value: object, paths: str) -> object:
    """Return the first value that stands at one of some paths, ``content|contents``; None where none does."""
    return next((each for path in paths.split("|") for each in at(value, path) if each is not None), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapping:
    """How a maker wraps what others write plainly: an object with the key ``mark``, and values at all paths ``needs``.

    ``keys`` has for each plain key the paths of its value, or ``=`` and the value. With ``is_kept`` the object keeps
    its other keys; ``around`` is the path of an object whose keys are taken over.
    """

    mark: str
    needs: tuple[str, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict)
    is_kept: bool = False
    around: str = ""


def unwrapped(value: Mapping[str, object], wrappings: Iterable[Wrapping]) -> Mapping[str, object]:
    """Return an object without the first of some wrappings that it has; the same one where it has none."""
    for each in wrappings:
        if each.mark in value and all(value_at(value, path) is not None for path in each.needs):
            outer = value if each.is_kept else value_at(value, each.around) if each.around else None
            plain = dict(outer) if isinstance(outer, Mapping) else {}
            for key, paths in each.keys.items():
                plain[key] = paths[1:] if paths.startswith("=") else value_at(value, paths)
            return plain
    return value


class Sizes:
    """The keys of all objects of a value, and how much each holds: a character counts one, and so does any other value.

    Raises RecursionError for what is nested too deeply.
    """

    def __init__(self, value: object) -> None:
        self._of: dict[int, int] = {}
        self._keys: set[object] = set()
        self.whole = self._count(value)

    def _count(self, value: object) -> int:
        if is_object(value):
            self._keys.update(value)
            inner: Iterable[object] = value.values()
        elif isinstance(value, _LISTS):
            inner = value
        else:
            return 1 + len(value) if isinstance(value, str) else 1
        size = 0
        for each in inner:  # which are texts most often, and are told here faster than by a call for each
            if type(each) is str:
                size += 1 + len(each)
            else:
                size += 1 if each is None else self._count(each)
        self._of[id(value)] = size
        return size

    def has_key(self, keys: tuple[str, ...]) -> bool:
        """Return whether an object has one of some keys, or one that begins as those do that end with a dot."""
        if not keys or not self._keys.isdisjoint(keys):
            return True
        beginnings = tuple(key for key in keys if key.endswith("."))
        return bool(beginnings) and any(isinstance(key, str) and key.startswith(beginnings) for key in self._keys)

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
