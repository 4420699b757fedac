"""Calls as values, planned and executed, and a JSON value as a call, in any provider's or a plain way to write one.

{"type": "function", "function": {"name": "f", "arguments": "{\\"x\\": 1}"}}       OpenAI chat
{"type": "function_call", "name": "f", "arguments": "{...}", "call_id": "c1"}     OpenAI Responses
{"type": "tool_use", "id": "t1", "name": "f", "input": {"x": 1}}                  Anthropic
{"functionCall": {"name": "f", "args": {"x": 1}}}                                 Gemini, ADK
{"toolUse": {"toolUseId": "t1", "name": "f", "input": {"x": 1}}}                  Bedrock
{"method": "tools/call", "params": {"name": "f", "arguments": {"x": 1}}}          MCP
{"name": "f", "args": {"x": 1}, "id": "c1"}                                       LangChain
{"action": "f", "action_input": {"x": 1}}                                         ReAct in JSON
{"name": "f", "arguments": {"x": "$var1.y$"}, "label": "var2"}                    NESTFUL
{"task": "f", "arguments": [{"name": "x", "value": 1}]}                           TaskBench

The keys stand in one list each; the first that is there counts. The more a key says of what stands under it, the
earlier it comes: ``tool_name`` before ``tool`` before ``name`` before ``action``. Keys are compared as ``spelled``
spells them, so that ``toolName``, ``tool_name`` and ``tool-name`` are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Protocol, TypeGuard

from validator.reading.arguments import Arguments, argument_texts, folded, read_arguments
from validator.reading.plan import Span, Step, Token, Unparsed
from validator.records import dataclass, replace

ENVELOPES = ("function_call", "tool_call", "tool_use", "function", "custom", "tool", "call", "action")
"""An object under one of these is the call itself: ``{"function": {"name": ..., "arguments": ...}}``."""

NAMES = ("tool_name", "function_name", "recipient_name", "tool", "function", "name", "action")

ARGUMENTS = (
    *("arguments", "args", "kwargs", "tool_arguments", "tool_args", "tool_kwargs", "function_args", "raw_arguments"),
    *("input_parameters", "tool_input", "action_input", "parameters", "params", "inputs", "input", "raw_input"),
)

PLAN_NAMES = (
    *(*NAMES, "action_name", "operator", "operation", "command", "op", "predicate", "act"),
    *("task", "api_name", "api", "skill", "primitive", "cmd", "verb", "action_type"),
)
"""In a plan, beside arguments; alone the further ones are words, as in ``{"task": "look for flights"}``."""

PLAN_ARGUMENTS = (*ARGUMENTS, "objects", "object", "operands", "argument", "parameter")

IDENTITIES = ("call_id", "tool_call_id", "tool_use_id", "tool_id", "id")

TIMES = ("timestamp", "time", "ts", "started_at", "start_time", "created_at")
"""When a call was made."""

LABELS = ("label",)
"""What other calls of one list refer to, in NESTFUL: ``$var1.city$``."""

RESULTS = ("result", "output", "tool_output", "tool_result", "observation", "response", "return_value", "raw_output")

_NOT_DONE = frozenset(
    "error output_error failed failure fail timeout timed_out aborted blocked cancelled canceled denied rejected "  # noqa: SIM905
    "skipped".split()
)
"""what a status says of a call that was not done"""
STATUSES = ("status", "state", "outcome")
_FAILURES = {
    **dict.fromkeys(("is_error", "failed", "tool_call_error"), ("true",)),
    **dict.fromkeys(("success", "succeeded", "ok", "executed"), ("false",)),
    **dict.fromkeys(STATUSES, _NOT_DONE),
}
"""key -> what its value says where a call failed"""
ERRORS = ("error", "errors", "exception", "error_message", "error_text", "exit_code", "return_code", "returncode")
NOTHING = ("-", "–", "—", "null", "none", "n/a")
"""what stands where nothing is said"""
FALSE = ("false", "no", "0", "never", *NOTHING)
DECIMAL = re.compile(r"\d{1,30}+(?:\.\d{1,30}+)?")
"""a number of times and durations"""

RESULT_TYPES = frozenset(
    (
        *("tool_result", "tool_output", "tool_return", "tool_call_result", "tool_call_output", "observation"),
        *("function_call_output", "function_response", "function_result", "custom_tool_call_output"),
        *("mcp_tool_result", "server_tool_result", "web_search_tool_result", "local_shell_call_output"),
    )
)
"""Types of objects that answer a call; an object under such a key is a result as well."""

DECLARING = (
    *("tools", "available_tools", "tool_definitions", "function_declarations", "functions", "tool_schemas"),
    *("tool_specs", "agent_tools"),
)
"""Lists under these declare tools, as far as their members do."""

DECLARED_INPUTS = (
    *("parameters", "input_schema", "args_schema", "input_parameters", "parameters_json_schema"),
    *("query_parameters", "path_parameters", "arguments"),
)

DECLARED_OUTPUTS = ("output_parameters", "output_parameter", "output_schema", "returns")


MOST_TOLD = 20
"""pieces that were not understood, of one kind, which are told"""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(maxsize=4096)
def spelled(key: str) -> str:
    """Return a key as these lists write it: ``inputParameters`` and ``input-parameters`` as ``input_parameters``."""
    return _HUMP.sub("_", key).replace("-", "_").replace(" ", "_").lower()


def by_spelling(value: Mapping[str, object]) -> dict[str, object]:
    """Return an object with its keys spelled."""
    return {spelled(str(key)): each for key, each in value.items()}


def pick(value: Mapping[str, object], keys: Sequence[str]) -> str | None:
    """Return the key of an object that comes first in a list of keys, as the object writes it; None without one.

    A key with the value None is there only where no other one is.
    """
    written = {spelled(str(key)): key for key in value}
    found = first_of({name: value[key] for name, key in written.items()}, keys)
    return None if found is None else written[found]


def first_of(fields: Mapping[str, object], keys: Sequence[str]) -> str | None:
    """Return the same for an object whose keys are spelled already."""
    empty = None
    for key in keys:
        if key in fields:
            if fields[key] is not None:
                return key
            empty = empty or key
    return empty


def first_value(own: Mapping[str, object], keys: Iterable[str]) -> object:
    """Return the first value that is there, of some keys in their order; None without one."""
    return next((own[key] for key in keys if own.get(key) is not None), None)


def first_text(own: Mapping[str, object], keys: Iterable[str]) -> str | None:
    """Return the first value that is a text; None without one."""
    return next((each for key in keys if isinstance(each := own.get(key), str)), None)


def failure(fields: Mapping[str, object]) -> object:
    """Return what an object with spelled keys says that went wrong: True where it says no more, None for nothing."""
    is_failed = any(
        spelled(str(fields[key]).strip().lower()) in words
        for key, words in _FAILURES.items()
        if key in fields and isinstance(fields[key], str | bool)
    )
    return next((fields[key] for key in ERRORS if fields.get(key)), None) or is_failed or None


_OF_SCHEMAS = frozenset("type properties required additionalProperties title description $schema $id $defs".split())  # noqa: SIM905
_OF_PROPERTIES = frozenset("type enum const anyOf oneOf allOf $ref items properties".split())  # noqa: SIM905


def is_schema(value: object) -> bool:
    """Return whether a value is a JSON schema of an object: what declares parameters, and gives none.

    An argument may be called ``properties`` too: what it holds is no schema of properties, or stands beside others.
    """
    if not is_object(value):
        return False
    kind, inner = value.get("type"), value.get("properties")
    is_of_object = isinstance(kind, str) and kind.lower() == "object"
    if not is_object(inner):
        return is_of_object and value.keys() <= _OF_SCHEMAS
    if "type" in value:
        return is_of_object or isinstance(kind, list)
    are_properties = all(is_object(each) and not (each and _OF_PROPERTIES.isdisjoint(each)) for each in inner.values())
    return are_properties and value.keys() <= _OF_SCHEMAS


_PLAIN = frozenset((str, int, float, bool, type(None), list, tuple))


def is_object(value: object) -> TypeGuard[Mapping[str, object]]:
    """Return whether a value is an object; asked of every value of a trace, so that the common types come first."""
    kind = type(value)
    return kind is dict or (kind not in _PLAIN and isinstance(value, Mapping))


def is_declaration(fields: Mapping[str, object]) -> bool:
    """Return whether an object, its keys spelled, declares a tool: it has a schema where arguments would stand."""
    inner = fields.get("function")
    if is_object(inner):
        fields = by_spelling(inner)
    for key in DECLARED_INPUTS:
        if key in fields and (is_schema(fields[key]) or _is_table(fields[key])):
            return True
    return "description" in fields and "name" in fields and first_of(fields, ARGUMENTS) is None


_TYPES = frozenset(("string", "number", "integer", "boolean", "array", "object"))


def _is_table(value: object) -> bool:
    """Return whether a value is a table of parameters, each with the type that it has: ``{city: {type: string}}``."""
    if not is_object(value) or not value:
        return False
    return all(is_object(each) and str(each.get("type")) in _TYPES for each in value.values())


# --- calls ---------------------------------------------------------------------------------------

_ANSWERS = frozenset(("function_response", "tool_result"))
_ENVELOPES = frozenset(ENVELOPES)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequest:
    """A call that was asked for. ``given`` is the value of its arguments as it stands; None where there is none.

    ``time`` is when it was made, as it is written.
    """

    name: str
    given: object = None
    call_id: str | None = None
    label: str | None = None
    time: object = None

    @property
    def arguments(self) -> Arguments | None:
        """Return the arguments as values with names and types; None where they are not known."""
        return read_arguments(self.given)


def read_object(value: object, *, is_plan: bool = False) -> CallRequest | str:
    """Return the call that a JSON object is, or why it is none; ``is_plan`` knows the keys of planners as well."""
    if not is_object(value):
        return "it is not an object"
    fields = by_spelling(value)
    if fields.get("method") == "tools/call" and is_object(fields.get("params")):
        found = read_object(fields["params"])
        return found if isinstance(found, str) else _within(fields, found)
    kind = fields.get("type")
    if isinstance(kind, str) and spelled(kind) in RESULT_TYPES:
        return "it is the result of a call"
    objects = {key for key, each in fields.items() if is_object(each)}
    if not _ANSWERS.isdisjoint(objects):
        return "it is the result of a call"
    if (objects or "description" in fields) and is_declaration(fields):
        return "it declares a tool"
    for key in () if _ENVELOPES.isdisjoint(objects) else ENVELOPES:
        if key in objects and not isinstance(found := read_object(fields[key], is_plan=is_plan), str):
            return _within(fields, found)
    given = first_of(fields, PLAN_ARGUMENTS if is_plan else ARGUMENTS)
    given = "request" if given is None and "request" in objects else given  # as a text, it may be what the user asked
    for key in PLAN_NAMES if is_plan and given is not None else NAMES:
        name = fields.get(key)
        if isinstance(name, str) and (name := name.strip()):
            return _within(fields, CallRequest(name=name, given=None if given is None else fields[given]))
    return "it has no name of a tool"


FURTHER = re.compile(
    r"(?:and_)?(?:then|finally|lastly|afterwards?|subsequently|thereafter|after_that)|followed_by|next(?:_(?:step|action|move)s?)?"
    r"|fallbacks?|otherwise|else|on_(?:error|failure|success)|if_(?:it_)?fails"
)
"""a key of a step, or beside a list of steps, whose value may tell a further step"""
_EDITS = ("remove", "delete", "drop", "replace", "move", "copy", "test", "undo")
"""what ``op`` says of a change to a plan that adds no step (RFC 6902)"""


def further(fields: Mapping[str, object]) -> Iterator[str]:
    """Yield the keys by which an object, its keys spelled, may ask for more than the calls that it is or holds.

    It is one of ``FURTHER``, one under which a call stands, or one that says that a call is none of a plan.
    """
    for key, value in fields.items():
        members = value if isinstance(value, list) else [value]
        if FURTHER.fullmatch(key):
            is_more = isinstance(value, str | list | Mapping) and bool(value)
        elif key == "op":
            is_more = value in _EDITS and any(name in fields for name in PLAN_NAMES if name != key)
        else:
            is_more = key not in _NO_FURTHER and any(map(_is_call, members))
        if is_more:
            yield key


_NO_FURTHER = frozenset((*PLAN_ARGUMENTS, "request", *RESULTS, *DECLARING, *ENVELOPES, "metadata"))


def _is_call(value: object) -> bool:
    found = read_object(value, is_plan=True) if is_object(value) else ""
    return isinstance(found, CallRequest) and found.given is not None


def _within(fields: Mapping[str, object], found: CallRequest) -> CallRequest:
    """Return a call with the identity, the label and the time that an object gives it, if it has none yet."""
    identity, label = first_value(fields, IDENTITIES), fields.get(LABELS[0])
    return replace(
        found,
        call_id=found.call_id or (None if identity is None else str(identity)),
        label=found.label or (label if isinstance(label, str) else None),
        time=first_value(fields, TIMES) if found.time is None else found.time,
    )


# --- planned and executed ------------------------------------------------------------------------


class CallKind(StrEnum):
    """What a record of a trace stands for."""

    TOOL = "tool"
    NESTED = "nested"
    """a tool that another tool called: part of that one, unless the plan names it"""
    RETRIEVER = "retriever"
    """a retrieval: counts as a step when the plan names it"""
    PLAN = "plan"
    """the call that states the plan: no step of it"""
    PROGRAM = "program"
    """a program that calls tools, handed to an interpreter: the calls that it makes are steps, and it is none"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One executed call as a trace records it.

    ``index`` counts all calls of the trace from 0. ``arguments`` None means that the trace does not say; so does
    ``result`` None when ``has_result`` is false. ``error`` is what the trace says went wrong, None when nothing did.
    ``time`` is when it was made, as the trace writes it; None where it does not say. Calls with the same ``batch`` were
    asked for at once and have no order among them. ``parent`` is the name of the agent or tool in which the call was
    made.
    """

    index: int
    name: str
    arguments: Arguments | None = None
    result: object = None
    has_result: bool = False
    error: str | None = None
    call_id: str | None = None
    parent: str | None = None
    batch: int | None = None
    kind: CallKind = CallKind.TOOL
    time: object = None

    def __str__(self) -> str:
        return shown(self.name, self.arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One step of a plan, to be compared with calls.

    ``arguments`` None means that the plan names the tool only. ``token`` is the piece of a plan text that it was read
    from; ``is_readable`` is false for a piece that stands where a step should and cannot be read as one. ``after``
    are the indices of the steps that come before this one in a plan with dependencies; None where the order is that of
    the list.
    """

    index: int
    name: str
    arguments: Arguments | None = None
    batch: int | None = None
    token: Token | None = None
    is_readable: bool = True
    after: tuple[int, ...] | None = None

    def __str__(self) -> str:
        return shown(self.name, self.arguments) if self.is_readable else str(self.token)


