"""A list of calls that are to be made, in whatever form it comes: what ``read_list`` returns can be written back.

[{"name": "f", "arguments": {...}, "label": "var1"}, ...]          and every other object of ``objects``
{"tool_calls": [...]}, {"content": [{"type": "tool_use"}]}         a message that asks for the calls; {"output": [...]}
{"task_nodes": [...], "task_links": [...]}                         TaskBench: a graph, put in an order that it allows
[{"f": {"x": ["a", "b"]}}]                                         BFCL's answers: the first of the accepted values
'[f(x="a"), g(z="c")]'                                             a text in the way of Python
<tool_call>{"name": "f", "arguments": {...}}</tool_call>           and every other form of ``wire``
"""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter

from validator.errors import ModelError
from validator.reading.arguments import Untyped, printed_value, read_arguments
from validator.reading.calls.keys import is_object, spelled
from validator.reading.calls.objects import read_object
from validator.reading.calls.wire import WireCall, wire_calls
from validator.reading.fields import members
from validator.records import dataclass

__all__ = ["Form", "Listed", "ListedCalls", "read_list"]


class Form(StrEnum):
    """How a call is written."""

    OBJECT = "object"
    ANSWER = "answer"
    """``{"f": {"x": ["a"]}}``"""
    TEXT = "text"
    """``f(x="a")``"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A call of a list.

    ``placed`` are arguments without a name. ``label`` is None where the call has none; ``call_id`` is what its provider
    calls it. ``after`` are the places of the calls that a graph puts before it; ``written`` is the call as it came.
    """

    name: str
    arguments: Mapping[str, object]
    placed: tuple[object, ...] = ()
    label: str | None = None
    call_id: str | None = None
    after: tuple[int, ...] = ()
    written: object = None
    form: Form = Form.OBJECT
    is_typed: bool = True
    """whether texts are told from other values"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedCalls:
    """A list of calls. ``around`` is the object that has it, under ``key``; ``is_text`` says that a text was given.

    ``is_cyclic`` is a graph that no order fits.
    """

    calls: tuple[Listed, ...]
    around: Mapping[str, object] | None = None
    key: str = ""
    is_text: bool = False
    is_graph: bool = False
    is_cyclic: bool = False


_LISTS = ("tool_calls", "function_calls", "calls", "content", "output", "ground_truth", "choices")


def read_list(value: object, where: str = "calls") -> ListedCalls:
    """Return the calls of a list. Raises ModelError for what is none, with its place."""
    if isinstance(value, str):
        return _of_text(value, where)
    if is_object(value):
        own = {spelled(str(key)): str(key) for key in value}
        if "task_nodes" in own:
            return _graph(value, own["task_nodes"], value.get(own.get("task_links", ""), ()), where)
        key = next((own[name] for name in _LISTS if isinstance(value.get(own.get(name, "")), list)), None)
        if key is not None:
            calls = tuple(_calls(value[key], f"{where}.{key}"))
            return ListedCalls(calls=calls, around=value, key=key)
    return ListedCalls(calls=tuple(_calls(value, where)))


def _calls(value: object, where: str) -> Iterator[Listed]:
    for path, member in members(value, where):
        if isinstance(member, Mapping) and member.get("type") in _REMARKS:
            continue
        yield _call(member, path)


_REMARKS = ("text", "thinking", "redacted_thinking", "reasoning", "message")
"""parts of a message that are no calls"""


def _call(value: object, where: str) -> Listed:
    if isinstance(value, str) and (read := _written(value)) is not None:
        return read
    if not is_object(value):
        raise ModelError(f"{where}: an object was expected, not {str(value)[:60]!r}")
    call = read_object(value, is_plan=True)
    if isinstance(call, str):
        if (answer := _answer(value)) is not None:
            return answer
        raise ModelError(f"{where}.name: {call}")
    arguments, placed = _arguments(call.given, where)
    return Listed(
        name=call.name, arguments=arguments, placed=placed, label=call.label, call_id=call.call_id, written=value
    )


def _arguments(given: object, where: str) -> tuple[Mapping[str, object], tuple[object, ...]]:
    """Return arguments by name, and those that have none."""
    if isinstance(given, str):
        text = given
        try:
            given = json.loads(text) if text.strip() else None
        except (ValueError, RecursionError):
            raise ModelError(f"{where}: the arguments are not JSON: {text[:60]!r}") from None
    if given is None:
        return {}, ()
    if isinstance(given, Mapping):
        return {str(name): each for name, each in given.items()}, ()
    if not isinstance(given, list):
        raise ModelError(f"{where}: an object of arguments was expected, not {str(given)[:60]!r}")
    named = read_arguments(given) or ()
    if given and all(each.name is not None for each in named):
        values = [next(v for key, v in each.items() if key == "value") for each in given]
        return {str(each.name): value for each, value in zip(named, values, strict=True)}, ()
    return {}, tuple(given)


def _answer(value: Mapping[str, object]) -> Listed | None:
    """Return the call that an answer of BFCL is: each argument with the list of its accepted values, "" for none."""
    name, given = next(iter(value.items()), ("", None))
    if len(value) != 1 or not is_object(given) or not all(isinstance(each, list) and each for each in given.values()):
        return None
    firsts = {key: _first(each) for key, each in given.items()}
    arguments = {key: each for key, each in firsts.items() if each != ""}
    return Listed(name=str(name), arguments=arguments, written=value, form=Form.ANSWER)


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
    """Return the calls of a text: JSON, or calls in the way of Python."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, Mapping | list):
        return read_list(value, where)
    if asked := wire_calls(text):
        return ListedCalls(calls=tuple(_wired(each, text, where) for each in asked))
    calls = _python(text)
    if calls is None:
        raise ModelError(f"{where}: a list was expected, not {text[:60]!r}")
    return ListedCalls(calls=tuple(calls), is_text=True)


