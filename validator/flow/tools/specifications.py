"""Tools: what each takes and yields, as OpenAI, Anthropic, Gemini, MCP, LangChain, BFCL, NESTFUL and TaskBench say it.

{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}             OpenAI chat, and without "function"
{"name": "f", "input_schema": SCHEMA}                                             Anthropic
{"name": "f", "inputSchema": SCHEMA, "outputSchema": SCHEMA}                      MCP; {"tools": [...]} around them
{"name": "f", "args": {"x": SCHEMA}}, {"name": "f", "args_schema": SCHEMA}        LangChain
{"function_declarations": [...]}, {"toolSpec": {"inputSchema": {"json": ...}}}    Gemini, Bedrock
{"name": "f", "query_parameters": TABLE, "output_parameters": TABLE}              NESTFUL, in each of its spellings
{"nodes": [{"id": "f", "input-type": ["image"], "output-type": ["text"]}]}        TaskBench
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from validator.errors import ModelError
from validator.flow.tools.schema import ANY, Path, Schema, leaves, schema_of
from validator.reading.calls.objects import DECLARED_INPUTS, DECLARED_OUTPUTS, is_schema, spelled
from validator.reading.fields import Fields, members
from validator.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """An input of a tool."""

    name: str
    schema: Schema = ANY
    required: bool = True


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool. ``outputs`` is empty where it does not say; ``is_typed``: its inputs have types of data for names.

    ``given`` is the schema of all arguments together, None where there is none.
    """

    name: str
    inputs: Mapping[str, Parameter]
    outputs: Mapping[str, Schema]
    is_typed: bool = False
    given: Schema | None = None

    def takes_more(self, name: str) -> bool:
        """Return whether the schema says of arguments that it does not name that there may be one of this name."""
        raw = {} if self.given is None else self.given.raw
        others, patterns = raw.get("additionalProperties"), raw.get("patternProperties")
        return others is True or isinstance(others, Mapping) or (isinstance(patterns, Mapping) and bool(patterns))

    @cached_property
    def output(self) -> Schema:
        """Return the schema of all that the tool yields; of anything where it does not say."""
        return Schema(types=frozenset(("object",)), fields=self.outputs) if self.outputs else ANY

    @cached_property
    def fields(self) -> tuple[tuple[Path, Schema], ...]:
        """Return all fields of what the tool yields, each with its path."""
        return tuple(leaves(self.output))

    @cached_property
    def yields(self) -> frozenset[str]:
        """Return the spelled names of all fields of the result."""
        return frozenset(spelled(str(path[-1])) for path, _ in self.fields)

    @cached_property
    def needs(self) -> frozenset[str]:
        """Return the spelled names of the arguments without which the tool cannot be called."""
        return frozenset(spelled(name) for name, each in self.inputs.items() if each.required)


def read_tools(tools: object) -> Tools:
    """Return the tools of a list of specifications by name; one that is given twice alike is one.

    Raises ModelError for what has no name, and for two different ones of one name.
    """
    found: dict[str, tuple[str, Fields]] = {}
    for where, value in _listed(tools, "tools"):
        fields = _own(Fields(value, where))
        name = _name(fields)
        if name in found and not found[name][1].equals(fields) and _tool(name, found[name][1]) != _tool(name, fields):
            raise ModelError(f"{where}: '{name}' is declared twice, and not alike")
        found.setdefault(name, (where, fields))
    return Tools({name: fields for name, (_, fields) in found.items()})


class Tools(Mapping[str, Tool]):
    """Tools by name, each read when it is first looked at: of a large catalogue a list of calls needs few.

    Looking at one raises ModelError where its parameters cannot be read.
    """

    def __init__(self, specifications: Mapping[str, Fields]) -> None:
        self._specifications = specifications
        self._read: dict[str, Tool] = {}

    def __getitem__(self, name: str) -> Tool:
        if name not in self._read:
            self._read[name] = _tool(name, self._specifications[name])
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._specifications

    def __iter__(self) -> Iterator[str]:
        return iter(self._specifications)

    def __len__(self) -> int:
        return len(self._specifications)


_LISTS = ("tools", "nodes", "function_declarations", "functions", "result")


def _listed(value: object, where: str) -> Iterator[tuple[str, object]]:
    """Yield the specifications in a list, or in an object that has one; lists of providers may be nested once more."""
    if isinstance(value, Mapping) and (key := _list_of(value)) is not None:
        yield from _listed(value[key], f"{where}.{key}")
        return
    for path, member in members(value, where):
        if isinstance(member, Mapping) and "name" not in member and _list_of(member) is not None:
            yield from _listed(member, path)
        else:
            yield path, member


def _list_of(value: Mapping[str, Any]) -> str | None:
    held = (key for key in value if spelled(str(key)) in _LISTS and isinstance(value[key], list | Mapping))
    return next(held, None)


def _own(outer: Fields) -> Fields:
    """Return the specification that stands inside another object."""
    inner = next((key for key in ("function", "toolSpec", "tool_spec") if isinstance(outer.raw(key), Mapping)), None)
    return outer if inner is None else Fields(outer.raw(inner), outer.path(inner))


def _name(fields: Fields) -> str:
    return fields.text("id" if "name" not in fields and isinstance(fields.raw("id"), str) else "name")