class Names:
    """Names as they may be meant: as they are written, else without case, else without their joints."""

    def __init__(self, names: Iterable[str]) -> None:
        self._own = frozenset(names)
        self._folded: dict[str, list[str]] = {}
        for name in sorted(self._own):
            self._folded.setdefault(folded(name), []).append(name)

    def meant(self, name: str) -> tuple[str, ...]:
        """Return the names that may be meant: none, one, or several, of which it is not known which one is."""
        if name in self._own:
            return (name,)
        found = self._folded.get(folded(name), ())
        alike = tuple(each for each in found if each.lower() == name.strip().lower())
        return alike or tuple(found)

    @property
    def one_name(self) -> tuple[str, ...]:
        """Return the first names that nothing but case and joints tells apart, none where there are none."""
        return next((tuple(names) for names in self._folded.values() if len(names) > 1), ())


def shown(name: str, arguments: Arguments | None) -> str:
    """Return a step or call as a step of a plan is shown, ``(name argument key=value)``."""
    return str(as_step(name, arguments))


def as_step(name: str, arguments: Arguments | None) -> Step:
    """Return a step or call as a plan's step; its arguments are texts, with their names where they have any."""
    return Step(name=name, args=tuple(argument_texts(arguments or ())), written=arguments)


class ModelNames(Protocol):
    """The names of a model: a plan text's vocabulary."""

    @property
    def actions(self) -> Mapping[str, int]: ...

    @property
    def parameters(self) -> Mapping[str, tuple[str, ...]]: ...

    @property
    def has_time(self) -> bool: ...

    def step(self, name: str, args: Sequence[str] | Mapping[str, str], span: Span) -> Step | Unparsed: ...


