"""A list of calls that are to be made, in whatever form it comes.

[{"name": "f", "arguments": {...}, "label": "var1"}, ...]          and every other object of ``objects``
{"tool_calls": [...]}, {"content": [{"type": "tool_use"}]}         a message that asks for the calls; {"output": [...]}
{"task_nodes": [...], "task_links": [...]}                         TaskBench: a graph, put in an order that it allows
[{"f": {"x": ["a", "b"]}}]                                         BFCL's answers: the first of the accepted values
'[f(x="a"), g(z="c")]'                                             a text in the way of Python
<tool_call>{"name": "f", "arguments": {...}}</tool_call>           and every other form of ``wire``
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from validator.errors import ModelError
from validator.reading.arguments import Arguments, Untyped, named_values
from validator.reading.calls.objects import CallRequest, is_object, read_object, spelled
from validator.reading.calls.plans import TALK, dependencies, first_come
from validator.reading.calls.wire import WireCall, wire_calls
from validator.reading.calls.written import read_calls
from validator.reading.fields import members
from validator.reading.values import FENCE, json_values, printed_value
from validator.records import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A call of a list.

    ``placed`` are arguments without a name. ``label`` is None where the call has none; ``call_id`` is what its provider
    calls it. ``after`` are the places of the calls that a graph puts before it. ``is_told`` says that it came as an
    object that has arguments, or nothing but a name.
    """

    name: str
    arguments: Mapping[str, object]
    placed: tuple[object, ...] = ()
    label: str | None = None
    call_id: str | None = None
    after: tuple[int, ...] = ()
    is_told: bool = False
    is_typed: bool = True
    """whether texts differ from other values"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedCalls:
    """A list of calls; those of a graph are labelled by their places. ``is_cyclic`` is a graph that no order fits."""

    calls: tuple[Listed, ...]
    is_graph: bool = False
    is_cyclic: bool = False
    unread: str = ""
    """why nothing is known of the calls: a text was given in which none is"""


_LISTS = ("tool_calls", "function_calls", "calls", "content", "output", "ground_truth", "choices", "messages")


def read_list(value: object, where: str = "calls") -> ListedCalls:
    """Return the calls of a list. Raises ModelError for what is none, with its place."""
    if isinstance(value, str):
        return _of_text(value, where)
    if is_object(value):
        keys = {spelled(str(key)): str(key) for key in value}
        if "task_nodes" in keys:
            return _graph(value, keys["task_nodes"], value.get(keys.get("task_links", ""), ()), where)
        key = next((keys[name] for name in _LISTS if isinstance(value.get(keys.get(name, "")), list)), None)
        if key is not None and key not in _HOLDING_MESSAGES:
            return ListedCalls(calls=tuple(_calls(value[key], f"{where}.{key}")))
        if key is not None or _is_message(value):
            return _joined([read_list(each, path) for each, path in _inside(value, where)])
        if not isinstance(read_object(value, is_plan=True), str) or _answer(value) is not None:
            return ListedCalls(calls=(_call(value, where),))
    if isinstance(value, list | tuple) and value and all(is_object(each) and _is_message(each) for each in value):
        return read_list({"messages": value}, where)
    return ListedCalls(calls=tuple(_calls(value, where)))


_HOLDING_MESSAGES = ("choices", "messages")
_OTHERS = ("user", "system", "developer", "tool", "function")
"""roles of those who make no calls"""


def _is_message(value: Mapping[str, object]) -> bool:
    """Return whether an object is a message or holds one, and is no call."""
    return is_object(value.get("message")) or ("role" in value and isinstance(read_object(value, is_plan=True), str))


def _inside(value: Mapping[str, object], where: str) -> Iterator[tuple[object, str]]:
    """Yield what of a message or of a list of messages may ask for calls."""
    listed = next((key for key in _HOLDING_MESSAGES if isinstance(value.get(key), list)), None)
    if listed is not None:
        for path, member in members(value[listed], f"{where}.{listed}"):
            if not is_object(member) or member.get("role") not in _OTHERS:
                yield member, path
    elif is_object(value.get("message")):
        yield value["message"], f"{where}.message"
    elif isinstance(value.get("content"), str):
        yield value["content"], f"{where}.content"


def _joined(lists: Sequence[ListedCalls]) -> ListedCalls:
    """Return the calls of several lists as one, which is unread where none of them tells any."""
    calls = tuple(call for each in lists for call in each.calls)
    return ListedCalls(calls=calls, unread="" if calls else next((each.unread for each in lists if each.unread), ""))


def _calls(value: object, where: str) -> Iterator[Listed]:
    for path, member in members(value, where):
        if isinstance(member, Mapping) and member.get("type") in TALK:
            continue
        yield _call(member, path)


def _call(value: object, where: str) -> Listed:
    if isinstance(value, str) and (calls := _in_calls(value, where)) is not None and len(calls) == 1:
        return calls[0]
    if not is_object(value):
        raise ModelError(f"{where}: an object was expected, not {str(value)[:60]!r}")
    call = read_object(value, is_plan=True)
    if not isinstance(call, str):
        return _of_asked(call, where, value) if call.given is not None else _of_name(call, where, value)
    if (answer := _answer(value)) is not None:
        return answer
    raise ModelError(f"{where}.name: {call}")


def _of_name(call: CallRequest, where: str, value: object) -> Listed:
    """Return the call that a name is, or that stands in its place: ``{"action": "f(x=1)"}``."""
    if not _BRACKET.search(call.name):
        return _of_asked(call, where, value)
    calls = _in_calls(call.name, where) or ()
    if len(calls) != 1:
        raise ModelError(f"{where}: a call such as f(x=1) was expected, not {call.name!r:.60}")
    return replace(calls[0], label=call.label or calls[0].label, call_id=call.call_id)


_BRACKET = re.compile(r"[(\[]")


def _of_asked(call: CallRequest, where: str, written: object = None) -> Listed:
    """Return a call that was asked for, as ``written`` or in the form of a provider."""
    arguments, placed = _arguments(call.given, where)
    return Listed(
        name=call.name,
        arguments=arguments,
        placed=placed,
        label=call.label,
        call_id=call.call_id,
        is_told=written is None or call.given is not None or (is_object(written) and len(written) == 1),
        is_typed=not isinstance(call.given, Untyped),
    )


def _arguments(given: object, where: str) -> tuple[Mapping[str, object], tuple[object, ...]]:
    """Return arguments by name, and those that have none."""
    if isinstance(given, str):
        text = given
        try:
            given = json.loads(text) if text.strip() else None
        except (ValueError, RecursionError):
            given = printed_value(text)
            if not isinstance(given, dict):
                raise ModelError(f"{where}: the arguments are not JSON: {text[:60]!r}") from None
    if given is None:
        return {}, ()
    if isinstance(given, Mapping):
        return {str(name): each for name, each in given.items()}, ()
    if not isinstance(given, list):
        raise ModelError(f"{where}: an object of arguments was expected, not {str(given)[:60]!r}")
    pairs = named_values(given)
    return ({}, tuple(given)) if pairs is None else (dict(pairs), ())


def _answer(value: Mapping[str, object]) -> Listed | None:
    """Return the call that an answer of BFCL is: each argument with the list of its accepted values, "" for none."""
    name, given = next(iter(value.items()), ("", None))
    if len(value) != 1 or not is_object(given) or not all(isinstance(each, list) and each for each in given.values()):
        return None
    firsts = {key: _first(each) for key, each in given.items()}
    arguments = {key: each for key, each in firsts.items() if each != ""}
    return Listed(name=str(name), arguments=arguments)


def _first(accepted: object) -> object:
    """Return the first of the accepted values, of an object the first ones of its fields."""
    first = accepted[0] if isinstance(accepted, list) else accepted
    if is_object(first) and all(isinstance(each, list) and each for each in first.values()):
        return {key: inner for key, each in first.items() if (inner := _first(each)) != ""}
    if isinstance(first, list) and all(is_object(each) for each in first):
        return [_first([each]) for each in first]
    return first


# --- texts ---------------------------------------------------------------------------------------


def _of_text(text: str, where: str) -> ListedCalls:
    """Return the calls of a text: JSON, calls in the way of Python, or these with sentences around them."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, Mapping | list):
        return read_list(value, where)
    if found := wire_calls(text):
        return ListedCalls(calls=tuple(_of_wire(each, text, where) for each in found))
    return _in_sentences(text, where)


