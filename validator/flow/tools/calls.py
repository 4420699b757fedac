"""The calls of a list, each with the tool that it names: values that a repair changes and a check looks at."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count, islice, permutations

from validator.flow.plans.tokens import Call
from validator.flow.tools.schema import ANY, Path, Schema, fits, inner, is_of_types, shown
from validator.flow.tools.specifications import Tool
from validator.flow.tools.validation import is_taken
from validator.reading.calls.lists import Listed, ListedCalls
from validator.records import dataclass, replace

ASKED = "ask"
"""The label of what the user has to say: ``$ask.city$``."""

_LABEL = r"[A-Za-z_]\w*(?:-\w+)*"
_PATH = r"(?:\.[^\s$.\[\]]+|\[\d+\])*"
_BLANKS = r"(?:\.[^$.\[\]\n]+|\[\d+\])+"
_REFERENCE = re.compile(
    rf"\$\{{(?P<braced>{_LABEL})(?P<inside>{_PATH})\}}"
    rf"|\$(?P<closed>{_LABEL})(?P<path>{_PATH})\$"
    rf"|\$(?P<wide>{_LABEL})(?P<blanks>{_BLANKS})\$(?![A-Za-z_])"
    rf"|\$(?P<open>{_LABEL})(?P<rest>(?:\.[A-Za-z_]\w*|\[\d+\])*)"
    r"|<node-(?P<node>\d+)>"
)
_PART = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_CUT = re.compile(rf"(?P<label>{_LABEL})(?P<path>\.[^\s$]+)\$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What a text refers to. ``text`` is how it is written, ``is_whole`` whether nothing else stands in the text."""

    label: str
    path: Path
    text: str
    is_whole: bool = True
    is_broken: bool = False
    """written without the sign at its beginning"""

    def written(self, label: str, path: Path) -> str:
        """Return a reference to something else, in the same writing."""
        if self.text.startswith("<node-") and not path:
            return f"<{label}>"
        if self.text.startswith("${"):
            return f"${{{label}{_tail(path)}}}"
        closes = self.text.endswith("$") or self.text.startswith("<") or any(" " in str(part) for part in path)
        return f"${label}{_tail(path)}{'$' if closes else ''}"


def _tail(path: Path) -> str:
    tail = shown(path)
    return tail if tail.startswith("[") or not tail else f".{tail}"


def written(label: str, path: Path) -> str:
    """Return a reference to a field of a call."""
    return Reference(label=label, path=path, text="$$").written(label, path)


def asked(name: str) -> str:
    """Return what stands for a value that the user has to say."""
    return f"${ASKED}.{name}$"


def references(text: str, labels: Collection[str]) -> Iterator[Reference]:
    """Yield the references in a text.

    What only looks like one is none: ``$5``, ``$HOME`` and the formula ``$x$``, unless a call has that label, or labels
    of the list are numbered in the same way.
    """
    bare = text.strip()
    if "$" not in text and "<node-" not in text:
        return
    for match in _REFERENCE.finditer(text):
        found = _reference(match, is_whole=match[0] == bare)
        if found.label in labels or (_is_meant(match, found) or _is_numbered(found.label, labels)):
            yield found
    if (cut := _CUT.fullmatch(bare)) and cut["label"] in labels:
        yield Reference(label=cut["label"], path=_path(cut["path"]), text=bare, is_broken=True)


def _reference(match: re.Match[str], *, is_whole: bool) -> Reference:
    groups = match.groupdict()
    if groups["node"] is not None:
        return Reference(label=f"node-{groups['node']}", path=(), text=match[0], is_whole=is_whole)
    pairs = (("braced", "inside"), ("closed", "path"), ("wide", "blanks"), ("open", "rest"))
    label, path = next((groups[one], groups[two]) for one, two in pairs if groups[one] is not None)
    return Reference(label=label, path=_path(path), text=match[0], is_whole=is_whole)


def _path(text: str) -> Path:
    return tuple(int(match[2]) if match[2] is not None else match[1] for match in _PART.finditer(text))


def _is_meant(match: re.Match[str], found: Reference) -> bool:
    """Return whether the form alone says that something is a reference: a sign at each end, and a field."""
    is_closed = any(match[group] is not None for group in ("braced", "closed", "wide", "node"))
    return (is_closed and (bool(found.path) or match["node"] is not None)) or (found.is_whole and bool(found.path))


_DIGITS = re.compile(r"_?\d+$")


