"""JSON values that are plans: lists of calls and of texts, wrapped or numbered, with sets and with dependencies."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import accumulate
from typing import Protocol, TypeAlias, TypeGuard

from validator.reading.calls.objects import (
    ENVELOPES,
    ERRORS,
    FURTHER,
    IDENTITIES,
    LABELS,
    NOTHING,
    RESULTS,
    CallRequest,
    by_spelling,
    further,
    is_object,
    pick,
    read_object,
    spelled,
)
from validator.reading.plan import Span
from validator.reading.values import span_of
from validator.records import dataclass, field, replace

INSIDE = (
    *("plan", "steps", "todos", "tasks", "actions", "items", "planned_steps", "plan_steps", "task_nodes", "task_steps"),
    *("calls", "tool_calls", "function_calls", "executable_plan", "subtasks", "sub_tasks"),
)
"""Keys under which the steps of a plan stand."""

_WORDS = (
    *("step", "content", "description", "task", "title", "text", "active_form", "name"),
    *("action", "action_name", "tool", "tool_name", "skill"),
)
"""keys under which a step stands in words"""
NUMBERED = re.compile(r"(?:step[ _-]?)?(\d+)", re.IGNORECASE)

NodeNames: TypeAlias = Callable[[], Collection[str]]  # few lists need them


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One item of a plan: a call, or a text, which may be a step in any notation, or ``unread``, with the reason.

    Items of one ``batch`` have no order. ``after`` are the places of the items that come before this one, in a plan
    with dependencies; None where the order is that of the list. ``is_whole`` says of a text that it may be a plan.
    """

    call: CallRequest | None = None
    text: str | None = None
    unread: str = ""
    span: Span = (0, 0)
    batch: int | None = None
    after: tuple[int, ...] | None = None
    is_whole: bool = False


class Tools(Protocol):
    """Names that need no arguments beside them to be calls, and the parameters of those for which they are known."""

    def is_tool(self, name: str) -> bool: ...

    def parameters_of(self, name: str) -> Collection[str]: ...


def pieces(value: object, tools: Tools) -> tuple[Piece, ...]:
    """Return the items of a plan that is a JSON value."""
    reader = _Reader(tools)
    reader.read(value)
    return tuple(reader.found)


def is_of_objects(value: object) -> bool:
    """Return whether a value is in one of the two forms of the Embodied Agent Interface, which are dialects."""
    if isinstance(value, Mapping):
        lists = [each for key, each in value.items() if isinstance(each, list) and spelled(str(key)) not in INSIDE]
        return 0 < len(lists) == len(value) and all(isinstance(each, str | int) for one in lists for each in one)
    if not isinstance(value, list):
        return False
    return bool(value) and all(isinstance(each, Mapping) and set(each) == {"action", "object"} for each in value)