_LINE = re.compile(
    r"^[ \t>]*+(?:[-*+]|\d{1,4}[.):]|Action(?:[ ]\d{1,4})?:)?[ \t]*+"
    r"`?(?P<call>\[?[A-Za-z_][\w.]*\(.*\)\]?|(?<=: )(?!Finish)[A-Za-z_][\w.]*\[.*\])`?[ \t]*+;?[ \t]*+$",
    re.MULTILINE,
)
_REACT = re.compile(r"\A([A-Za-z_][\w.]*)\[(.*)\]\Z")
"""a call as Yao et al. (2023) write it"""
_KEY = re.compile(r"""["'](?:name|function|tool|tool_name|action|arguments|parameters|tool_calls)["']\s*:""")
"""what stands in a call that is a value"""


def _in_sentences(text: str, where: str) -> ListedCalls:
    """Return the calls of a text with sentences around them: in fences, where one has any, else anywhere."""
    fences = [match["inside"] for match in FENCE.finditer(text)]
    for parts in (fences, [text]):
        lists = list[ListedCalls]()
        for part in parts:
            lists += _of_part(part, where)
        if broken := next((each for each in lists if each.unread), None):
            return broken
        if len(lists) > 1 and any(len(each.calls) != 1 for each in lists):
            return ListedCalls(
                calls=(), unread=f"{len(lists)} lists of calls are in the text; which one counts is not said"
            )
        if lists:
            return lists[0] if len(lists) == 1 else _joined(lists)
    return ListedCalls(calls=(), unread="no call is in the text")