def _tool(name: str, fields: Fields) -> Tool:
    if any(spelled(key) in ("input_type", "output_type") for key in fields):
        return _typed(name, fields)
    yielded = {each.name: each.schema for each in _declared(fields, DECLARED_OUTPUTS, is_output=True)}
    inputs = {each.name: each for each in _declared(fields, (*DECLARED_INPUTS, "args"), is_output=False)}
    return Tool(name=name, inputs=inputs, outputs=yielded, given=_given(fields))


def _given(fields: Fields) -> Schema | None:
    """Return the schema of all arguments of a tool, where it is written as one."""
    for key in fields:
        if spelled(key) in DECLARED_INPUTS and key in fields:
            value = fields.raw(key)
            value = value.get("json", value) if isinstance(value, Mapping) else None
            if isinstance(value, Mapping) and isinstance(value.get("properties"), Mapping):
                return None if isinstance(value.get("type"), Mapping) else schema_of(value)
    return None


def _typed(name: str, fields: Fields) -> Tool:
    """Return a tool whose inputs and outputs are types of data alone: ``"input-type": ["image", "text"]``."""
    kinds: dict[str, list[str]] = {"input_type": [], "output_type": []}
    for key in fields:
        if spelled(key) in kinds:
            kinds[spelled(key)] = [kind.strip() for kind in fields.texts(key)]
    inputs = _numbered(kinds["input_type"])
    outputs = _numbered(kinds["output_type"])
    return Tool(
        name=name,
        inputs={each: Parameter(name=each, schema=schema) for each, schema in inputs.items()},
        outputs=outputs,
        is_typed=True,
    )


def _numbered(kinds: Sequence[str]) -> dict[str, Schema]:
    """Return a schema for each type of data, by its name; the second ``image`` is ``image 2``."""
    found: dict[str, Schema] = {}
    for kind in kinds:
        number = sum(each.kind == kind.casefold() for each in found.values())
        found[f"{kind} {number + 1}" if number else kind] = Schema(kind=kind.casefold())
    return found


def _declared(fields: Fields, keys: Sequence[str], *, is_output: bool) -> Iterator[Parameter]:
    """Yield the parameters that a specification declares under any of some keys."""
    for key in fields:
        if spelled(key) in keys and key in fields:
            yield from _parameters(fields.raw(key), fields.path(key), is_output=is_output)


_META = frozenset(
    ("type", "additionalProperties", "$schema", "$defs", "definitions", "title", "description", "required")
)


def _parameters(value: object, where: str, *, is_output: bool) -> Iterator[Parameter]:
    """Yield the parameters of a JSON schema, of a plain table of parameters, or of a list of them."""
    if isinstance(value, list):
        for number, member in enumerate(value):
            fields = Fields({"name": member} if isinstance(member, str) else member, f"{where}[{number}]")
            yield _parameter(fields.text("name"), fields, member, None)
        return
    if is_output and isinstance(value, str):
        yield Parameter(name="result", schema=schema_of(value))
        return
    table = Fields(value, where)
    assert isinstance(value, Mapping)
    if isinstance(wrapped := value.get("json"), Mapping) and is_schema(wrapped):
        yield from _parameters(wrapped, table.path("json"), is_output=is_output)
    elif isinstance(value.get("properties"), Mapping) and not isinstance(value.get("type"), Mapping):
        yield from _of_schema(table, value)
    elif is_output and isinstance(value.get("type"), str) and not any(isinstance(v, Mapping) for v in value.values()):
        if schema_of(value).types != {"object"}:
            yield Parameter(name="result", schema=schema_of(value))
    else:
        for name, schema in value.items():
            if name not in _META or isinstance(schema, Mapping):
                yield _parameter(name, _fields(schema, f"{where}.{name}"), schema, value)


def _says_required(table: object) -> bool:
    """Return whether some parameter of a table says that it is needed, so that silence says that another is not."""
    inner = table.values() if isinstance(table, Mapping) else ()
    return any(isinstance(each, Mapping) and isinstance(each.get("required"), bool) for each in inner)


def _of_schema(table: Fields, value: Mapping[str, Any]) -> Iterator[Parameter]:
    listed = table.raw("required")
    required = set(table.texts("required")) if isinstance(listed, list | tuple | str) else None
    for name, schema in value["properties"].items():
        fields = _fields(schema, f"{table.where}.properties.{name}")
        if required is None and any(isinstance(fields.raw(key), bool) for key in ("required", "optional")):
            yield _parameter(name, fields, schema, value)
        else:
            yield Parameter(name=name, schema=schema_of(schema, value), required=name in (required or ()))


def _fields(value: object, where: str) -> Fields:
    return Fields(value if isinstance(value, Mapping) else {"type": value} if isinstance(value, str) else {}, where)


def _parameter(name: str, fields: Fields, schema: object, root: object) -> Parameter:
    """Return a parameter that says itself whether it is needed.

    Without a word it is, unless it has a default, or the word stands beside others of its table.
    """
    optional = any(key in fields for key in ("default", "default_value")) or fields.raw("optional") is True
    required = fields.raw("required")
    needed = required if isinstance(required, bool) else not optional and not _says_required(root)
    return Parameter(name=name, schema=schema_of(schema, root), required=needed)