def step_of(name: str, arguments: Arguments | None, names: ModelNames | None, span: Span = (0, 0)) -> Step | Unparsed:
    """Return a call as a step; where a model is known, with its names, in the order of its parameters.

    What it gives beside its arguments by a name may be its duration, and else is not understood.
    """
    if names is None or not names.actions:
        return replace(as_step(name, arguments), span=span)
    step = _named_step(name, arguments or (), names, span)
    if not isinstance(step, Step):
        return step
    known = {spelled(each) for each in names.parameters.get(step.name.lower(), ())}
    given = arguments or ()
    extra = [each for each in given if each.name is not None and spelled(each.name) not in known]
    if not extra or len(given) != names.actions.get(step.name.lower(), len(given)) + len(extra):
        return replace(step, written=arguments)
    said = [spelled(each.name or "") for each in extra]
    if said != ["duration"] or not names.has_time or DECIMAL.fullmatch(extra[0].text) is None:
        reason = f"'{extra[0].name}' is not a parameter of '{step.name}'"
        return Unparsed(text=str(step), reason=reason, span=span)
    kept = tuple(each for each in given if each not in extra)
    step = _named_step(name, kept, names, span)
    return replace(step, written=kept, duration=Fraction(extra[0].text)) if isinstance(step, Step) else step


def _named_step(name: str, given: Arguments, names: ModelNames, span: Span) -> Step | Unparsed:
    named = {each.name: each.text for each in given if each.name is not None}
    is_whole = bool(given) and len(named) == len(given)
    return names.step(name, named if is_whole else [each.text for each in given], span)


def is_written_for(arguments: Arguments | None, names: ModelNames | None) -> bool:
    """Return whether a written call may be a step of the model: there, values by position are names of objects."""
    return (
        names is None
        or not names.actions
        or all(
            each.name is not None or (each.is_string is not False and not any(sign in each.text for sign in " ()"))
            for each in arguments or ()
        )
    )
