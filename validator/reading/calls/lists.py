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
from validator.reading.calls.objects import CallRequest, by_spelling, further, is_object, read_object
from validator.reading.calls.plans import INSIDE, TALK, NodeNames, dependencies, first_come, further_calls, node_names
from validator.reading.calls.wire import wire_calls
from validator.reading.calls.written import read_calls
from validator.reading.fields import members
from validator.reading.traces.conversation import chat
from validator.reading.traces.messages import Message, is_message
from validator.reading.traces.parts import spoken
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


_LISTS = ("tool_calls", "function_calls", "calls", "output", "content", "ground_truth", *INSIDE)
"""Keys under which the calls of an object stand that is no message."""
_NO_CALL = "no call is in the text"


def read_list(value: object, where: str = "calls") -> ListedCalls:
    """Return the calls of a list. Raises ModelError for what is none, with its place."""
    if isinstance(value, str):
        return _of_text(value, where)
    if is_object(value):
        return _of_object(value, where)
    is_chat = isinstance(value, list | tuple) and value and all(is_object(each) and is_message(each) for each in value)
    return _of_messages(chat(value), where) if is_chat else _of_members(value, where)


def _of_object(value: Mapping[str, object], where: str, nodes: NodeNames = tuple) -> ListedCalls:
    """Return what an object asks for: a graph, a message, a call, what holds calls, or what holds messages.

    ``nodes`` are the names of the objects of the list in which it stands.
    """
    fields = by_spelling(value)
    if "task_nodes" in fields:
        return _graph(fields["task_nodes"], fields.get("task_links"), where)
    if is_message(value):
        return _of_messages(chat(value), where)
    call = read_object(value, is_plan=True)
    listed = _answer(value) if isinstance(call, str) else _of_call(call, value, where, nodes)
    if listed is not None:
        return ListedCalls(calls=(listed,))
    key = next((key for key in _LISTS if isinstance(fields.get(key), list | tuple)), None)
    if key is not None:
        _refuse_more([more for more in further(fields) if more != key], where)
        return _of_members(fields[key], f"{where}.{key}")
    if messages := chat(value):
        return _of_messages(messages, where)
    raise ModelError(f"{where}.name: {call}")


def _of_members(value: object, where: str) -> ListedCalls:
    listed = list[ListedCalls]()
    nodes = node_names(value)
    for path, member in members(value, where):
        if is_object(member):
            listed += [] if member.get("type") in TALK else [_of_object(member, path, nodes)]
        elif isinstance(member, str) and (calls := _in_calls(member, path)) is not None and len(calls) == 1:
            listed.append(ListedCalls(calls=tuple(calls)))
        else:
            raise ModelError(f"{path}: an object was expected, not {str(member)[:60]!r}")
    return _joined(listed)


def _of_messages(messages: Sequence[Message], where: str) -> ListedCalls:
    """Return the calls that messages ask for; where none does, those that each writes in what it says last."""
    for missed in (each for message in messages for each in message.missed):
        raise ModelError(f"{where}: {missed}")
    if asked := tuple(_of_asked(call, where) for message in messages for call in message.calls):
        return ListedCalls(calls=asked)
    said = (text for message in messages if message.role == "assistant" for text in message.texts[-1:])
    return _joined([_of_text(text, where) for text in said])


def _joined(lists: Sequence[ListedCalls]) -> ListedCalls:
    """Return the calls of several lists as one, which is unread where a part of it is, or none has a call."""
    calls = tuple(call for each in lists for call in each.calls)
    reasons = [each.unread for each in lists if each.unread and not (calls and each.unread == _NO_CALL)]
    return ListedCalls(calls=() if reasons else calls, unread=next(iter(reasons), ""))


def _refuse_more(keys: Sequence[str], where: str) -> None:
    if keys:
        raise ModelError(f"{where}: '{keys[0]}' may ask for more calls, or for others")


def _of_call(call: CallRequest, value: Mapping[str, object], where: str, nodes: NodeNames) -> Listed:
    _refuse_more(further_calls(value, nodes), where)
    return _of_asked(call, where, value) if call.given is not None else _of_name(call, where, value)


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
    for unread in (each.span for each in wire_calls(text) if each.call is None):
        reason = "this begins as a call does, and could not be read"
        raise ModelError(f"{where}: {reason}", text=text, offset=unread[0])
    asked, missed = spoken(text)
    if missed:
        return ListedCalls(calls=(), unread=missed[0])
    if asked:
        calls = (_of_asked(_with_list(part.call), where) for part in asked if part.call is not None)
        return ListedCalls(calls=tuple(calls))
    return _in_sentences(text, where)


def _with_list(call: CallRequest) -> CallRequest:
    """Return a call whose input is words, which are its one argument: ``Action Input: Rome``."""
    is_words = isinstance(call.given, str) and call.given.strip()[:1] not in ("", "{", "[")
    return replace(call, given=[call.given]) if is_words else call


_LINE = re.compile(
    r"^[ \t>]*+(?:[-*+]|\d{1,4}[.):]|Action(?:[ ]\d{1,4})?:)?[ \t]*+"
    r"`?(?P<call>\[?[A-Za-z_][\w.]*\(.*\)\]?)`?[ \t]*+;?[ \t]*+$",
    re.MULTILINE,
)
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
    return ListedCalls(calls=(), unread=_NO_CALL)


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
        lines = [_in_calls(match["call"], where) for match in _LINE.finditer(text)]
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


def _in_calls(text: str, where: str) -> list[Listed] | None:
    """Return the calls of a text that is nothing else; None where one of their values is not known."""
    calls = read_calls(text)
    if calls is None or (not calls and text.strip() != "[]"):
        return None
    try:
        return [_of_written(label, name, arguments or (), where) for label, (name, arguments) in calls]
    except (ValueError, RecursionError):
        return None


def _of_written(label: str | None, name: str, arguments: Arguments, where: str) -> Listed:
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


def _graph(listed: object, links: object, where: str) -> ListedCalls:
    """Return the calls of a graph in an order that it allows, the first ones first; ``<node-N>`` is the N-th of it."""
    nodes = list(members(listed, f"{where}.task_nodes"))
    calls = [call for path, node in nodes for call in _of_members([node], path).calls]
    before = dependencies([node for _, node in nodes], links if isinstance(links, list | tuple) else ()) or []
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
