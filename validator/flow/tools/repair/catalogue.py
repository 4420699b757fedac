"""A catalogue of tools, indexed by what they yield, and names as people write them: how far two differ."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher, get_close_matches
from functools import cached_property

from validator.flow.tools.calls import ToolCall
from validator.flow.tools.schema import Path, Schema, fits, inner
from validator.flow.tools.specifications import Tool
from validator.reading.calls.objects import spelled
from validator.records import dataclass

__all__ = ["CHANGE", "Catalogue", "ask_cost", "is_misspelt", "is_said", "unlike", "words"]

CHANGE = 2
"""a call moved, inserted, renamed; an argument's value, name or field changed"""
_ASK, _ASK_ID = 3, 6
"""a value that the user has to say, beside the change that puts it there; an id, a key, a coordinate"""


@dataclass(frozen=True)
class Catalogue:
    """Tools by the names of what they yield: of a large catalogue, few are looked at."""

    tools: Mapping[str, Tool]

    @cached_property
    def by_field(self) -> dict[str, list[tuple[Tool, Path, Schema]]]:
        """The fields of all results, by the spelled name of the last part of their paths."""
        found: dict[str, list[tuple[Tool, Path, Schema]]] = {}
        for tool in self.tools.values():
            for path, schema in tool.fields:
                found.setdefault(spelled(str(path[-1])), []).append((tool, path, schema))
        return found

    def called(self, name: str) -> Sequence[str]:
        """Return the tools with a name up to case and joints."""
        return self._spelled.get(spelled(name), ())

    @cached_property
    def _spelled(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self.tools:
            found.setdefault(spelled(name), []).append(name)
        return found

    def near(self, name: str) -> Sequence[str]:
        """Return the tools whose names are most like a name, the best one first."""
        if name not in self._found_near:
            self._found_near[name] = self.called(name) or _closest(name, self.tools)
        return self._found_near[name]

    @cached_property
    def _found_near(self) -> dict[str, Sequence[str]]:
        """The answers so far: comparing a name with those of a large catalogue takes long."""
        return {}

    def with_field(self, name: str, wanted: Schema) -> Iterator[tuple[Tool, Path]]:
        """Yield the tools that have a field with the name of an argument, and the way to it."""
        return ((tool, path) for tool, path, schema in self.by_field.get(spelled(name), ()) if fits(schema, wanted))

    def yielding(self, path: Path) -> Iterator[Tool]:
        """Yield the tools that declare a field."""
        for tool, found, _ in self.by_field.get(spelled(str(path[0])), ()) if path else ():
            if found == path[:1] and inner(tool.output, path) is not None:
                yield tool

    def known(self, calls: Sequence[ToolCall]) -> set[str]:
        """Return the spelled names of all that calls are given or yield."""
        found: set[str] = set()
        for call in calls:
            if call.name in self.tools:
                found.update(map(spelled, call.arguments))
                found |= self.tools[call.name].yields
        return found

    def saving(self, names: Collection[str], calls: Sequence[ToolCall]) -> list[tuple[Tool, int, int]]:
        """Return the tools that yield what no user says and need less to be said, with how much of it and the cost."""
        ids = {name for name in names if not is_said(name)}
        tools = {tool.name: tool for name in ids for tool, _, _ in self.by_field.get(name, ())}
        known, found = self.known(calls) if tools else set(), []
        for tool in tools.values():
            gain = tool.yields.intersection(ids) - tool.needs
            cost = CHANGE + sum(map(ask_cost, tool.needs - known))
            if cost < sum(map(ask_cost, gain)):
                found.append((tool, len(gain), cost))
        return found


def _closest(name: str, known: Mapping[str, Tool]) -> list[str]:
    return get_close_matches(name, known, n=5, cutoff=0.6) if len(name) <= 200 else []


# --- names ---------------------------------------------------------------------------------------

_LOOKED_UP = frozenset(("id", "ids", "uuid", "guid", "key", "token", "hash", "coordinates"))
_LOOKED_UP |= {"lat", "latitude", "lon", "lng", "long", "longitude"}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def is_said(name: str) -> bool:
    """Return whether a user can say a value of this name; ids and coordinates other calls yield."""
    words = _WORD.findall(name)
    return not words or words[-1].casefold() not in _LOOKED_UP


def unlike(one: str, other: str) -> float:
    """Return from 0 to 1 how far two names differ; parts of the one that the other has count as alike."""
    one, other = one.casefold(), other.casefold()
    if one == other:
        return 0.0
    if len(one) + len(other) > 400:
        return 1.0
    rest = 1 - SequenceMatcher(None, one, other).ratio()
    return rest / 2 if one in other or other in one else rest


def words(name: str) -> set[str]:
    return {word.casefold().rstrip("s") for word in _WORD.findall(name)}


def is_misspelt(one: str, other: str) -> bool:
    """Return whether two labels are the same word, though not the same; other numbers are other words."""
    letters = ["".join(filter(str.isalpha, each.casefold())) for each in (one, other)]
    digits = ["".join(filter(str.isdigit, each)) for each in (one, other)]
    return digits[0] == digits[1] and unlike(*letters) <= 0.25


def ask_cost(name: str) -> int:
    return _ASK if is_said(name) else _ASK_ID
