"""What is wrong with each call of a list, against the tools: each fault once, with the name that is near."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from itertools import islice

from validator.errors import did_you_mean, nearest
from validator.execution.trace import Failure, Kind
from validator.flow.tools.declared.fitting import fits, inner, is_allowed, is_of_type, leaves, shown
from validator.flow.tools.declared.limits import breaches, judged, unread
from validator.flow.tools.declared.schema import ANY, Schema
from validator.flow.tools.declared.specifications import Tool
from validator.flow.tools.listed.calls import ToolCall
from validator.flow.tools.listed.labels import Labels, target
from validator.flow.tools.listed.references import ASKED, Reference, references
from validator.records import dataclass

__all__ = ["Fault", "Wrong", "call_faults", "failures", "faults", "not_understood"]


class Wrong(Enum):
    """What is wrong, by what mends it."""

    TOOL = auto()
    LABEL = auto()
    """a label that no call has"""
    TWICE = auto()
    MISSING = auto()
    UNDECLARED = auto()
    VALUE = auto()
    OUTPUT = auto()
    """a field that the result has not, or that does not fit"""
    BROKEN = auto()
    """a reference that lacks a sign"""
    LATER = auto()
    WHOLE = auto()
    """arguments that do not fit together, or one that the tool does not name"""
    EXTRA = auto()
    """an argument without a name that the tool has no place for"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault of the call at a place of the list; ``wanted`` is the schema that a value has to fit."""

    call: int
    wrong: Wrong
    kind: Kind
    detail: str
    nearest: str | None = None
    argument: str = ""
    reference: Reference | None = None
    wanted: Schema = ANY


def faults(calls: Sequence[ToolCall], tools: Mapping[str, Tool], *, order: bool = True) -> Iterator[Fault]:
    """Yield the faults of calls; without ``order`` those of their order are left out."""
    labels = Labels(calls)
    for place, call in enumerate(calls):
        if not call.is_answer and labels.places[call.label][0] < place:
            detail = f"the label '{call.label}' is that of call {labels.places[call.label][0] + 1} as well"
            yield Fault(call=place, wrong=Wrong.TWICE, kind=Kind.WRONG_ARGUMENT, detail=detail)
        yield from _Call(place, call, labels, tools, order).faults()


def call_faults(place: int, calls: Sequence[ToolCall], tools: Mapping[str, Tool]) -> Iterator[Fault]:
    """Yield the faults of one call of a list, but those of its order."""
    yield from _Call(place, calls[place], Labels(calls), tools, order=False).faults()


def not_understood(calls: Sequence[ToolCall], tools: Mapping[str, Tool]) -> tuple[str, ...]:
    """Return what of the schemas of tools was not understood and decides whether calls fit, in sentences."""
    labels, found = Labels(calls), dict[str, None]()
    for place, call in enumerate(calls):
        tool = tools.get(call.name)
        looked = _Call(place, call, labels, tools, order=False)
        if tool is not None and tool.given is not None:
            of_all = unread(dict(call.arguments), tool.given, looked.is_open)
            found |= dict.fromkeys(f"the schema of {tool.name} has {what}" for what in of_all)
        elif tool is not None:
            for name, value in call.arguments.items():
                of_one = unread(value, tool.inputs[name].schema, looked.is_open) if name in tool.inputs else ()
                found |= dict.fromkeys(f"the schema of '{name}' of {tool.name} has {what}" for what in of_one)
    return tuple(found)


def failures(found: Sequence[Fault]) -> tuple[Failure, ...]:
    """Return faults as those of a report, each sentence once for a call."""
    told = {
        (each.call, each.kind, each.detail): Failure(
            step=each.call, kind=each.kind, detail=each.detail, nearest=each.nearest
        )
        for each in found
    }
    return tuple(told.values())


