"""Where a value that a call is given was seen before: in the results of earlier calls."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from validator.reading.arguments import Argument
from validator.reading.values import canonical

__all__ = ["Seen", "leaves", "telling"]

_SHORTEST = 3
"""characters of a value that is told from others by itself; shorter ones are everywhere"""


def leaves(value: object, *, with_keys: bool = True) -> Iterator[str]:
    """Yield the texts and numbers in a JSON value as texts; a text that is JSON is read."""
    if isinstance(value, str):
        inner = _json(value)
        yield from (value,) if inner is None else leaves(inner, with_keys=with_keys)
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from (str(key),) if with_keys else ()  # which may be an identity, as in {"PAY12": {...}}
            yield from leaves(each, with_keys=with_keys)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from leaves(each, with_keys=with_keys)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield canonical(value)


@lru_cache(maxsize=4096)
def _json(text: str) -> object:
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def telling(argument: Argument) -> tuple[str, ...]:
    """Return the values of an argument that can be recognised: neither short ones nor keys of objects."""
    value = _json(argument.text) if argument.is_string is False else None
    found = [argument.text] if value is None else leaves(value, with_keys=False)
    return tuple(each for each in found if len(each) >= _SHORTEST)


class Seen:
    """The values that the results of a run had so far, with the tools that yielded them."""

    def __init__(self) -> None:
        self._exact: dict[str, set[str]] = {}
        self._texts: list[tuple[str, str]] = []

    def add(self, tool: str, result: object) -> None:
        for leaf in leaves(result):
            self._exact.setdefault(leaf, set()).add(tool)
            if len(leaf.split()) > 1:
                self._texts.append((tool, leaf))

    def sources(self, value: str) -> set[str]:
        """Return the tools of whose results one had a value, alone or as words of a text."""
        found = set(self._exact.get(value, ()))
        if not found and len(value) > _SHORTEST:
            whole = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)")
            found = {tool for tool, text in self._texts if whole.search(text)}
        return found
