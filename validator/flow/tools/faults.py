"""What is wrong with each call of a list, against the tools: each fault once, with the name that is near."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from functools import partial
from itertools import islice

from validator.errors import did_you_mean, nearest
from validator.execution.trace import Failure, Kind
from validator.flow.tools.calls import ASKED, Labels, Reference, ToolCall, references, target
from validator.flow.tools.schema import ANY, Path, Schema, fits, inner, is_of_types, leaves, shown
from validator.flow.tools.specifications import Tool
from validator.flow.tools.validation import breaches, unread
from validator.reading.values import equal
from validator.records import dataclass


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
    detail: str
    kind: Kind = Kind.WRONG_ARGUMENT
    nearest: str | None = None
    argument: str = ""
    reference: Reference | None = None
    wanted: Schema = ANY

    @property
    def refers(self) -> Reference:
        """Return the reference at fault."""
        assert self.reference is not None
        return self.reference


def is_result(tool: Tool, fault: Fault) -> bool:
    """Return whether the result of a tool is what a reference at fault wants."""
    path = fault.refers.path
    given = inner(tool.output, path)
    return given is not None and (not path or fits(given, fault.wanted))


def faults(calls: Sequence[ToolCall], tools: Mapping[str, Tool], *, order: bool = True) -> Iterator[Fault]:
    """Yield the faults of calls; without ``order`` those of their order are left out."""
    labels = Labels(calls)
    for place, call in enumerate(calls):
        if not call.is_answer and labels.places[call.label][0] < place:
            detail = f"the label '{call.label}' is that of call {labels.places[call.label][0] + 1} as well"
            yield Fault(call=place, wrong=Wrong.TWICE, detail=detail)
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
    failed = {
        (each.call, each.kind, each.detail): Failure(
            step=each.call, kind=each.kind, detail=each.detail, nearest=each.nearest
        )
        for each in found
    }
    return tuple(failed.values())


class _Call:
    """Looks at one call."""

    def __init__(self, place: int, call: ToolCall, labels: Labels, tools: Mapping[str, Tool], order: bool) -> None:
        self.place, self.call, self.labels, self.tools, self.order = place, call, labels, tools, order
        self.tool = tools.get(call.name)
        self._fault = partial(Fault, call=place)

    def faults(self) -> Iterator[Fault]:
        if self.tool is None:
            if not self.call.is_answer:
                near = nearest(self.call.name, self.tools)
                yield self._fault(wrong=Wrong.TOOL, detail=self.call.name, kind=Kind.UNKNOWN_ACTION, nearest=near)
            for name, value in self.call.arguments.items():
                yield from self._references(name, value, ANY)
            return
        found = list(self._shape(self.tool))
        for name, value in self.call.arguments.items():
            if name in self.tool.inputs:
                found += self._argument(name, value, self.tool.inputs[name].schema)
            else:
                found += self._references(name, value, ANY)
        yield from found
        if not found and not self.call.extra and self.tool.given is not None:
            for each in islice(breaches(dict(self.call.arguments), self.tool.given, self.is_open), 1):
                detail = f"{self.tool.name} takes {each.why}{f' for {each.where[1:]!r}' if each.where else ''}"
                yield self._fault(wrong=Wrong.WHOLE, detail=f"{detail}, got {_shown(each.value)}")

    def _argument(self, name: str, value: object, schema: Schema) -> Iterator[Fault]:
        """Yield what is wrong with an argument: with what it refers to, and with its value by its schema."""
        yield from self._references(name, value, schema)
        for each in breaches(value, schema, self.is_open):
            kind = Kind.WRONG_TYPE if each.is_type else Kind.WRONG_ARGUMENT
            detail = f"{self.call.name} takes {each.why} for '{name}{each.where}', got {_shown(each.value)}{each.near}"
            yield self._fault(wrong=Wrong.VALUE, detail=detail, kind=kind, argument=name, wanted=schema)

    def _references(self, name: str, value: object, schema: Schema) -> Iterator[Fault]:
        """Yield what is wrong with the references inside a value."""
        if isinstance(value, str):
            found = list(references(value, self.labels))
            is_whole = len(found) == 1 and found[0].is_whole
            for each in found:
                yield from self._reference(name, each, schema if is_whole else ANY)
        elif is_of_types(value, schema.types) and isinstance(value, Mapping):
            for key, each in value.items():
                yield from self._references(name, each, schema.fields.get(str(key), ANY))
        elif is_of_types(value, schema.types) and isinstance(value, list | tuple):
            for each in value:
                yield from self._references(name, each, schema.items or ANY)

    def is_open(self, text: str) -> bool | None:
        """Return whether a text stands for the result of a call: True for all of it, None for a part."""
        found = list(references(text, self.labels))
        return (True if len(found) == 1 and found[0].is_whole else None) if found else False

    def _shape(self, tool: Tool) -> Iterator[Fault]:
        """Yield what is wrong with the names of the arguments."""
        for name, parameter in tool.inputs.items():
            if parameter.required and name not in self.call.arguments:
                detail = f"{tool.name} needs the argument '{name}'"
                yield self._fault(wrong=Wrong.MISSING, detail=detail, argument=name, wanted=parameter.schema)
        for name in self.call.arguments:
            if name not in tool.inputs and not tool.takes_more(name):
                free = [each for each in tool.inputs if each not in self.call.arguments] or list(tool.inputs)
                detail = f"{tool.name} has no argument '{name}'{did_you_mean(name, free)}"
                yield self._fault(wrong=Wrong.UNDECLARED, detail=detail, argument=name)
        if self.call.extra:
            most, least = len(tool.inputs), sum(each.required for each in tool.inputs.values())
            takes = str(most) if least == most else f"{least} to {most}"
            detail = f"{tool.name} takes {takes}, got {len(self.call.arguments) + len(self.call.extra)}"
            yield self._fault(wrong=Wrong.EXTRA, detail=detail, kind=Kind.WRONG_ARITY)

    # --- references ----------------------------------------------------------------------------

    def _reference(self, name: str, reference: Reference, schema: Schema) -> Iterator[Fault]:
        if reference.label == ASKED and ASKED not in self.labels:
            return
        if reference.is_broken:
            right = reference.written(reference.label, reference.path)
            detail = f"'{reference.text}' for '{name}' is not a reference (did you mean '${right.lstrip('$')}'?)"
            yield self._fault(wrong=Wrong.BROKEN, detail=detail, argument=name, reference=reference, wanted=schema)
            return
        place = target(reference, self.place, self.labels, self.tools)
        wrong, detail = Wrong.LATER, ""
        if place == self.place or (place is None and reference.label == self.call.label):
            wrong = Wrong.LATER if place is not None else Wrong.LABEL
            detail = f"'${reference.label}' is the result of this call itself"
        elif place is None:
            others = [each for each in self.labels if each != self.call.label]
            wrong, detail = (
                Wrong.LABEL,
                f"no call has the label '{reference.label}'{did_you_mean(reference.label, others)}",
            )
        elif place > self.place and self.order:
            detail = f"'${reference.label}' is the result of call {place + 1}, which comes later"
        if detail:
            yield self._fault(wrong=wrong, detail=detail, argument=name, reference=reference, wanted=schema)
        if place is not None and place != self.place:
            yield from self._result(name, reference, schema, self.tools.get(self.labels.calls[place].name))

    def _result(self, name: str, reference: Reference, schema: Schema, tool: Tool | None) -> Iterator[Fault]:
        """Yield what is wrong with the field that a reference names; nothing of a tool that is not known."""
        if tool is None:
            return
        given = inner(tool.output, reference.path)
        kind, wanted = Kind.WRONG_ARGUMENT, f"{self.call.name} takes {_wanted(schema)} for '{name}', and "
        if given is None:
            detail = f"'{_named(reference)}': {_lacks(tool, reference.path)}"
        elif fits(given, schema) or (not reference.path and _is_only(tool, schema)):
            return
        elif reference.path or not tool.outputs:
            kind, detail = Kind.WRONG_TYPE, f"{wanted}'{_named(reference)}' is {given}{_missing(given, schema)}"
        elif len(tool.outputs) > 1:
            detail = f"'${reference.label}': {tool.name} yields {', '.join(tool.outputs)}; say which"
        else:
            detail = f"{wanted}{tool.name} yields {', '.join(tool.outputs)}"
        yield self._fault(
            wrong=Wrong.OUTPUT, detail=detail, kind=kind, argument=name, reference=reference, wanted=schema
        )


def _wanted(schema: Schema) -> str:
    return f"one of {', '.join(map(_shown, schema.values))}" if schema.values and not schema.types else str(schema)


def _missing(given: Schema, wanted: Schema) -> str:
    """Return which needed fields a result lacks, or that its values or items are others."""
    lacking = wanted.required.difference(given.fields) if given.fields else frozenset()
    if lacking:
        return f" without {', '.join(sorted(lacking))}"
    if given.values and wanted.values and not any(equal(one, other) for one in given.values for other in wanted.values):
        return f" of the values {', '.join(map(_shown, given.values))}"
    return f" of {given.items}" if given.items is not None and wanted.items is not None else ""


def _is_only(tool: Tool, schema: Schema) -> bool:
    """Return whether all that a tool yields is one thing that fits."""
    return len(tool.outputs) == 1 and all(fits(each, schema) for each in tool.outputs.values())


def _named(reference: Reference) -> str:
    return f"${reference.label}.{shown(reference.path)}" if reference.path else f"${reference.label}"


def _lacks(tool: Tool, path: Path) -> str:
    """Say which field of a path is not there, what is there, and what is near: a name like it, or one deeper."""
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


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else f"{text[:197]}..."