class _Call:
    """Looks at one call."""

    def __init__(self, place: int, call: ToolCall, labels: Labels, tools: Mapping[str, Tool], order: bool) -> None:
        self.place = place
        self.call = call
        self.labels = labels
        self.tools = tools
        self.order = order
        self.tool = tools.get(call.name)

    def faults(self) -> Iterator[Fault]:
        if self.tool is None:
            if not self.call.is_answer:
                near = nearest(self.call.name, self.tools)
                yield self._fault(Wrong.TOOL, self.call.name, kind=Kind.UNKNOWN_ACTION, nearest=near)
            for name, value in self.call.arguments.items():
                yield from self._value(name, value, ANY)
            return
        found = list(self._shape(self.tool))
        for name, value in self.call.arguments.items():
            if name in self.tool.inputs:
                found += self._argument(name, value, self.tool.inputs[name].schema)
            else:
                found += self._value(name, value, ANY)
        yield from found
        if not found and not self.call.open and not self.call.extra and self.tool.given is not None:
            for each in islice(breaches(dict(self.call.arguments), self.tool.given, self.is_open), 1):
                detail = f"{self.tool.name} takes {each.why}{f' for {each.where[1:]!r}' if each.where else ''}"
                yield self._fault(Wrong.WHOLE, f"{detail}, got {_shown(each.value)}")

    def _argument(self, name: str, value: object, schema: Schema) -> Iterator[Fault]:
        """Yield what is wrong with an argument: of a value by its whole schema, of references by where they lead."""
        found = list(self._value(name, value, schema))
        if schema.raw is None:
            yield from found
            return
        holds = judged(value, schema, self.is_open)
        of_value = [each for each in found if each.wrong is Wrong.VALUE]
        yield from (each for each in found if each.wrong is not Wrong.VALUE or holds is not True)
        if holds is False and not of_value:
            for each in islice(breaches(value, schema, self.is_open), 1):
                detail = f"{self.call.name} takes {each.why} for '{name}{each.where}', got {_shown(each.value)}"
                yield self._fault(Wrong.VALUE, detail, argument=name, wanted=schema)

    def is_open(self, text: str) -> bool | None:
        """Return whether a text stands for the result of a call: True for all of it, None for a part."""
        found = list(references(text, self.labels))
        return (True if len(found) == 1 and found[0].is_whole else None) if found else False

    def _shape(self, tool: Tool) -> Iterator[Fault]:
        """Yield what is wrong with the names of the arguments."""
        for name, parameter in tool.inputs.items():
            if parameter.required and name not in self.call.arguments and name not in self.call.open:
                detail = f"{tool.name} needs the argument '{name}'"
                yield self._fault(Wrong.MISSING, detail, argument=name, wanted=parameter.schema)
        for name in self.call.arguments:
            if name not in tool.inputs and not tool.takes_more(name):
                free = [each for each in tool.inputs if each not in self.call.arguments] or list(tool.inputs)
                detail = f"{tool.name} has no argument '{name}'{did_you_mean(name, free)}"
                yield self._fault(Wrong.UNDECLARED, detail, argument=name)
        if self.call.extra:
            most, least = len(tool.inputs), sum(each.required for each in tool.inputs.values())
            takes = str(most) if least == most else f"{least} to {most}"
            detail = f"{tool.name} takes {takes}, got {len(self.call.arguments) + len(self.call.extra)}"
            yield self._fault(Wrong.EXTRA, detail, kind=Kind.WRONG_ARITY)

    # --- values --------------------------------------------------------------------------------

    def _value(self, name: str, value: object, schema: Schema, where: str = "") -> Iterator[Fault]:
        """Yield what is wrong with a value, and with what is inside it."""
        if isinstance(value, str):
            yield from self._text(name, value, schema, where)
        elif not is_of_type(value, schema):
            yield self._misfit(name, value, schema, where)
        elif not is_allowed(value, schema) and not _holds_reference(value, self.labels):
            yield self._disallowed(name, value, schema, where)
        elif isinstance(value, Mapping):
            yield from self._object(name, value, schema, where)
        elif isinstance(value, list | tuple):
            for number, each in enumerate(value):
                yield from self._value(name, each, schema.items or ANY, f"{where}[{number}]")

    def _object(self, name: str, value: Mapping[str, object], schema: Schema, where: str) -> Iterator[Fault]:
        for each in sorted(schema.required.difference(value)):
            detail = f"{self.call.name} needs '{each}' within '{name}{where}'"
            yield self._fault(Wrong.VALUE, detail, argument=name, wanted=schema)
        for key, inside in value.items():
            if schema.is_closed and key not in schema.fields:
                near = did_you_mean(str(key), schema.fields)
                detail = f"'{name}{where}' of {self.call.name} has no field '{key}'{near}"
                yield self._fault(Wrong.VALUE, detail, argument=name, wanted=schema)
            else:
                yield from self._value(name, inside, schema.fields.get(str(key), ANY), f"{where}.{key}")

    def _text(self, name: str, value: str, schema: Schema, where: str) -> Iterator[Fault]:
        found = list(references(value, self.labels))
        if len(found) == 1 and found[0].is_whole:
            yield from self._reference(name, found[0], schema)
            return
        for reference in found:
            yield from self._reference(name, reference, ANY)
        if not is_of_type(value, schema):
            yield self._misfit(name, value, schema, where)
        elif not found and not is_allowed(value, schema):
            yield self._disallowed(name, value, schema, where)

    def _misfit(self, name: str, value: object, schema: Schema, where: str) -> Fault:
        detail = f"{self.call.name} takes {schema} for '{name}{where}', got {_shown(value)}"
        return self._fault(Wrong.VALUE, detail, kind=Kind.WRONG_TYPE, argument=name, wanted=schema)

    def _disallowed(self, name: str, value: object, schema: Schema, where: str) -> Fault:
        allowed = ", ".join(map(_shown, schema.values))
        texts = [each for each in schema.values if isinstance(each, str)]
        near = did_you_mean(value, texts) if isinstance(value, str) else ""
        detail = f"{self.call.name} takes one of {allowed} for '{name}{where}', got {_shown(value)}{near}"
        return self._fault(Wrong.VALUE, detail, argument=name, wanted=schema)

    # --- references ----------------------------------------------------------------------------

    def _reference(self, name: str, reference: Reference, schema: Schema) -> Iterator[Fault]:
        if reference.label == ASKED and ASKED not in self.labels:
            return
        if reference.is_broken:
            right = reference.written(reference.label, reference.path)
            detail = f"'{reference.text}' for '{name}' is no reference (did you mean '${right.lstrip('$')}'?)"
            yield self._fault(Wrong.BROKEN, detail, argument=name, reference=reference, wanted=schema)
            return
        place = target(reference, self.place, self.labels, self.tools)
        if place is None:
            others = [each for each in self.labels if each != self.call.label]
            detail = f"no call has the label '{reference.label}'{did_you_mean(reference.label, others)}"
            if reference.label == self.call.label:
                detail = f"'${reference.label}' is the result of this call itself"
            yield self._fault(Wrong.LABEL, detail, argument=name, reference=reference, wanted=schema)
        elif place >= self.place and self.order:
            which = "this call itself" if place == self.place else f"call {place + 1}, which comes later"
            detail = f"'${reference.label}' is the result of {which}"
            yield self._fault(Wrong.LATER, detail, argument=name, reference=reference, wanted=schema)
            if place > self.place:
                yield from self._result(name, reference, schema, self.tools.get(self.labels.calls[place].name))
        elif place == self.place:
            detail = f"'${reference.label}' is the result of this call itself"
            yield self._fault(Wrong.LATER, detail, argument=name, reference=reference, wanted=schema)
        else:
            yield from self._result(name, reference, schema, self.tools.get(self.labels.calls[place].name))

    def _result(self, name: str, reference: Reference, schema: Schema, tool: Tool | None) -> Iterator[Fault]:
        """Yield what is wrong with the field that a reference names; nothing of a tool that is not known."""
        if tool is None:
            return
        given = inner(tool.output, reference.path)
        if given is None:
            detail = f"'{_named(reference)}': {_lacks(tool, reference)}"
            yield self._fault(Wrong.OUTPUT, detail, argument=name, reference=reference, wanted=schema)
        elif not reference.path and tool.outputs:
            if not fits(given, schema) and not _is_only(tool, schema):
                say = f"{tool.name} yields {', '.join(tool.outputs)}"
                detail = (
                    f"'${reference.label}': {say}; say which"
                    if len(tool.outputs) > 1
                    else _unfit(self, name, schema, say)
                )
                yield self._fault(Wrong.OUTPUT, detail, argument=name, reference=reference, wanted=schema)
        elif not fits(given, schema):
            detail = _unfit(self, name, schema, f"'{_named(reference)}' is {given}{_missing(given, schema)}")
            yield self._fault(
                Wrong.OUTPUT, detail, kind=Kind.WRONG_TYPE, argument=name, reference=reference, wanted=schema
            )

    def _fault(
        self,
        wrong: Wrong,
        detail: str,
        *,
        kind: Kind = Kind.WRONG_ARGUMENT,
        nearest: str | None = None,
        argument: str = "",
        reference: Reference | None = None,
        wanted: Schema = ANY,
    ) -> Fault:
        return Fault(
            call=self.place,
            wrong=wrong,
            kind=kind,
            detail=detail,
            nearest=nearest,
            argument=argument,
            reference=reference,
            wanted=wanted,
        )


