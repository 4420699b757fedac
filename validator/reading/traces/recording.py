"""What a trace says: calls, in order, and the texts, statements and tools among which the plan is looked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from validator.reading.calls import Call, CallKind, folded, read_arguments

__all__ = ["Recorder", "Recording", "Said", "Statement", "folded", "units"]

_PLAN_CALLS = frozenset(
    (
        "plan",
        "make_plan",
        "create_plan",
        "write_plan",
        "submit_plan",
        "set_plan",
        "propose_plan",
        "update_plan",
        "exit_plan_mode",
        "exitplanmode",
        "write_todos",
        "todo_write",
        "todowrite",
    )
)
"""Tools that state a plan, by their folded names."""

PLAN_FIELDS = frozenset(("plan", "planned_steps", "plan_steps"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A text of the agent (its answers and its reasoning); ``before`` is the number of calls made before it."""

    text: str
    before: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A value that states a plan by its place: the ``source`` is a plan tool call or a plan field."""

    source: str
    value: object
    before: int


@dataclass(frozen=True, kw_only=True)
class Recording:
    """A trace as it was read. ``tools`` are the declared tools with the parameters that their schemas name."""

    format: str
    calls: tuple[Call, ...] = ()
    said: tuple[Said, ...] = ()
    statements: tuple[Statement, ...] = ()
    task: str | None = None
    tools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class Recorder:
    """Collects what a reader finds, in the order of the trace."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.said: list[Said] = []
        self.statements: list[Statement] = []
        self.tools: dict[str, tuple[str, ...]] = {}
        self.task: str | None = None
        self.format = ""
        self.warnings: list[str] = []
        self._open: dict[str, list[int]] = {}
        self._seen: set[tuple[object, ...]] = set()
        self._batches = 0

    def recording(self) -> Recording:
        return Recording(
            format=self.format,
            calls=tuple(self.calls),
            said=tuple(self.said),
            statements=tuple(self.statements),
            task=self.task,
            tools=self.tools,
            warnings=tuple(self.warnings),
        )

    def batch(self) -> int:
        """Return the number of a new set of calls without order."""
        self._batches += 1
        return self._batches

    def call(
        self,
        name: object,
        arguments: object = None,
        *,
        call_id: object = None,
        parent: str | None = None,
        batch: int | None = None,
        kind: CallKind = CallKind.TOOL,
    ) -> int | None:
        """Add a call and return its index; None for one without a name, or with the identity of an earlier one.

        Logs of chats repeat their history with each request: an identity that comes back with the same content is the
        same call.
        """
        if not isinstance(name, str) or not name.strip():
            self.warnings.append(f"a call without a name was passed over: {_short(name)}")
            return None
        read = read_arguments(arguments)
        identity = None if call_id is None else str(call_id)
        if identity is not None:
            key = (identity, name, read)
            if key in self._seen:
                return None
            self._seen.add(key)
            self._open.setdefault(identity, []).append(len(self.calls))
        if folded(name) in _PLAN_CALLS:
            kind = CallKind.PLAN
            value = arguments
            if isinstance(arguments, str):
                try:
                    value = json.loads(arguments)
                except (ValueError, RecursionError):
                    value = arguments
            self.state("plan tool call", value)
        index = len(self.calls)
        self.calls.append(
            Call(
                index=index,
                name=name.strip(),
                arguments=read,
                call_id=identity,
                parent=parent,
                batch=batch,
                kind=kind,
            )
        )
        return index

    def result(self, index: int | None, result: object, error: object = None) -> None:
        """Give a call its result; an ``error`` of None or False means that it went well."""
        if index is None:
            return
        said = None if error is None or error is False else _short(result if error is True else error)
        self.calls[index] = replace(self.calls[index], result=result, has_result=True, error=said)

    def answer(self, call_id: object, result: object, error: object = None, name: object = None) -> None:
        """Give a result to the call with an identity; without one, to the last open call of that name."""
        if call_id is not None:
            waiting = self._open.get(str(call_id), [])
            index = next((index for index in waiting if not self.calls[index].has_result), None)
            if index is None and not waiting:
                self.warnings.append(f"a result answers no call: {_short(call_id)}")
        else:
            index = next(
                (
                    call.index
                    for call in reversed(self.calls)
                    if not call.has_result and call.call_id is None and name in (None, call.name)
                ),
                None,
            )
            if index is None:
                self.warnings.append("a result without the identity of its call was passed over")
        self.result(index, result, error)

    def waits_for(self, call_id: object) -> bool:
        """Return whether a call with this identity has no result yet."""
        return any(not self.calls[index].has_result for index in self._open.get(str(call_id), ()))

    def say(self, text: object) -> None:
        """Take down what the agent said."""
        if isinstance(text, str) and text.strip():
            self.said.append(Said(text=text, before=len(self.calls)))

    def ask(self, text: object) -> None:
        """Take down what the user asked; the first request is the task."""
        if self.task is None and isinstance(text, str) and text.strip():
            self.task = text.strip()

    def state(self, source: str, value: object) -> None:
        self.statements.append(Statement(source=source, value=value, before=len(self.calls)))

    def fields(self, value: Mapping[str, object]) -> set[int]:
        """Take down the plan fields of an object and the tools that it declares; return the ids of the latter."""
        declared: set[int] = set()
        for name, each in value.items():
            key = folded(str(name))
            if key in PLAN_FIELDS and isinstance(each, str | list | Mapping) and each:
                self.state("plan field", each)
            elif key in ("tools", "available_tools", "availabletools") and isinstance(each, list):
                self.declare(each)
                declared.update(map(id, each))
        return declared

    def declare(self, tools: list[object]) -> None:
        """Take down declared tools: names, or objects with a schema as the chat formats and MCP write them."""
        for tool in tools:
            if isinstance(tool, str):
                self.tools.setdefault(tool, ())
            elif isinstance(tool, Mapping):
                inner = tool.get("function")
                spec = inner if isinstance(inner, Mapping) else tool
                if isinstance(name := spec.get("name"), str) and name.strip():
                    self.tools[name] = _parameters(spec)


def _parameters(spec: Mapping[str, object]) -> tuple[str, ...]:
    for key in ("parameters", "input_schema", "inputSchema"):
        schema = spec.get(key)
        properties = schema.get("properties") if isinstance(schema, Mapping) else None
        if isinstance(properties, Mapping):
            return tuple(map(str, properties))
    return ()


def _short(value: object) -> str:
    """Return a value as one line of at most 200 characters."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    line = " ".join(text.split())
    return line if len(line) <= 200 else f"{line[:199]}…"


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
