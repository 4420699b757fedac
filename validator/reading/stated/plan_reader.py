"""Plans as values: the steps of lists, objects and texts, by grammar and never by guess."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from validator.reading.calls import Argument, Planned, read_arguments
from validator.reading.plan import Step, Unparsed
from validator.reading.stated.items import Known, list_items, read_item
from validator.reading.traces.recording import folded

__all__ = ["INSIDE", "TOOLS", "PlanReader", "Written"]


class Written(Protocol):
    """How the plans of a model are written that has a way of its own."""

    def lines(self, text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the lines of a plan text, and warnings of what was passed over."""

    def steps(self, line: str) -> tuple[Planned, ...]:
        """Return the steps of one line, without their places; none when it is not written in this way."""


INSIDE = ("plan", "steps", "todos", "tasks", "actions", "items", "planned_steps", "plan_steps", "calls", "tool_calls")
TOOLS = ("tool", "tool_name", "toolName", "name", "function", "action")
_ARGUMENTS = ("arguments", "args", "input_parameters", "inputParameters", "parameters", "params", "input", "tool_input")
_WORDS = ("step", "content", "description", "task", "title", "text", "activeForm", "name", "action")
_NUMBERED = re.compile(r"(?:step[ _-]?)?(\d+)", re.IGNORECASE)


class PlanReader:
    """Reads the steps of one plan value: lists, objects and texts; what names no tool is kept as unreadable."""

    def __init__(self, known: Known, written: Written | None = None) -> None:
        self.known = known
        self.written = written
        self.steps: list[Planned] = []
        self.batches = 0

    def read(self, value: object, batch: int | None = None) -> None:
        if isinstance(value, str):
            self._text(value, batch)
        elif isinstance(value, Mapping):
            self._object(value, batch)
        elif isinstance(value, Step):
            self._add(value.name, tuple(Argument(None, arg) for arg in value.args), batch)
        elif isinstance(value, Sequence):
            for each in value:
                if isinstance(each, str):
                    self._item(each, batch)
                elif isinstance(each, list | tuple):
                    self.batches += 1
                    self.read(each, self.batches)
                else:
                    self.read(each, batch)
        else:
            self._unreadable(json.dumps(value, default=str), batch)

    def _object(self, value: Mapping[str, object], batch: int | None) -> None:
        inner = value.get("function")
        spec = inner if isinstance(inner, Mapping) else value
        tool = next((spec[key] for key in TOOLS if isinstance(spec.get(key), str)), None)
        given = [key for key in _ARGUMENTS if key in spec]
        if isinstance(tool, str) and (given or folded(tool) in self.known or "tool" in value or "tool_name" in value):
            self._add(tool.strip(), read_arguments(spec[given[0]]) if given else None, batch)
            return
        inside = next((value[key] for key in INSIDE if isinstance(value.get(key), list | Mapping)), None)
        words = next((value[key] for key in (*_WORDS, *INSIDE) if isinstance(value.get(key), str)), None)
        numbered = [each for key, each in value.items() if _NUMBERED.fullmatch(str(key))]
        if inside is not None:
            self.read(inside, batch)
        elif isinstance(words, str):
            whole = "\n" in words or any(key in value for key in INSIDE)
            (self._text if whole else self._item)(words, batch)
        elif numbered:
            for each in numbered:
                self._item(each, batch) if isinstance(each, str) else self.read(each, batch)
        else:
            self._unreadable(json.dumps(value, default=str, ensure_ascii=False), batch)

    def _text(self, text: str, batch: int | None) -> None:
        """Read a text that is a plan: JSON, a numbered list, or a line a step."""
        if text.lstrip()[:1] in ("[", "{"):
            try:
                self.read(json.loads(text), batch)
                return
            except (ValueError, RecursionError):
                pass
        items = list_items(text, headed=False)
        if not items:
            lines = (line.strip().lstrip("-*•+").strip() for line in text.splitlines())
            items = [line for line in lines if line and not line.endswith(":")]
        if len(items) == 1 and items[0].count(",") and "(" not in items[0]:
            pieces = [piece.strip() for piece in items[0].split(",")]
            if all(" " not in piece for piece in pieces):
                items = pieces
        for item in items:
            self._item(item, batch)

    def _item(self, text: str, batch: int | None) -> None:
        own = self.written.steps(text) if self.written is not None else ()
        if own:
            self.steps += (replace(step, index=index, batch=batch) for index, step in enumerate(own, len(self.steps)))
            return
        found = read_item(text, self.known)
        for name, arguments in found:
            self._add(name, arguments, batch)
        if not found and text.strip():
            self._unreadable(text, batch)

    def _add(self, name: str, arguments: object, batch: int | None) -> None:
        read = arguments if isinstance(arguments, tuple) else None
        self.steps.append(Planned(index=len(self.steps), name=name, arguments=read, batch=batch))

    def _unreadable(self, text: str, batch: int | None) -> None:
        token = Unparsed(text=" ".join(text.split()), reason="it names no tool")
        self.steps.append(Planned(index=len(self.steps), name=token.text, batch=batch, token=token, is_readable=False))