def _unfit(looked: _Call, name: str, schema: Schema, given: str) -> str:
    return f"{looked.call.name} takes {_wanted(schema)} for '{name}', and {given}"


def _wanted(schema: Schema) -> str:
    return f"one of {', '.join(map(_shown, schema.values))}" if schema.values and not schema.types else str(schema)


def _missing(given: Schema, wanted: Schema) -> str:
    """Return which needed fields a result lacks, or that its values or items are others."""
    lacking = wanted.required.difference(given.fields) if given.fields else frozenset()
    if lacking:
        return f" without {', '.join(sorted(lacking))}"
    if given.values and wanted.values and not any(is_allowed(value, wanted) for value in given.values):
        return f" of the values {', '.join(map(_shown, given.values))}"
    return f" of {given.items}" if given.items is not None and wanted.items is not None else ""


def _is_only(tool: Tool, schema: Schema) -> bool:
    """Return whether all that a tool yields is one thing that fits."""
    return len(tool.outputs) == 1 and all(fits(each, schema) for each in tool.outputs.values())


def _named(reference: Reference) -> str:
    return f"${reference.label}.{reference.field}" if reference.path else f"${reference.label}"


def _lacks(tool: Tool, reference: Reference) -> str:
    """Say which field of a path is not there, what is there, and what is near: a name like it, or one deeper."""
    path = reference.path
    known = next(size for size in range(len(path), -1, -1) if inner(tool.output, path[:size]) is not None)
    around = inner(tool.output, path[:known]) or ANY
    while not around.fields and around.items is not None:
        around = around.items
    whole = f"'{shown(path[:known])}' of {tool.name}" if known else tool.name
    if not around.fields:
        return f"{whole} is {around} and has no field '{path[known]}'"
    deeper = next((shown(each) for each, _ in leaves(tool.output) if each[-1] == path[-1] and each != path), None)
    near = did_you_mean(str(path[known]), around.fields)
    near = near or (f" (did you mean '{deeper}'?)" if deeper is not None else "")
    return f"{whole} yields {', '.join(around.fields)}{near}"


def _holds_reference(value: object, labels: Labels) -> bool:
    from validator.flow.tools.listed.references import texts

    return any(True for text in texts(value) for _ in references(text, labels))


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else f"{text[:197]}..."
