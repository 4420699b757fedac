"""Tools: what each takes and yields, from OpenAI's functions, MCP's tools, or NESTFUL's tables of parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from validator.errors import ModelError
from validator.flow.model import Input, Operator, Output
from validator.reading.calls.keys import DECLARED_INPUTS, DECLARED_OUTPUTS, spelled
from validator.reading.fields import Fields, members

__all__ = ["Parameter", "Tool", "operators_from_tools", "read_tools"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    name: str
    type: str | None = None
    required: bool = True
    values: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    name: str
    inputs: Mapping[str, Parameter]
    outputs: Mapping[str, Parameter]

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
    return tuple(tool.operator for tool in read_tools(tools))


def read_tools(tools: Iterable[Mapping[str, Any]]) -> Iterator[Tool]:
    """Yield the tools of a list of specifications. Raises ModelError for what is none, and for a name twice."""
    seen: set[str] = set()
    for where, value in members(tools, "tools"):
        outer = Fields(value, where)
        fields = Fields(outer.raw("function"), outer.path("function")) if "function" in outer else outer
        name = fields.text("name")
        if name in seen:
            raise ModelError(f"{fields.path('name')}: '{name}' is declared twice")
        seen.add(name)
        yielded = dict(_declared(fields, DECLARED_OUTPUTS))
        yield Tool(
            name=name,
            inputs=dict(_declared(fields, DECLARED_INPUTS)),
            outputs=yielded or {"result": Parameter(name="result")},
        )


def _declared(fields: Fields, keys: Sequence[str]) -> Iterator[tuple[str, Parameter]]:
    """Yield the parameters that a specification declares under any of some keys."""
    for key in fields:
        if spelled(key) in keys and key in fields:
            yield from _parameters(fields.raw(key), fields.path(key))


def _parameters(value: object, where: str) -> Iterator[tuple[str, Parameter]]:
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


def _parameter(name: str, fields: Fields, required: bool) -> Parameter:
    kind = fields.raw("type")
    values = fields.raw("enum")
    return Parameter(
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