def _is_numbered(label: str, labels: Collection[str]) -> bool:
    """Return whether a label is made as those of the list are: ``var9`` beside ``var1``."""
    stem = _DIGITS.sub("", label)
    return stem != label and any(stem == _DIGITS.sub("", each) != each for each in labels)


def replaced(value: object, change: Callable[[str], object]) -> object:
    """Return a JSON value with each text changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: replaced(each, change) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [replaced(each, change) for each in value]
    return value


def within(value: object, labels: Collection[str]) -> Iterator[Reference]:
    """Yield the references inside a JSON value."""
    if isinstance(value, str):
        yield from references(value, labels)
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from within(each, labels)


# --- references -----------------------------------------------------------------------------------


ANSWER = "var_result"
"""NESTFUL's last element: no tool, but the form of the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call. ``place`` is where it stands in the list that was given, from 0; None for a new one.

    ``has_label`` says that its author gave it the label; without, it is called by its place. ``after`` are the places
    of the calls that have to come before it, whatever it refers to. ``slot`` is where a new call belongs at the latest.
    """

    name: str
    arguments: Mapping[str, object]
    label: str
    has_label: bool = True
    place: int | None = None
    after: tuple[int, ...] = ()
    extra: tuple[object, ...] = ()
    """arguments without a name that the tool has no place for"""
    slot: float = 0

    @property
    def is_answer(self) -> bool:
        return self.name == ANSWER

    @property
    def position(self) -> float:
        """Return where it stands in the list that was given; a new one, before where it belongs at the latest."""
        return self.slot - 0.5 if self.place is None else self.place

    def with_argument(self, name: str, value: object) -> ToolCall:
        return replace(self, arguments={**self.arguments, name: value})

    def renamed(self, old: str, new: str | None) -> ToolCall:
        """Return the call with another name for an argument, or without it."""
        pairs = ((new if name == old else name, value) for name, value in self.arguments.items())
        return replace(self, arguments={name: value for name, value in pairs if name is not None})

    def referring(self, argument: str, old: Reference, new: str) -> ToolCall:
        """Return the call with another text for each writing of a reference in an argument."""

        def change(text: str) -> str:
            return new if text.strip() == old.text else text.replace(old.text, new)

        return self.with_argument(argument, replaced(self.arguments[argument], change))


class Labels:
    """The labels of calls with their places; a label by place alone is no call's name for itself."""

    def __init__(self, calls: Sequence[ToolCall]) -> None:
        self.calls = calls
        self.places: dict[str, list[int]] = {}
        for place, call in enumerate(calls):
            if not call.is_answer:
                self.places.setdefault(call.label, []).append(place)

    def __contains__(self, label: object) -> bool:
        return label in self.places

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def in_call(self, place: int) -> Iterator[tuple[str, Reference]]:
        """Yield the references of a call, each with the name of its argument."""
        for name, value in self.calls[place].arguments.items():
            yield from ((name, each) for each in within(value, self))

    def used(self, places: Iterable[int] | None = None) -> set[str]:
        """Return the labels that calls refer to."""
        looked = range(len(self.calls)) if places is None else places
        return {each.label for place in looked for _, each in self.in_call(place)}


def target(reference: Reference, place: int, labels: Labels, tools: Mapping[str, Tool]) -> int | None:
    """Return the call that a reference means: of two with its label the last one before that has the field."""
    places = labels.places.get(reference.label, [])
    if len(places) <= 1:
        (found,) = places or (None,)
        is_itself = found == place and not labels.calls[place].has_label
        return None if is_itself else found
    before = [each for each in places if each < place] or [each for each in places if each != place] or places
    having = [each for each in before if field(tools.get(labels.calls[each].name), reference) is not None]
    return (having or before)[-1]


def field(tool: Tool | None, reference: Reference) -> Schema | None:
    """Return what a reference stands for in the result of a tool, None where it has no such field."""
    return ANY if tool is None else inner(tool.output, reference.path)


def bound(listed: ListedCalls, tools: Mapping[str, Tool]) -> tuple[ToolCall, ...]:
    """Return the calls of a list; arguments without a name get those of the tool's inputs."""
    used = _used(listed.calls)
    taken = {call.label.strip("$ ") for call in listed.calls if call.label is not None}
    found = []
    for place, call in enumerate(listed.calls):
        label, has_label = _label(call, place, used, taken)
        tool = tools.get(call.name)
        names = list(islice(_names(call, tool, listed.calls, tools), len(call.placed))) if call.placed else []
        arguments = call.arguments if call.is_typed or tool is None else _typed(call.arguments, tool)
        found.append(
            ToolCall(
                name=call.name,
                arguments={**arguments, **dict(zip(names, call.placed, strict=False))},
                label=label,
                has_label=has_label,
                place=place,
                after=call.after,
                extra=call.placed[len(names) :],
            )
        )
    return tuple(found)