def _wired(each: WireCall, text: str, where: str) -> Listed:
    if each.call is None:
        said = "this begins as a call does, and could not be read"
        raise ModelError(f"{where}: {said}", text=text, offset=each.span[0])
    given = each.call.given
    printed = printed_value(given) if isinstance(given, str) else None
    arguments, placed = _arguments(printed if isinstance(printed, dict) else given, where)
    written = {"name": each.call.name, "arguments": arguments}
    return Listed(
        name=each.call.name,
        arguments=arguments,
        placed=placed,
        call_id=each.call.call_id,
        written=written,
        is_typed=not isinstance(given, Untyped),
    )


def _written(text: str) -> Listed | None:
    calls = _python(text)
    return calls[0] if calls is not None and len(calls) == 1 else None


def _python(text: str) -> list[Listed] | None:
    """Return the calls of ``[f(x="a"), g(z="c")]``, ``f(x=1)``, or one a line; None for any other text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that Python does not know
            tree = ast.parse(text.strip(), mode="exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found: list[Listed] = []
    for statement in tree.body:
        label, value = _assigned(statement)
        for node in value.elts if isinstance(value, ast.List | ast.Tuple) else (value,):
            call = _of_python(node, label)
            if call is None:
                return None
            found.append(call)
    return found if found or text.strip() == "[]" else None


def _assigned(statement: ast.stmt) -> tuple[str | None, ast.expr | None]:
    """Return the value of a statement, with the name of ``var1 = f(x=1)``."""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id, statement.value
    return None, statement.value if isinstance(statement, ast.Expr) else None


def _of_python(node: ast.expr | None, label: str | None) -> Listed | None:
    if not isinstance(node, ast.Call):
        return None
    try:
        named = {str(each.arg): ast.literal_eval(each.value) for each in node.keywords if each.arg is not None}
        placed = tuple(ast.literal_eval(each) for each in node.args)
    except (ValueError, TypeError, RecursionError):
        return None
    return Listed(name=ast.unparse(node.func), arguments=named, placed=placed, label=label, form=Form.TEXT)


# --- graphs --------------------------------------------------------------------------------------


def _graph(value: Mapping[str, object], key: str, links: object, where: str) -> ListedCalls:
    """Return the calls of a graph in an order that it allows, the first ones first; ``<node-N>`` is the N-th of it."""
    nodes = list(members(value[key], f"{where}.{key}"))
    calls = [_call(node, path) for path, node in nodes]
    before = [{n for n in range(len(calls)) if n != place and _refers(call, n)} for place, call in enumerate(calls)]
    for source, target in _linked([call.name for call in calls], links):
        before[target].add(source)
    try:
        order = _first_come(before)
    except CycleError:
        order = list(range(len(calls)))
        return ListedCalls(
            calls=tuple(_nodes(calls, order, before)), around=value, key=key, is_graph=True, is_cyclic=True
        )
    return ListedCalls(calls=tuple(_nodes(calls, order, before)), around=value, key=key, is_graph=True)


def _linked(names: Sequence[str], links: object) -> Iterator[tuple[int, int]]:
    """Yield the pairs of places that links connect; of a name that two nodes have nobody knows which one is meant."""
    places = {name: place for place, name in enumerate(names) if names.count(name) == 1}
    for link in links if isinstance(links, list | tuple) else ():
        ends = (link.get("source"), link.get("target")) if isinstance(link, Mapping) else (None, None)
        source, target = (places.get(str(end)) for end in ends)
        if source is not None and target is not None and source != target:
            yield source, target


def _refers(call: Listed, node: int) -> bool:
    return f"<node-{node}>" in json.dumps([call.arguments, call.placed], default=str)


def _nodes(calls: Sequence[Listed], order: Sequence[int], before: Sequence[set[int]]) -> Iterator[Listed]:
    new = {old: place for place, old in enumerate(order)}
    for old in order:
        call = calls[old]
        after = tuple(sorted(new[each] for each in before[old]))
        yield Listed(
            name=call.name,
            arguments=call.arguments,
            placed=call.placed,
            label=f"node-{old}",
            after=after,
            written=call.written,
        )


def _first_come(before: Sequence[set[int]]) -> list[int]:
    """Return the places in an order that has each behind those before it, as near to the given one as that goes."""
    sorter = TopologicalSorter(dict(enumerate(before)))
    sorter.prepare()
    ready: list[int] = []
    found: list[int] = []
    while sorter.is_active():
        ready = sorted([*ready, *sorter.get_ready()])
        found.append(ready.pop(0))
        sorter.done(found[-1])
    return found
