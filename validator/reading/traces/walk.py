"""Walking through the value of a trace: the objects of one kind, how much each holds, and values in texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from validator.reading.arguments import printed_value

__all__ = ["Sizes", "parsed", "units"]

# Concrete types first, and in tuples that are made once: each value of a trace is asked for its type, often.
_OBJECTS = (dict, Mapping)
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
        if isinstance(each, _OBJECTS):
            if is_unit(each):
                yield each
                continue
            outside(each)
            inner: Iterable[object] = each.values()
        else:
            inner = each if isinstance(each, _LISTS) else ()
        waiting.extend(reversed([part for part in inner if not isinstance(part, _PLAIN)]))


class Sizes:
    """The keys of all objects of a value, and how much each holds: a character counts one, and so does any other value.

    Raises RecursionError for what is nested too deeply.
    """

    def __init__(self, value: object) -> None:
        self._of: dict[int, int] = {}
        self._keys: set[object] = set()
        self.whole = self._count(value)

    def _count(self, value: object) -> int:
        if isinstance(value, _OBJECTS):
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
