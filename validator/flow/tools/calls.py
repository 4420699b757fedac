"""Calls of tools as the tokens of a flow, and what is wrong with each before anything is executed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from validator.errors import ModelError, did_you_mean, nearest
from validator.execution.simulator import Failure, Kind
from validator.flow.compiled.names import NO_STEP
from validator.flow.plans.tokens import Call
from validator.flow.tools.specifications import Parameter, Tool
from validator.reading.calls import read_arguments
from validator.reading.calls.objects import read_object
from validator.reading.fields import Fields, members
from validator.reading.plan import Token, Unparsed

__all__ = ["ToolCall", "ToolCalls", "read_calls"]

_REFERENCE = re.compile(r"\$([A-Za-z_]\w*)(?:\.([A-Za-z_]\w*)[^$\s]*)?\$?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    name: str
    arguments: Mapping[str, Any]
    label: str


def read_calls(calls: Iterable[Mapping[str, Any]]) -> list[ToolCall]:
    """Return the calls of a list. Raises ModelError for what is none."""
    return [_call(value, where, number) for number, (where, value) in enumerate(members(calls, "calls"))]


def _call(value: object, where: str, number: int) -> ToolCall:
    if not isinstance(value, Mapping):
        Fields(value, where)  # which says what was expected
    call = read_object(value)
    if isinstance(call, str):
        raise ModelError(f"{where}.name: {call}")
    arguments = {} if call.given is None else call.given
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            raise ModelError(f"{where}: the arguments are not JSON: {arguments[:60]!r}") from None
    if isinstance(arguments, list):
        named = read_arguments(arguments) or ()
        if all(each.name is not None for each in named):
            arguments = {each["name"]: each["value"] for each in arguments}
    if not isinstance(arguments, Mapping):
        raise ModelError(f"{where}: an object of arguments was expected, not {str(arguments)[:60]!r}")
    return ToolCall(name=call.name, arguments=arguments, label=(call.label or f"var{number + 1}").strip("$ "))


@dataclass
class ToolCalls:
    """Turns calls into the tokens of a flow: what is mapped to each parameter, then the call."""

    tools: Mapping[str, Tool]
    calls: Sequence[ToolCall]
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
                self._add(Unparsed(text=str(shown), reason=reason, reading=Call(name=NO_STEP)), number)
            else:
                self._translate(number, call)
        for tool in self.tools.values():
            self.maps += self._namesakes(tool)

    def _add(self, token: Token, number: int) -> None:
        self.tokens.append(token)
        self.origins.append(number)

    def _translate(self, number: int, call: ToolCall) -> None:
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

    def _namesakes(self, tool: Tool) -> Iterator[tuple[str, str]]:
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

    def _faults(self, number: int, call: ToolCall) -> Iterator[Failure]:
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

    def _faulty_value(self, number: int, call: ToolCall, parameter: Parameter, value: object) -> Iterator[Failure]:
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
