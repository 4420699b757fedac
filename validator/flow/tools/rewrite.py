"""A repaired list of calls as people and programs get it: in the form that came in, and as a diff of calls."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from validator.flow.tools.calls import ASKED, Labels, ToolCall, bound, replaced, token, within
from validator.flow.tools.faults import faults
from validator.flow.tools.repair import Repaired
from validator.flow.tools.specifications import Tool
from validator.reading.calls.lists import Form, Listed, ListedCalls, read_list
from validator.reading.calls.objects import IDENTITIES, LABELS, PLAN_ARGUMENTS, Asked, pick, read_object, spelled
from validator.reading.calls.plans import TALK
from validator.reading.plan import Token
from validator.reading.values import equal
from validator.records import dataclass, replace
from validator.repair.diff import DiffAction, StepDiff

__all__ = ["Rewritten", "rewritten"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _NewCall:
    """A call to be written. ``source`` is the call that it was, None for a new one; ``label`` None keeps its own."""

    name: str
    arguments: Mapping[str, object]
    label: str | None = None
    source: Listed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A repaired list: ``value`` in the form that came in, ``changes``: how many calls are new, gone, changed or moved.

    ``questions`` are what the user has to say, each as ``TOOL.ARGUMENT``.
    """

    value: Any
    tokens: tuple[Token, ...]
    diffs: tuple[StepDiff, ...]
    changes: int
    questions: tuple[str, ...]


def rewritten(
    repaired: Repaired, given: Sequence[ToolCall], listed: ListedCalls, tools: Mapping[str, Tool], goals: Sequence[str]
) -> Rewritten | None:
    """Return a repaired list as it is shown; None when it is not accepted once it is written and read again."""
    value = _rewrite(listed, list(_new_calls(repaired.calls, given, listed)))
    again = bound(read_list(value), tools)
    if next(faults(again, tools), None) is not None or not {call.name for call in again}.issuperset(goals):
        return None
    if not listed.is_graph and not _are_same(again, repaired.calls):
        return None
    tokens, diffs = tuple(map(token, repaired.calls)), tuple(_diffs(repaired, given))
    assert any(each.diff_type for each in diffs) and tokens != tuple(map(token, given))
    named = ((f"{call.name}.{name}", value) for call in repaired.calls for name, value in call.arguments.items())
    asked = (name for name, each in named if any(one.label == ASKED for one in within(each, (ASKED,))))
    return Rewritten(
        value=_linked(value, again, listed),
        tokens=tokens,
        diffs=diffs,
        changes=_changes(repaired, given),
        questions=tuple(dict.fromkeys(asked)),
    )


def _are_same(some: Sequence[ToolCall], others: Sequence[ToolCall]) -> bool:
    pairs = zip(some, others, strict=False)
    return len(some) == len(others) and all(a.name == b.name and equal(a.arguments, b.arguments) for a, b in pairs)


def _new_calls(calls: Sequence[ToolCall], given: Sequence[ToolCall], listed: ListedCalls) -> Iterator[_NewCall]:
    used = Labels(calls).used()
    is_labelled = any(call.label is not None for call in listed.calls)
    nodes = {call.label: f"node-{place}" for place, call in enumerate(calls)} if listed.is_graph else {}
    for place, call in enumerate(calls):
        source = None if call.place is None else listed.calls[call.place]
        if call.place is None or call.label != given[call.place].label:
            needed = call.label in used or is_labelled
        else:
            needed = not call.has_label and call.label in used and call.label != f"var{place + 1}"
        arguments = {name: _renumbered(each, nodes) for name, each in call.arguments.items()}
        label = call.label if needed and not call.is_answer and not listed.is_graph else None
        yield _NewCall(name=call.name, arguments=arguments, label=label, source=source)


_NODE = re.compile(r"<([\w-]+)>")


def _renumbered(value: object, nodes: Mapping[str, str]) -> object:
    """Return a value in which the nodes of a graph have the numbers of their new places."""
    if not nodes:
        return value
    return replaced(value, lambda text: _NODE.sub(lambda match: f"<{nodes.get(match[1], match[1])}>", text))


def _linked(value: Any, calls: Sequence[ToolCall], listed: ListedCalls) -> Any:
    """Return a graph with a link for each result that a call uses, and without those of calls that are gone."""
    key = pick(value, ("task_links", "links")) if listed.is_graph else None
    if key is None:
        return value
    names = {call.label: call.name for call in calls}
    held = value[key] if isinstance(value[key], list) else []
    links = [link for link in held if isinstance(link, Mapping) and _ends(link).issubset(names.values())]
    for call in calls:
        for each in within(dict(call.arguments), names):
            link = {"source": names.get(each.label), "target": call.name}
            links += [link] if link["source"] and link not in links else []
    return {**value, key: links}


def _ends(link: Mapping[str, object]) -> set[object]:
    return {str(link.get("source")), str(link.get("target"))}


# --- the form that came in -----------------------------------------------------------------------


def _rewrite(listed: ListedCalls, calls: Sequence[_NewCall]) -> Any:
    """Return a value of the form that ``listed`` was read from, with other calls."""
    model = listed.calls[0] if listed.calls else None
    if listed.is_text:
        return _texts(calls)
    found = [_one(call, model) for call in calls]
    if listed.around is None:
        return found
    kept = [each for each in _list(listed.around, listed.key) if _is_remark(each)]
    return {**listed.around, listed.key: [*kept, *found]}


def _list(around: Mapping[str, object], key: str) -> Sequence[Any]:
    held = around[key]
    return held if isinstance(held, list) else ()


def _is_remark(value: object) -> bool:
    return isinstance(value, Mapping) and value.get("type") in TALK