@dataclass
class _Reader:
    tools: Tools
    found: list[Piece] = field(default_factory=list)
    batches: int = 0
    batch: int | None = None
    """the number of the set that is read"""
    nodes: NodeNames = tuple
    """what the items of the list that is read are called"""

    def read(self, value: object) -> None:
        if isinstance(value, str):
            self._add(value, Piece(text=value, is_whole=True))
        elif isinstance(value, Mapping):
            self._object(value)
        elif isinstance(value, Sequence):
            self._list(value)
        else:
            self._unread(value, "a step is a call or a text")

    def _add(self, value: object, piece: Piece) -> None:
        """Add what a value is."""
        self.found.append(replace(piece, span=span_of(value), batch=self.batch))

    def _unread(self, value: object, reason: str) -> None:
        self._add(value, Piece(text=json.dumps(value, default=str, ensure_ascii=False), unread=reason))

    def _item(self, value: object) -> None:
        """Read an item of a list, of which a text is no plan."""
        if isinstance(value, str):
            self._add(value, Piece(text=value))
        else:
            self.read(value)

    def _list(self, value: Sequence[object], links: Sequence[object] | None = None) -> None:
        begins: list[int] = []
        if any(_is_of_type(each, _CALLS) for each in value):
            value = [each for each in value if not _is_of_type(each, TALK)]
        around, self.nodes = self.nodes, node_names(value)
        for each in value:
            begins.append(len(self.found))
            if not isinstance(each, list | tuple):
                self._item(each)
            elif (given := self._given(each)) is not None:
                self._add(each, Piece(call=CallRequest(name=each[0], given=given)))
            else:
                self._set(each)
        self.nodes = around
        before = dependencies(value, links)
        if before is not None:
            self._order([*begins, len(self.found)], before)

    def _set(self, value: Sequence[object]) -> None:
        """Read steps that have no order; what stands alone is no set: it may be several steps, one after the other."""
        begin, around = len(self.found), self.batch
        self.batches += 1
        self.batch = self.batches
        self.read(value)
        self.batch = around
        filled = [index for index in range(begin, len(self.found)) if self.found[index].text != ""]
        if len(filled) == 1:
            self.found[filled[0]] = replace(self.found[filled[0]], batch=None)

    def _given(self, value: Sequence[object]) -> list[object] | None:
        """Return the arguments of a list that is a step, ``["stack", "a", "b"]`` or ``["stack", ["a", "b"]]``, or None.

        A set of steps is none.
        """
        if not value or not isinstance(value[0], str | int):
            return None
        others = list(value[1:])
        if len(others) == 1 and isinstance(others[0], list | tuple):
            others = list(others[0])
        if not all(isinstance(each, str | int) for each in others):
            return None
        is_step = bool(self.tools.parameters_of(str(value[0]))) and not any(map(self.tools.is_tool, map(str, others)))
        return others if is_step else None

    def _order(self, begins: Sequence[int], before: Sequence[set[int]]) -> None:
        """Note which items come before each; they stand in an order that their dependencies allow."""
        order = first_come(before)
        if order is None:
            return
        groups = {node: self.found[begins[node] : begins[node + 1]] for node in order}
        ends = list(accumulate(map(len, groups.values()), initial=begins[0]))
        places = {node: range(*ends[place : place + 2]) for place, node in enumerate(order)}
        earlier = {node: sorted(place for other in before[node] for place in places[other]) for node in order}
        self.found[begins[0] :] = [
            replace(piece, after=tuple(earlier[node])) for node, group in groups.items() for piece in group
        ]

    def _object(self, value: Mapping[str, object]) -> None:
        call = read_object(value, is_plan=True)
        if self._lacks(call):
            value = _opened(value, call)
        kind = value.get("type")
        if isinstance(kind, str) and self.tools.is_tool(kind) and not self._is_tool(call):
            arguments = {key: each for key, each in value.items() if key != "type"}
            call = read_object({"action": kind, **arguments}, is_plan=True)  # {"type": "stack", "x": "a", "y": "b"}
        if self._lacks(call):
            call = self._with_siblings(call, value)
        if isinstance(call, str):
            if not self._holds(value):
                self._unread(value, call)
            return
        parameters = self.tools.parameters_of(call.name)
        if self._lacks(call) and (others := self._unknown(call, value)):
            self._unread(value, f"'{call.name}' takes {', '.join(parameters)}, and there are {', '.join(others)}")
        elif more := further_calls(value, self.nodes, parameters):
            self._unread(value, f"'{more[0]}' may ask for more than this step, or for something else")
        elif call.given is not None or self._is_named(call, value):
            self._add(value, Piece(call=call))
        elif not self._holds(value):
            self._unread(value, "it names no tool")

    def _holds(self, value: Mapping[str, object]) -> bool:
        """Read what an object that is no call holds: a list of steps, words, steps by their numbers, ``{"f": {...}}``.

        Return whether it holds any of these.
        """
        fields = by_spelling(value)
        inside = next((fields[key] for key in INSIDE if isinstance(fields.get(key), list | tuple | Mapping)), None)
        words = next((fields[key] for key in (*_WORDS, *INSIDE) if isinstance(fields.get(key), str)), None)
        numbered = [each for key, each in value.items() if NUMBERED.fullmatch(str(key))]
        if isinstance(inside, list | tuple):
            links = fields.get("task_links")
            self._list(inside, links if isinstance(links, list) else None)
            for key in filter(FURTHER.fullmatch, further(fields)):
                self._unread(fields[key], f"'{key}' may tell a further step")
        elif inside is not None:
            self.read(inside)
        elif isinstance(words, str):
            self._add(value, Piece(text=words, is_whole="\n" in words or not fields.keys().isdisjoint(INSIDE)))
        elif numbered:
            for each in numbered:
                self._item(each)
        elif len(value) == 1 and (only := self._keyed(value)) is not None:
            self._add(value, Piece(call=only))
        else:
            return False
        return True

    def _is_tool(self, call: CallRequest | str) -> bool:
        return isinstance(call, CallRequest) and self.tools.is_tool(call.name)

    def _lacks(self, call: CallRequest | str) -> TypeGuard[CallRequest]:
        """Return whether arguments of a call may stand beside its name."""
        return isinstance(call, CallRequest) and (call.given is None or self._is_short(call))

    def _is_short(self, call: CallRequest) -> bool:
        """Return whether a call has not as many arguments as its tool takes: others may stand beside them.

        So it is in ``{"action": "stack", "object": "a", "on": "b"}`` and in ``{"agent": "r", "action": "go", "args":
        {"to": "b"}}``.
        """
        wanted = len(self.tools.parameters_of(call.name))
        if not wanted or (given := call.arguments) is None:
            return False
        if isinstance(call.given, Mapping) or len(given) != 1:
            return len(given) < wanted or (len(given) > wanted and not isinstance(call.given, Mapping))
        return len(_BLANKS.split(given[0].text.strip(" \t\n,;()"))) != wanted

    def _is_named(self, call: CallRequest, value: Mapping[str, object]) -> bool:
        named = pick(value, ("tool", "tool_name", "function_name", "function"))
        return (named is not None and " " not in call.name) or self.tools.is_tool(call.name)

    def _with_siblings(self, call: CallRequest, value: Mapping[str, object]) -> CallRequest:
        """Return a call whose arguments stand beside its name: ``{"action": "stack", "x": "a", "y": "b"}``.

        They may stand under numbers there: ``{"arg1": "a", "arg2": "b"}``.
        """
        parameters = self.tools.parameters_of(call.name)
        given = {key: each for key, each in value.items() if spelled(str(key)) in parameters and each != call.name}
        if isinstance(call.given, Mapping):
            given |= {str(key): each for key, each in call.given.items()}
        if given:
            return replace(call, given=given) if call.given is None or len(given) == len(parameters) else call
        numbered = {int(match[1]): value[key] for key in value if (match := ARGUMENT.fullmatch(spelled(str(key))))}
        told = [numbered[number] for number in sorted(numbered) if numbered[number] not in (None, "", *NOTHING)]
        return replace(call, given=told) if parameters and len(told) == len(parameters) else call

    def _unknown(self, call: CallRequest, value: Mapping[str, object]) -> list[str]:
        """Return the keys beside a name whose values may be its arguments: ``{"action": "f", "to": "b"}``."""
        if not self.tools.parameters_of(call.name):
            return []
        return [
            str(key)
            for key, each in value.items()
            if isinstance(each, str) and each != call.name and each and not any(sign.isspace() for sign in each)
            if call.given is None or (each is not call.given and spelled(str(key)) not in _NO_ARGUMENTS)
        ]

    def _keyed(self, value: Mapping[str, object]) -> CallRequest | None:
        """Return ``{"f": {"x": 1}}``, and of a known tool ``{"f": [1]}``, as a call.

        The lists of accepted values of a benchmark's truth are no arguments.
        """
        ((name, given),) = value.items()
        is_tool = self.tools.is_tool(str(name))
        if not is_tool and (not _KEY.fullmatch(str(name)) or not isinstance(given, Mapping)):
            return None
        if isinstance(given, Mapping) and given and all(isinstance(each, list) for each in given.values()):
            return None
        found = read_object({"name": str(name), "arguments": given})
        return None if isinstance(found, str) else found


