"""Tool calls as plans: would this list of JSON calls run with these tools?

Tools come as OpenAI functions, as MCP tools, or in the way of NESTFUL (Basu et al. 2024): a name, parameters and output
parameters. A call is ``{"name": ..., "arguments": {...}, "label": "var1"}``; an argument that is ``$var1.city`` (or
``$var1.city$``) stands for an output of the call that has the label, ``$var1`` for its only one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from validator.diff import StepDiff
from validator.edit import Policy
from validator.errors import ModelError, did_you_mean, nearest
from validator.execute import Failure, Kind
from validator.flow.checked import Checked
from validator.flow.diffs import by_calls
from validator.flow.fields import Fields
from validator.flow.model import (
    Flow,
    FlowOptions,
    Goal,
    GoalKind,
    Input,
    ItemState,
    Map,
    MemoryItem,
    Operator,
    Output,
    Slot,
)
from validator.flow.shape import Expanded
from validator.flow.tokens import Call
from validator.plan import Token, Unparsed
from validator.prepared import prepare
from validator.report import Quality, Report
from validator.validate import check

__all__ = ["check_tool_calls", "operators_from_tools"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parameter:
    name: str
    type: str | None = None
    required: bool = True
    values: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tool:
    name: str
    inputs: Mapping[str, _Parameter]
    outputs: Mapping[str, _Parameter]

    @property
    def operator(self) -> Operator:
        return Operator(
            name=self.name,
            inputs=tuple(
                Input(item=f"{self.name}.{each.name}", required=each.required) for each in self.inputs.values()
            ),
            outputs=tuple(Output(item=f"{self.name}.{each.name}") for each in self.outputs.values()),
        )


def operators_from_tools(tools: Iterable[Mapping[str, Any]]) -> tuple[Operator, ...]:
    """Return an operator for each tool; its items are named ``TOOL.PARAMETER``.

    A tool without declared outputs yields ``TOOL.result``. Raises ModelError for what is no tool.
    """
    return tuple(tool.operator for tool in _tools(tools))


def check_tool_calls(
    tools: Iterable[Mapping[str, Any]],
    calls: Iterable[Mapping[str, Any]],
    *,
    goals: Iterable[str] = (),
    quality: Quality | str | None = None,
    repair: bool = True,
    time_limit: float = 30.0,
) -> Report:
    """Say whether calls of tools would run one after the other, and what is wrong with them.

    ``goals`` are tools that are to be called, or outputs (``TOOL.OUTPUT``) that are to be known; without goals the
    quality is SOUND, else VALID. Unknown tools and arguments, missing ones, and references to later calls or to outputs
    that a tool does not have are faults, each with its call. Raises ModelError for tools and calls that cannot be read.
    """
    known = {tool.name: tool for tool in _tools(tools)}
    reading = _Calls(known, [_call(Fields(value, f"calls[{number}]"), number) for number, value in enumerate(calls)])
    wanted = tuple(goals)
    flow = Flow(
        name="tool calls",
        operators=tuple(tool.operator for tool in known.values()),
        goals=((*(_goal(name, known) for name in wanted),),) if wanted else (),
        memory=tuple(MemoryItem(item=name, state=ItemState.KNOWN) for name in reading.literals),
        slots=tuple(Slot(item=each.item, desirability=0) for tool in known.values() for each in tool.operator.outputs),
        maps=tuple(Map(source=source, target=target) for source, target in dict.fromkeys(reading.maps)),
        options=FlowOptions(retries=False, multi_instance=False, map_types=False, lookahead=0),
    )
    expanded = Expanded(tuple(reading.tokens), tuple(reading.origins))
    checked = Checked(flow, expanded, compare_outputs=False, faults=reading.faults)
    report = check(
        prepare(checked.compiled.model),
        None,
        checked.plan,
        quality=quality or (Quality.VALID if wanted else Quality.SOUND),
        policy=Policy.KEEP,
        repair=repair,
        time_limit=time_limit,
    )

    def diffs(found: Iterable[StepDiff], repaired: Sequence[Token]) -> Iterator[StepDiff]:
        return by_calls(found, reading.written, expanded, repaired)

    return checked.report(report, reading.written, diffs, str)


def _goal(name: str, tools: Mapping[str, _Tool]) -> Goal:
    if name in tools:
        return Goal(kind=GoalKind.OPERATOR, subject=name)
    outputs = [f"{tool.name}.{output}" for tool in tools.values() for output in tool.outputs]
    if name not in outputs:
        raise ModelError(f"goals: no tool is or yields '{name}'{did_you_mean(name, (*tools, *outputs))}")
    return Goal(kind=GoalKind.KNOWN, subject=name)


# --- tools ---------------------------------------------------------------------------------------


def _tools(tools: Iterable[Mapping[str, Any]]) -> Iterator[_Tool]:
    seen: set[str] = set()
    for number, value in enumerate(tools):
        outer = Fields(value, f"tools[{number}]")
        fields = Fields(outer.raw("function"), outer.path("function")) if "function" in outer else outer
        name = fields.text("name")
        if name in seen:
            raise ModelError(f"{fields.path('name')}: '{name}' is declared twice")
        seen.add(name)
        inputs = _first(fields, ("parameters", "inputSchema", "input_parameters", "arguments"))
        outputs = _first(fields, ("output_parameters", "output_parameter", "outputSchema", "returns"))
        yielded = dict(_parameters(*outputs)) if outputs else {}
        yield _Tool(
            name=name,
            inputs=dict(_parameters(*inputs)) if inputs else {},
            outputs=yielded or {"result": _Parameter(name="result")},
        )


def _first(fields: Fields, keys: Sequence[str]) -> tuple[Any, str] | None:
    """Return the value of the first key that is there, with its path."""
    return next(((fields.raw(key), fields.path(key)) for key in keys if key in fields), None)


def _parameters(value: object, where: str) -> Iterator[tuple[str, _Parameter]]:
    """Yield the parameters of a JSON schema, of a plain table of parameters, or of a list of them."""
    if isinstance(value, list):
        for number, member in enumerate(value):
            fields = Fields({"name": member} if isinstance(member, str) else member, f"{where}[{number}]")
            name = fields.text("name")
            yield name, _parameter(name, fields, fields.flag("required", True))
        return
    table = Fields(value, where)
    if isinstance(properties := table.raw("properties"), Mapping):
        required = set(table.texts("required"))
        for name, schema in properties.items():
            yield name, _parameter(name, _schema(schema, f"{where}.properties.{name}"), name in required)
        return
    assert isinstance(value, Mapping)
    for name, schema in value.items():
        if name in ("type", "additionalProperties", "$schema", "title", "description") and not isinstance(
            schema, Mapping
        ):
            continue
        fields = _schema(schema, f"{where}.{name}")
        optional = "default" in fields or fields.raw("optional") is True
        yield name, _parameter(name, fields, fields.flag("required", not optional))


def _schema(value: object, where: str) -> Fields:
    return Fields(value if isinstance(value, Mapping) else {"type": value} if isinstance(value, str) else {}, where)


def _parameter(name: str, fields: Fields, required: bool) -> _Parameter:
    kind = fields.raw("type")
    values = fields.raw("enum")
    return _Parameter(
        name=name,
        type=_TYPES.get(kind.lower()) if isinstance(kind, str) else None,
        required=required,
        values=tuple(values) if isinstance(values, list) else (),
    )


_TYPES = {
    **dict.fromkeys(("string", "str", "text"), "string"),
    **dict.fromkeys(("integer", "int"), "integer"),
    **dict.fromkeys(("number", "float", "double"), "number"),
    **dict.fromkeys(("boolean", "bool"), "boolean"),
    **dict.fromkeys(("array", "list"), "array"),
    **dict.fromkeys(("object", "dict"), "object"),
}


# --- calls ---------------------------------------------------------------------------------------

_REFERENCE = re.compile(r"\$([A-Za-z_]\w*)(?:\.([A-Za-z_]\w*)[^$\s]*)?\$?")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    name: str
    arguments: Mapping[str, Any]
    label: str


def _call(fields: Fields, number: int) -> _Call:
    inner = Fields(fields.raw("function"), fields.path("function")) if "function" in fields else fields
    found = _first(inner, ("arguments", "args", "parameters", "input"))
    arguments = {} if found is None else found[0]
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            raise ModelError(f"{inner.path('arguments')}: not JSON: {arguments[:60]!r}") from None
    if not isinstance(arguments, Mapping):
        raise ModelError(f"{inner.path('arguments')}: an object of arguments was expected")
    label = fields.text("label", "") or f"var{number + 1}"
    return _Call(name=inner.text("name"), arguments=arguments, label=label.strip("$ "))


@dataclass
class _Calls:
    """Turns calls into the tokens of a flow: what is mapped to each parameter, then the call."""

    tools: Mapping[str, _Tool]
    calls: Sequence[_Call]
    tokens: list[Token] = field(default_factory=list)
    origins: list[int] = field(default_factory=list)
    written: list[Token] = field(default_factory=list)
    literals: dict[str, None] = field(default_factory=dict)
    maps: list[tuple[str, str]] = field(default_factory=list)
    faults: dict[int, tuple[Failure, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.labels = {call.label: number for number, call in reversed(list(enumerate(self.calls)))}
        for number, call in enumerate(self.calls):
            shown = Call(
                name=call.name,
                args=tuple(f"{name}={_shown(value)}" for name, value in call.arguments.items()),
                outputs=(call.label,),
            )
            self.written.append(shown)
            faults = tuple(self._faults(number, call))
            if faults:
                self.faults[len(self.tokens)] = faults
                reason = "not a call that the tools allow"
                self._add(Unparsed(text=str(shown), reason=reason, reading=Call(name=" ")), number)
            else:
                self._translate(number, call)
        for tool in self.tools.values():
            self.maps += self._namesakes(tool)

    def _add(self, token: Token, number: int) -> None:
        self.tokens.append(token)
        self.origins.append(number)

    def _translate(self, number: int, call: _Call) -> None:
        tool = self.tools[call.name]
        for name, value in call.arguments.items():
            target = f"{tool.name}.{name}"
            sources = [self._output(label, output) for label, output in self._references(value)]
            if not sources:
                sources = [f"{_shown(value)} for {target}"]
                self.literals[sources[0]] = None
            for source in sources:
                self.maps.append((source, target))
                self._add(Call(name="map", args=(source, target)), number)
        args = tuple(f"{tool.name}.{name}" for name in tool.inputs if name in call.arguments)
        self._add(replace(Call(name=tool.name, args=args), outputs=()), number)

    def _namesakes(self, tool: _Tool) -> Iterator[tuple[str, str]]:
        """Yield the outputs of other tools that have the name of an input: what a repair may use for it."""
        for name in tool.inputs:
            for other in self.tools.values():
                if name in other.outputs and other is not tool:
                    yield f"{other.name}.{name}", f"{tool.name}.{name}"

    # --- references ----------------------------------------------------------------------------

    def _references(self, value: object) -> list[tuple[str, str | None]]:
        """Return the labels and outputs that a value refers to; a text that is no more than a reference always does."""
        if isinstance(value, str):
            whole = _REFERENCE.fullmatch(value.strip())
            found = [whole] if whole else list(_REFERENCE.finditer(value))
            return [(match[1], match[2]) for match in found if whole or match[1] in self.labels]
        members = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
        return [reference for member in members for reference in self._references(member)]

    def _output(self, label: str, output: str | None) -> str:
        tool = self.tools[self.calls[self.labels[label]].name]
        return f"{tool.name}.{output or next(iter(tool.outputs))}"

    # --- faults --------------------------------------------------------------------------------

    def _faults(self, number: int, call: _Call) -> Iterator[Failure]:
        tool = self.tools.get(call.name)
        if tool is None:
            near = nearest(call.name, self.tools)
            yield Failure(step=number, kind=Kind.UNKNOWN_ACTION, detail=call.name, nearest=near)
            return
        for name, parameter in tool.inputs.items():
            if parameter.required and name not in call.arguments:
                yield self._wrong(number, f"{call.name} needs the argument '{name}'")
        for name, value in call.arguments.items():
            if name not in tool.inputs:
                near = did_you_mean(name, tool.inputs)
                yield self._wrong(number, f"{call.name} has no argument '{name}'{near}")
            else:
                yield from self._faulty_value(number, call, tool.inputs[name], value)

    def _faulty_value(self, number: int, call: _Call, parameter: _Parameter, value: object) -> Iterator[Failure]:
        references = self._references(value)
        for label, output in references:
            yield from self._faulty_reference(number, label, output)
        if not references and not _has_type(value, parameter.type):
            detail = f"{call.name} takes {parameter.type} for '{parameter.name}', got {_shown(value)}"
            yield Failure(step=number, kind=Kind.WRONG_TYPE, detail=detail)
        elif not references and parameter.values and value not in parameter.values:
            allowed = ", ".join(map(_shown, parameter.values))
            detail = f"{call.name} takes one of {allowed} for '{parameter.name}', got {_shown(value)}"
            yield self._wrong(number, detail)

    def _faulty_reference(self, number: int, label: str, output: str | None) -> Iterator[Failure]:
        place = self.labels.get(label)
        if place is None:
            yield self._wrong(number, f"no call has the label '{label}'{did_you_mean(label, self.labels)}")
        elif place >= number:
            which = "this call itself" if place == number else f"call {place + 1}, which comes later"
            yield self._wrong(number, f"'${label}' is the result of {which}")
        elif (tool := self.tools.get(self.calls[place].name)) is None:
            return
        elif output is not None and output not in tool.outputs:
            yields = ", ".join(tool.outputs)
            near = did_you_mean(output, tool.outputs)
            yield self._wrong(number, f"'${label}.{output}': {tool.name} yields {yields}{near}")
        elif output is None and len(tool.outputs) > 1:
            yield self._wrong(number, f"'${label}': {tool.name} yields {', '.join(tool.outputs)}; say which")

    def _wrong(self, number: int, detail: str) -> Failure:
        return Failure(step=number, kind=Kind.WRONG_ARGUMENT, detail=detail)


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if not isinstance(value, str) or "$" not in value else value


def _has_type(value: object, kind: str | None) -> bool:
    """Return whether a JSON value has a type of JSON schema; a type that is not known admits everything."""
    match kind:
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, Mapping)
    return True