def _of_part(text: str, where: str) -> Iterator[ListedCalls]:
    """Yield the lists of calls in a part of a text: a program of calls, values, or calls that stand on lines."""
    if (calls := _in_calls(text, where)) is not None:
        yield ListedCalls(calls=tuple(calls))
        return
    read = [(value.span, found) for value in json_values(text) if (found := _of_value(value.plain, where)) is not None]
    yield from (found for _, found in read)
    starts = [start for (start, _), _ in read]
    before = ((match, bisect_right(starts, match.start()) - 1) for match in _KEY.finditer(text))
    if any(place < 0 or match.start() >= read[place][0][1] for match, place in before):
        yield ListedCalls(calls=(), unread="a part of the text begins as a call does, and could not be read")
    elif not read:
        lines = [_in_calls(_REACT.sub(r"\1(\2)", match["call"]), where) for match in _LINE.finditer(text)]
        if None in lines:
            yield ListedCalls(calls=(), unread="a line of the text looks like a call, and could not be read")
        elif lines:
            yield ListedCalls(calls=tuple(call for line in lines for call in line or ()))


def _of_value(value: object, where: str) -> ListedCalls | None:
    """Return the calls of a value between sentences; None for one that only looks like one, as ``{"name": "Bob"}``."""
    try:
        found = read_list(value, where)
    except ModelError:
        return None
    return found if found.calls and all(call.is_told for call in found.calls) else None


def _of_wire(each: WireCall, text: str, where: str) -> Listed:
    if each.call is None:
        reason = "this begins as a call does, and could not be read"
        raise ModelError(f"{where}: {reason}", text=text, offset=each.span[0])
    return _of_asked(each.call, where)


def _in_calls(text: str, where: str) -> list[Listed] | None:
    """Return the calls of a text that is nothing else; None where one of their values is not known."""
    calls = read_calls(text)
    if calls is None or (not calls and text.strip() != "[]"):
        return None
    try:
        return [_of_call(label, name, arguments or (), where) for label, (name, arguments) in calls]
    except (ValueError, RecursionError):
        return None


def _of_call(label: str | None, name: str, arguments: Arguments, where: str) -> Listed:
    """Return a written call. Raises ValueError for a value that is no literal."""
    named: dict[str, object] = {}
    placed: list[object] = []
    for each in arguments:
        value = each.text if each.is_string else json.loads(each.text)
        if each.name is None:
            placed.append(value)
        elif each.name in named:
            raise ModelError(f"{where}: {name} is given '{each.name}' twice")
        else:
            named[each.name] = value
    return Listed(name=name, arguments=named, placed=tuple(placed), label=label)


# --- graphs --------------------------------------------------------------------------------------


_NODE = re.compile(r"<node-(\d{1,9})>")


def _graph(value: Mapping[str, object], key: str, links: object, where: str) -> ListedCalls:
    """Return the calls of a graph in an order that it allows, the first ones first; ``<node-N>`` is the N-th of it."""
    nodes = list(members(value[key], f"{where}.{key}"))
    calls = [_call(node, path) for path, node in nodes]
    linked = dependencies([node for _, node in nodes], links if isinstance(links, list | tuple) else ())
    before = linked or [set() for _ in calls]
    for place, call in enumerate(calls):
        named = map(int, _NODE.findall(json.dumps([call.arguments, call.placed], default=str)))
        before[place] |= {node for node in named if node < len(calls) and node != place}
    order = first_come(before)
    places = order or range(len(calls))
    new = {old: place for place, old in enumerate(places)}
    listed = tuple(
        replace(calls[old], label=f"node-{old}", call_id=None, after=tuple(sorted(new[each] for each in before[old])))
        for old in places
    )
    return ListedCalls(calls=listed, is_graph=True, is_cyclic=order is None)