def _opened(value: Mapping[str, object], call: CallRequest) -> Mapping[str, object]:
    """Return what stands in an object and in the call inside of it: ``{"action": {"name": "f", ...}}``."""
    inner = next((each for key, each in value.items() if spelled(str(key)) in ENVELOPES and is_object(each)), None)
    return {**value, **inner} if inner is not None and call.name in inner.values() else value


_CALLS = ("tool_use", "function_call", "tool_call")
TALK = ("text", "thinking", "redacted_thinking", "reasoning", "output_text", "message")
"""types of the parts of a message: its calls, and its words and thoughts"""


def _is_of_type(value: object, types: Collection[str]) -> bool:
    return isinstance(value, Mapping) and value.get("type") in types


_KEY = re.compile(r"[^\W\d][\w.-]*")
_BLANKS = re.compile(r"[\s,;]+")
_NO_ARGUMENTS = frozenset((*IDENTITIES, *LABELS, *RESULTS, *ERRORS, "type", "step", "status", "reason"))
"""keys of a step whose values are no arguments"""
ARGUMENT = re.compile(r"(?:arg(?:ument)?|param(?:eter)?|obj(?:ect)?)_?(\d{1,2})")


# --- graphs: what each item depends on, as it says itself or as links between items say ------------

_BEFORE = ("depends_on", "dependencies", "dependency", "depends", "dep", "deps", "after", "prerequisites", "requires")
_NODES = ("id", "step_id", "task_id", "step_number", "step", "number", "index", "idx")