def _typed(arguments: Mapping[str, object], tool: Tool) -> Mapping[str, object]:
    """Return arguments that were given as texts as the values that the tool takes."""
    found = dict(arguments)
    for name, text in arguments.items():
        parameter = tool.inputs.get(name)
        if parameter is None or not isinstance(text, str) or is_of_types(text, parameter.schema.types):
            continue
        try:
            value = json.loads(text.lower() if text in ("True", "False", "None") else text)
        except (ValueError, RecursionError):
            continue
        if is_of_types(value, parameter.schema.types):
            found[name] = value
    return found


def _used(calls: Sequence[Listed]) -> set[str]:
    """Return the labels that texts of the list could refer to."""
    values = ([dict(call.arguments), list(call.placed)] for call in calls)
    return {each.label for value in values for each in within(value, _Everything()) if "$" in each.text}


class _Everything(frozenset[str]):
    def __contains__(self, label: object) -> bool:
        return True


def _label(call: Listed, place: int, used: set[str], taken: set[str]) -> tuple[str, bool]:
    """Return what others call a call: its label, its identity unless its place is used, its place."""
    numbered = f"var{place + 1}"
    if call.label is not None and call.label.strip("$ "):
        return call.label.strip("$ "), True
    if call.call_id is not None and (call.call_id in used or numbered not in used):
        return call.call_id, True
    return hidden(place, taken) if numbered in taken else numbered, False


def hidden(place: int, taken: Collection[str]) -> str:
    """Return a label for a call that has none, and whose place is the label of another one."""
    return next(label for number in count(place + 1) if (label := f"call{number}") not in taken)


def _names(call: Listed, tool: Tool | None, calls: Sequence[Listed], tools: Mapping[str, Tool]) -> Iterator[str]:
    """Yield names for the arguments without one: those of the inputs in their order, or as the types of data fit."""
    if tool is None:
        yield from (f"argument {number + 1}" for number in range(len(call.placed)))
        return
    free = [name for name in tool.inputs if name not in call.arguments]
    given = [_yielded(value, calls, tools) for value in call.placed]
    if not tool.is_typed or len(free) > 5 or len(given) > len(free):
        yield from _signature(call.placed, free, tool)
    else:
        orders = permutations(free, len(given))
        fit = (each for each in orders if all(map(_may_be, given, (tool.inputs[n].schema for n in each))))
        yield from next(fit, tuple(free))


def _signature(placed: Sequence[object], free: Sequence[str], tool: Tool) -> Sequence[str]:
    """Return the inputs in the order in which values are given for them.

    It is the declared one, or, as in the signatures of most languages, that with the needed ones first; the first of
    the two that leaves out no needed one and takes all values counts.
    """
    needed_first = sorted(free, key=lambda name: not tool.inputs[name].required)
    for order in (free, needed_first):
        left = order[len(placed) :]
        if not any(tool.inputs[name].required for name in left) and all(
            _is_open(value) or is_taken(value, tool.inputs[name].schema)
            for name, value in zip(order, placed, strict=False)
        ):
            return order
    return needed_first if len(placed) < len(free) else free


def _is_open(value: object) -> bool:
    return isinstance(value, str) and "$" in value


def _yielded(value: object, calls: Sequence[Listed], tools: Mapping[str, Tool]) -> Tool | None:
    """Return the tool whose result an argument is; None for any other value."""
    labels = {call.label: call.name for call in calls if call.label is not None}
    found = next(references(value, labels), None) if isinstance(value, str) else None
    return tools.get(labels.get(found.label, "")) if found is not None else None


def _may_be(given: Tool | None, wanted: Schema) -> bool:
    return given is None or not given.outputs or any(fits(each, wanted) for each in given.outputs.values())


def token(call: ToolCall) -> Call:
    """Return a call as it is shown in a plan: ``var2 = weather(lat=$var1.lat$)``."""
    shown = (*(f"{name}={_shown(value)}" for name, value in call.arguments.items()), *map(_shown, call.extra))
    return Call(name=call.name, args=shown, outputs=() if call.is_answer else (call.label,))


def _shown(value: object) -> str:
    is_reference = isinstance(value, str) and value.startswith("$") and " " not in value
    return str(value) if is_reference else json.dumps(value, ensure_ascii=False, default=str)
