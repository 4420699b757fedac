"""Which tools yield a field: an index of the catalogue, made once for a repair, so that few tools are looked at."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from validator.flow.tools.declared.fitting import Path, fits, inner, leaves
from validator.flow.tools.declared.schema import Schema
from validator.flow.tools.declared.specifications import Tool
from validator.reading.calls.objects import spelled

__all__ = ["Catalogue"]


class Catalogue:
    """Tools, and those of them that yield a field of a name."""

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self.tools = tools
        self._near: dict[str, tuple[str, ...]] = {}
        self._known: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    @cached_property
    def _outputs(self) -> dict[str, list[Tool]]:
        """The tools by the names of what they yield, without what is inside it."""
        found: dict[str, list[Tool]] = {}
        for tool in self.tools.values():
            for name in tool.outputs:
                found.setdefault(name, []).append(tool)
        return found

    @cached_property
    def _leaves(self) -> dict[str, list[tuple[Tool, Path, Schema]]]:
        """The tools with the paths to their fields, by the spelled name of the last part."""
        found: dict[str, list[tuple[Tool, Path, Schema]]] = {}
        for tool in self.tools.values():
            for path, schema in leaves(tool.output):
                found.setdefault(spelled(str(path[-1])), []).append((tool, path, schema))
        return found

    @cached_property
    def _spelled(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self.tools:
            found.setdefault(spelled(name), []).append(name)
        return found

    def producers(self, path: Path) -> Iterator[Tool]:
        """Yield the tools that declare a field."""
        for tool in self._outputs.get(str(path[0]), ()) if path else ():
            if inner(tool.output, path) is not None:
                yield tool

    def namesakes(self, name: str, wanted: Schema) -> Iterator[tuple[Tool, Path]]:
        """Yield the tools that have a field with the name of an argument, and the way to it."""
        for tool, path, schema in self._leaves.get(spelled(name), ()):
            if fits(schema, wanted):
                yield tool, path

    def yields(self, tool: Tool) -> frozenset[str]:
        """Return the spelled names of all fields of a tool's result."""
        return self._names(tool)[0]

    def needs(self, tool: Tool) -> frozenset[str]:
        """Return the spelled names of the arguments without which a tool cannot be called."""
        return self._names(tool)[1]

    def _names(self, tool: Tool) -> tuple[frozenset[str], frozenset[str]]:
        if tool.name not in self._known:
            yielded = frozenset(spelled(str(path[-1])) for path, _ in leaves(tool.output))
            self._known[tool.name] = yielded, frozenset(spelled(n) for n, each in tool.inputs.items() if each.required)
        return self._known[tool.name]

    def yielding(self, names: Collection[str]) -> list[Tool]:
        """Return the tools that have a field with one of some spelled names."""
        found = {tool.name: tool for name in names for tool, _, _ in self._leaves.get(name, ())}
        return list(found.values())

    def called(self, name: str) -> tuple[str, ...]:
        """Return the tools with a name up to case and joints."""
        return tuple(self._spelled.get(spelled(name), ()))

    def near(self, name: str) -> tuple[str, ...]:
        """Return the tools whose names are most like a name, the best one first."""
        if name not in self._near:
            same = self.called(name)
            found = [] if same or len(name) > 200 else _closest(name, self.tools)
            self._near[name] = (*same, *found)
        return self._near[name]


def _closest(name: str, known: Mapping[str, Tool]) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(name, known, n=5, cutoff=0.6)
