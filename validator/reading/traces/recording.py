"""What a trace says: calls, in order, and the texts, statements and tools among which the plan is looked for.

A ``Recorder`` collects it from what a format finds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache

from validator.reading.arguments import Arguments, is_broken
from validator.reading.calls import Call, CallKind, folded
from validator.reading.calls.objects import DECLARED_INPUTS, DECLARING, RESULTS, CallRequest, pick, read_object, spelled
from validator.reading.traces.parts import Answer
from validator.reading.traces.paths import parsed, value_at
from validator.records import dataclass, field, replace
from validator.texts import shortened

__all__ = ["PLAN_FIELDS", "Recorder", "Recording", "Said", "Statement", "Sureness", "folded"]

PLAN_FIELDS = frozenset(("plan", "planned_steps", "plan_steps"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A text of the agent (its answers and its reasoning) or of the user.

    ``before`` is the number of calls made before it, ``role`` is assistant or user.
    """

    text: str
    before: int
    role: str = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A value that states a plan by its place: the ``source`` is a plan tool call or a plan field."""

    source: str
    value: object
    before: int


class Sureness(StrEnum):
    """How sure the reading of a trace is."""

    CERTAIN = "certain"
    """the format is known by its own marks, and accounts for nearly all of the trace"""
    LIKELY = "likely"
    """the format is known, and part of the trace is something else"""
    GUESSED = "guessed"
    """calls were told by their shape alone, or something that looks like one was not understood"""


_CERTAIN_SHARE = 0.8


@dataclass(frozen=True, kw_only=True)
class Recording:
    """A trace as it was read.

    ``tools`` are the declared tools with the parameters that their schemas name; ``read_only`` says whether they change
    nothing, as far as that is declared (MCP's ``readOnlyHint``).
    ``explained`` is the share of the trace, from 0 to 1, that its format accounts for; ``missed`` says what in it looks
    like calls and was not understood. ``says_none`` is true where the trace itself is an empty list of calls.
    """

    format: str
    calls: tuple[Call, ...] = ()
    messages: tuple[Said, ...] = ()
    statements: tuple[Statement, ...] = ()
    task: str | None = None
    tools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    read_only: Mapping[str, bool] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    explained: float = 1.0
    missed: tuple[str, ...] = ()
    is_guessed: bool = False
    says_none: bool = False

    @property
    def said(self) -> tuple[Said, ...]:
        """Return what the agent says."""
        return tuple(each for each in self.messages if each.role == "assistant")

    @property
    def sureness(self) -> Sureness:
        if self.missed or self.is_guessed:
            return Sureness.GUESSED
        return Sureness.CERTAIN if self.explained >= _CERTAIN_SHARE else Sureness.LIKELY


# --- collecting ----------------------------------------------------------------------------------

_PLAN_CALLS = frozenset(
    (
        *("plan", "make_plan", "create_plan", "write_plan", "submit_plan", "set_plan", "propose_plan", "update_plan"),
        *("exit_plan_mode", "exitplanmode", "write_todos", "todo_write", "todowrite"),
    )
)
"""Tools that state a plan, by their folded names."""

_MOST_MISSED = 20


class Recorder:
    """Collects what a reader finds, in the order of the trace."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.messages: list[Said] = []
        self.statements: list[Statement] = []
        self.tools: dict[str, tuple[str, ...]] = {}
        self.read_only: dict[str, bool] = {}
        self.task: str | None = None
        self.format = ""
        self.warnings: list[str] = []
        self.missed: list[str] = []
        self.taken: list[Mapping[str, object]] = []
        self.declarations: list[object] = []
        self.explained = 1.0
        self.is_guessed = False
        self.says_none = False
        self._named: dict[str, list[int]] = {}
        self._alike: dict[tuple[str, Arguments | None], list[int]] = {}
        self._batches = 0

    def recording(self) -> Recording:
        return Recording(
            format=self.format,
            calls=tuple(self.calls),
            messages=tuple(self.messages),
            statements=tuple(self.statements),
            task=self.task,
            tools=self.tools,
            read_only=self.read_only,
            warnings=tuple(dict.fromkeys(self.warnings)),
            explained=self.explained,
            missed=tuple(dict.fromkeys(self.missed)),
            is_guessed=self.is_guessed,
            says_none=self.says_none and not self.calls and not self.missed,
        )

    def take(self, unit: Mapping[str, object]) -> None:
        """Note that the format accounts for an object, which is in none that was taken before."""
        self.taken.append(unit)

    def miss(self, what: str) -> None:
        """Note something that looks like a call and was not understood."""
        if len(self.missed) < _MOST_MISSED:
            self.missed.append(what)

    def join(self, indices: Sequence[int]) -> None:
        """Note that calls were made at once, of which one may be joined with others already."""
        if len(indices) < 2:
            return
        batch = next((each for index in indices if (each := self.calls[index].batch) is not None), None)
        if batch is None:
            self._batches += 1
            batch = self._batches
        for index in indices:
            self.calls[index] = replace(self.calls[index], batch=batch)

    def call(
        self,
        asked: CallRequest,
        *,
        answer: Answer | None = None,
        parent: str | None = None,
        batch: int | None = None,
        kind: CallKind = CallKind.TOOL,
    ) -> int | None:
        """Add a call, with its answer, and return its index; None for one without a name."""
        name, index = asked.name.strip(), len(self.calls)
        if not name:
            self.warnings.append(f"a call without a name was passed over: {_short(asked.given)}")
            return None
        read = None if is_broken(asked.given) else asked.arguments
        if is_broken(asked.given):
            self.miss(f"the arguments of a call of {name}: {_short(asked.given)}")
        if folded(name) in _PLAN_CALLS and kind is not CallKind.NESTED:
            kind = CallKind.PLAN
            self.state("plan tool call", parsed(asked.given))
        self.alias(asked.call_id, index)
        self._alike.setdefault((name, read), []).append(index)
        self.calls.append(
            Call(
                index=index,
                name=name,
                arguments=read,
                call_id=asked.call_id,
                parent=parent,
                batch=batch,
                kind=kind,
                time=asked.time,
            )
        )
        if answer is not None:
            self.result(index, answer)
        return index

    def result(self, index: int, answer: Answer) -> None:
        """Give a call its result; an error of None or False means that it went well."""
        failed = answer.error is not None and answer.error is not False
        said = answer.error if answer.error is not True else "failed" if answer.value is None else answer.value
        error = _short(said) if failed else None
        self.calls[index] = replace(self.calls[index], result=answer.value, has_result=True, error=error)

    def alias(self, call_id: str | None, index: int) -> None:
        """Note an identity of a call."""
        if call_id is not None:
            self._named.setdefault(call_id, []).append(index)

    def of(self, call_id: str | None) -> list[int]:
        """Return the indices of the calls with an identity, in order."""
        return [] if call_id is None else self._named.get(call_id, [])

    def alike(self, asked: CallRequest) -> list[int]:
        """Return the indices of the calls with a name and arguments, in order."""
        return self._alike.get((asked.name, asked.arguments), [])

    def name_of(self, call_id: str) -> str | None:
        """Return the name of the call with an identity; None where there is none."""
        return next((self.calls[index].name for index in self.of(call_id)), None)

    def waits_for(self, call_id: str | None) -> bool:
        """Return whether a call with this identity has no result yet."""
        return any(not self.calls[index].has_result for index in self.of(call_id))

    def say(self, text: object) -> None:
        """Take down what the agent said."""
        if isinstance(text, str) and text.strip():
            self.messages.append(Said(text=text, before=len(self.calls)))

    def ask(self, text: object) -> None:
        """Take down what the user asked; the first request is the task."""
        if isinstance(text, str) and text.strip():
            self.task = text.strip() if self.task is None else self.task
            self.messages.append(Said(text=text, before=len(self.calls), role="user"))

    def state(self, source: str, value: object) -> None:
        self.statements.append(Statement(source=source, value=value, before=len(self.calls)))

    def fields(self, value: Mapping[str, object]) -> set[int]:
        """Take down the plan fields of an object and the tools that it declares; return the ids of the latter."""
        declared: set[int] = set()
        for name, each in value.items():
            means = _meaning(str(name))
            if not means or not each:
                continue
            if means == "plan" and isinstance(each, str | list | Mapping):
                self.state("plan field", each)
            elif means == "tools" and isinstance(each, list) and not any(map(_is_call, each)):
                self.declare(each)
                self.declarations.append(each)
                declared.update(map(id, each))
        return declared

    def declare(self, tools: list[object]) -> None:
        """Take down declared tools: names, or objects with a schema as the chat formats and MCP write them."""
        for tool in tools:
            if isinstance(tool, str):
                self.tools.setdefault(tool, ())
            inner = value_at(tool, _DECLARED)
            name = value_at(inner, "name")
            if isinstance(inner, list):
                self.declare(inner)
            elif isinstance(name, str) and name.strip():
                properties = value_at(inner, _PARAMETERS)
                self.tools[name] = tuple(map(str, properties)) if isinstance(properties, Mapping) else ()
                if isinstance(hint := value_at(inner, "annotations.readOnlyHint"), bool):
                    self.read_only[name] = hint


_DECLARED = "function|tool_spec|function_declarations|"
"""Where in the declaration of a tool its name stands: OpenAI's, Bedrock's, Gemini's, and in itself."""
_PARAMETERS = "|".join(f"{key}.json.properties|{key}.properties" for key in DECLARED_INPUTS)


def _is_call(member: object) -> bool:
    """Return whether a member of a list of tools is a call of one, as Agno lists them: with arguments, and made."""
    call = read_object(member)
    is_made = isinstance(member, Mapping) and pick(member, (*RESULTS, "tool_call_id", "call_id")) is not None
    return is_made and isinstance(call, CallRequest) and call.given is not None


@lru_cache(maxsize=4096)
def _meaning(key: str) -> str:
    """Return whether a plan stands under a key, or declarations of tools do."""
    if folded(key) in PLAN_FIELDS:
        return "plan"
    return "tools" if spelled(key) in DECLARING else ""


def _short(value: object) -> str:
    """Return a value as one line of at most 200 characters."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return shortened(" ".join(text.split()), 200)