def dependencies(nodes: Sequence[object], links: Sequence[object] | None = None) -> list[set[int]] | None:
    """Return for each node of a graph the places of those that it depends on, as it says itself and as links say.

    None where there are no links, and no node says so.
    """
    keys = {place: pick(node, _BEFORE) for place, node in enumerate(nodes) if is_object(node)}
    if links is None and not any(keys.values()):
        return None
    named, pairs = _named(nodes), list[tuple[object, int | None]]()
    for place, node in enumerate(nodes):
        given = node[key] if is_object(node) and (key := keys[place]) is not None else ()
        pairs += [(name, place) for name in (given if isinstance(given, list | tuple) else (given,))]
    pairs += [(link.get("source"), named.get(str(link.get("target")))) for link in links or () if is_object(link)]
    found: list[set[int]] = [set() for _ in nodes]
    for name, after in pairs:
        if after is not None and str(name) in named:
            found[after] |= {named[str(name)]} - {after}
    return found


def node_names(value: object) -> NodeNames:
    """Return what the items of a list may be called by others."""
    return cache(lambda: _named(value) if isinstance(value, list | tuple) else ())


def further_calls(value: Mapping[str, object], nodes: NodeNames, parameters: Collection[str] = ()) -> list[str]:
    """Return the keys, no parameters, by which an object may ask for more than its call; a node's name is a link."""
    fields = by_spelling(value)
    found = (key for key in further(fields) if key not in parameters)
    return [key for key in found if not (isinstance(each := fields[key], str) and each in nodes())]


def _named(nodes: Sequence[object]) -> dict[str, int]:
    """Return the places of nodes by their names; of one that two nodes have nobody knows which is meant."""
    found: dict[str, set[int]] = {}
    for place, node in enumerate(nodes):
        for name in _node_names(node, place) if isinstance(node, Mapping) else ():
            found.setdefault(name, set()).add(place)
    return {name: min(places) for name, places in found.items() if len(places) == 1}


def _node_names(value: Mapping[str, object], place: int) -> Iterator[str]:
    """Yield what other items may call an item: its number or identity, else its name, else its place from 1."""
    identities = [value[key] for key in value if spelled(str(key)) in _NODES]
    yield from (str(each) for each in identities if isinstance(each, str | int))
    call = read_object(value, is_plan=True)
    if isinstance(call, CallRequest):
        yield call.name
    if not identities:
        yield str(place + 1)


def first_come(before: Sequence[set[int]]) -> list[int] | None:
    """Return the places in an order that has each behind those before it, as near to the given one as that goes.

    None where no order fits.
    """
    sorter = TopologicalSorter(dict(enumerate(before)))
    try:
        sorter.prepare()
    except CycleError:
        return None
    ready: list[int] = []
    found: list[int] = []
    while sorter.is_active():
        ready = sorted([*ready, *sorter.get_ready()])
        found.append(ready.pop(0))
        sorter.done(found[-1])
    return found