def _one(call: _NewCall, model: Listed | None) -> Any:
    source = call.source or model
    if source is not None and source.form is Form.TEXT:
        return _text(call)
    if source is not None and source.form is Form.ANSWER:
        return {call.name: {name: [value] for name, value in call.arguments.items()}}
    if source is None or not isinstance(source.written, Mapping):
        found = {"name": call.name, "arguments": dict(call.arguments)}
        return found if call.label is None else {**found, "label": call.label}
    if call.source is not None and call.label is None and _is_same(call, call.source):
        return deepcopy(source.written)
    asked = read_object(source.written, is_plan=True)
    inside = asked.inside if isinstance(asked, Asked) else ()
    return _labelled(_object(source.written, inside, call, is_new=call.source is None), call)


def _is_same(call: _NewCall, source: Listed) -> bool:
    return call.name == source.name and not source.placed and dict(call.arguments) == dict(source.arguments)


def _object(value: Mapping[str, Any], inside: Sequence[str], call: _NewCall, *, is_new: bool) -> dict[str, Any]:
    """Return an object in which name and arguments are those of a call; what else it says stays.

    ``inside`` are the keys that lead to the name.
    """
    key = pick(value, inside[:1]) or inside[0]
    if len(inside) > 1:
        found = {**value, key: _object(value[key], inside[1:], call, is_new=is_new)}
        return _renamed(found, call, key) if is_new else found
    arguments = pick(value, PLAN_ARGUMENTS) or "arguments"
    found = {**value, key: call.name, arguments: _given(value.get(arguments), call, is_new=is_new)}
    if not is_new:
        return found
    return _renamed({name: each for name, each in found.items() if _is_kept(name, key, arguments)}, call, key)


def _is_kept(key: str, *others: str) -> bool:
    """Return whether a new call has a key that another one has: what it is called by, and of what type it is."""
    return key in (*others, "type", "jsonrpc", "method") or spelled(key) in (*IDENTITIES, *LABELS)


def _given(value: object, call: _NewCall, *, is_new: bool) -> Any:
    """Return arguments as they stood: a text of JSON, a list, or an object; by name where a place would shift."""
    if isinstance(value, str):
        return json.dumps(dict(call.arguments), ensure_ascii=False)
    if isinstance(value, list):
        if not value or all(isinstance(each, Mapping) and "value" in each for each in value):
            return [{"name": name, "value": each} for name, each in call.arguments.items()]
        if not is_new and len(value) == len(call.arguments):
            return list(call.arguments.values())
    return dict(call.arguments)


def _renamed(value: dict[str, Any], call: _NewCall, *kept: str) -> dict[str, Any]:
    """Return a new call's object with an identity of its own, and without another one's label."""
    found = {key: each for key, each in value.items() if spelled(key) not in LABELS or key in kept}
    for key in found:
        if spelled(key) in IDENTITIES and key not in kept:
            found[key] = call.label or call.name
    return found


def _labelled(value: dict[str, Any], call: _NewCall) -> dict[str, Any]:
    if call.label is None or call.label in (str(value.get(key)) for key in value if spelled(key) in IDENTITIES):
        return value
    signs = next((str(value[key]) for key in value if spelled(key) in LABELS), "")
    if signs.strip("$ ") == call.label or call.label.startswith("node-"):
        return value
    return {**value, "label": call.label}


def _texts(calls: Sequence[_NewCall]) -> str:
    """Return calls as one list, or with labels as assignments, a line each."""
    labels = [call.label or (call.source.label if call.source is not None else None) for call in calls]
    if not any(labels):
        return f"[{', '.join(map(_text, calls))}]"
    pairs = zip(labels, calls, strict=True)
    return "\n".join(f"{label} = {_text(call)}" if label else _text(call) for label, call in pairs)


def _text(call: _NewCall) -> str:
    named = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
    return f"{call.name}({named})"


# --- diffs ---------------------------------------------------------------------------------------


def _kept(repaired: Repaired, given: Sequence[ToolCall]) -> set[int | None]:
    """Return the places of the calls that stay as they are, where they are."""
    pairs = ((call, given[call.place]) for call in repaired.calls if call.place is not None)
    return {call.place for call, old in pairs if call.place not in repaired.moved and _is_equal(call, old)}


def _is_equal(one: ToolCall, other: ToolCall) -> bool:
    """Return whether two calls are written alike: a label for a call's place alone is not written."""
    plain = (replace(each, arguments={}, label=each.label if each.has_label else "") for each in (one, other))
    return next(plain) == next(plain) and equal(one.arguments, other.arguments)


def _changes(repaired: Repaired, given: Sequence[ToolCall]) -> int:
    """Return how many calls are new, gone, changed or moved; one that is changed and moved counts once."""
    there = {call.place for call in repaired.calls}
    gone = sum(call.place not in there for call in given)
    return gone + len(repaired.calls) - len(_kept(repaired, given))


def _diffs(repaired: Repaired, given: Sequence[ToolCall]) -> Iterator[StepDiff]:
    """Yield the lines of both lists: a call that is changed or moved is deleted where it was and added where it is."""
    kept = _kept(repaired, given)
    place = 0
    for call in repaired.calls:
        if call.place is not None and call.place not in repaired.moved:
            while place <= call.place:
                if place not in kept:
                    yield StepDiff(diff_type=DiffAction.DELETE, step=token(given[place]))
                place += 1
        yield StepDiff(diff_type=None if call.place in kept else DiffAction.ADD, step=token(call))
    yield from (StepDiff(diff_type=DiffAction.DELETE, step=token(gone)) for gone in given[place:])
