"""Calls written back in the form in which a list came: what stays is as it was, what is new looks like the rest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from validator.reading.calls.keys import ENVELOPES, IDENTITIES, LABELS, NAMES, PLAN_ARGUMENTS, PLAN_NAMES, pick, spelled
from validator.reading.calls.lists.read import Form, Listed, ListedCalls
from validator.reading.calls.objects import read_object
from validator.records import dataclass

__all__ = ["Rewritten", "rewrite"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A call to be written. ``source`` is the call that it was, None for a new one; ``label`` None keeps its own."""

    name: str
    arguments: Mapping[str, object]
    label: str | None = None
    source: Listed | None = None


def rewrite(listed: ListedCalls, calls: Sequence[Rewritten]) -> Any:
    """Return a value of the form that ``listed`` was read from, with other calls."""
    model = listed.calls[0] if listed.calls else None
    if listed.is_text:
        return _texts(calls)
    found = [_one(call, model) for call in calls]
    if listed.around is None:
        return found
    kept = [each for each in _list(listed.around, listed.key) if _is_remark(each)]
    return {**listed.around, listed.key: [*kept, *found], **_links(listed, calls)}


def _list(around: Mapping[str, object], key: str) -> Sequence[Any]:
    held = around[key]
    return held if isinstance(held, list) else ()


def _is_remark(value: object) -> bool:
    return isinstance(value, Mapping) and value.get("type") in ("text", "thinking", "redacted_thinking", "reasoning")


def _one(call: Rewritten, model: Listed | None) -> Any:
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
    return _object(source.written, call, is_new=call.source is None, is_outer=True)


def _is_same(call: Rewritten, source: Listed) -> bool:
    return call.name == source.name and not source.placed and dict(call.arguments) == dict(source.arguments)


def _object(value: Mapping[str, Any], call: Rewritten, *, is_new: bool, is_outer: bool = False) -> dict[str, Any]:
    """Return an object in which name, arguments and label are those of a call; what else it says stays."""
    inner = _inside(value)
    found = dict(value)
    if inner is not None:
        found[inner] = _object(value[inner], call, is_new=is_new)
        if is_new:
            found = _renamed(found, call, inner)
        return _labelled(found, call) if is_outer else found
    name = next(key for key in (pick(value, (each,)) for each in (*NAMES, *PLAN_NAMES)) if key and _is_name(value[key]))
    arguments = pick(value, PLAN_ARGUMENTS) or "arguments"
    found[name] = call.name
    found[arguments] = _given(value.get(arguments), call, is_new=is_new)
    if is_new:
        found = _renamed({key: each for key, each in found.items() if _is_kept(key, name, arguments)}, call, name)
    return _labelled(found, call) if is_outer else found


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _inside(value: Mapping[str, Any]) -> str | None:
    """Return the key of the object inside that is the call."""
    if value.get("method") == "tools/call" and isinstance(value.get("params"), Mapping):
        return "params"
    own = {spelled(str(key)): key for key in value}
    for key in ENVELOPES:
        inner = value.get(own.get(key, ""))
        if isinstance(inner, Mapping) and not isinstance(read_object(inner, is_plan=True), str):
            return own[key]
    return None


def _is_kept(key: str, *others: str) -> bool:
    """Return whether a new call has a key that another one has: what it is called by, and of what type it is."""
    return key in (*others, "type", "jsonrpc", "method") or spelled(key) in (*IDENTITIES, *LABELS)


def _given(value: object, call: Rewritten, *, is_new: bool) -> Any:
    """Return arguments as they stood: a text of JSON, a list, or an object; by name where a place would shift."""
    if isinstance(value, str):
        return json.dumps(dict(call.arguments), ensure_ascii=False)
    if isinstance(value, list):
        if not value or all(isinstance(each, Mapping) and "value" in each for each in value):
            return [{"name": name, "value": each} for name, each in call.arguments.items()]
        if not is_new and len(value) == len(call.arguments):
            return list(call.arguments.values())
    return dict(call.arguments)


def _renamed(value: dict[str, Any], call: Rewritten, *kept: str) -> dict[str, Any]:
    """Return a new call's object with an identity of its own, and without another one's label."""
    found = {key: each for key, each in value.items() if spelled(key) not in LABELS or key in kept}
    for key in found:
        if spelled(key) in IDENTITIES and key not in kept:
            found[key] = call.label or call.name
    return found


def _labelled(value: dict[str, Any], call: Rewritten) -> dict[str, Any]:
    if call.label is None or call.label in (str(value.get(key)) for key in value if spelled(key) in IDENTITIES):
        return value
    signs = next((str(value[key]) for key in value if spelled(key) in LABELS), "")
    if signs.strip("$ ") == call.label or call.label.startswith("node-"):
        return value
    return {**value, "label": call.label}


def _texts(calls: Sequence[Rewritten]) -> str:
    """Return calls as one list, or with labels as assignments, a line each."""
    labels = [call.label or (call.source.label if call.source is not None else None) for call in calls]
    if not any(labels):
        return f"[{', '.join(map(_text, calls))}]"
    pairs = zip(labels, calls, strict=True)
    return "\n".join(f"{label} = {_text(call)}" if label else _text(call) for label, call in pairs)


def _text(call: Rewritten) -> str:
    named = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
    return f"{call.name}({named})"


def _links(listed: ListedCalls, calls: Sequence[Rewritten]) -> dict[str, Any]:
    """Return the links of a graph: those that stood there between calls that are still called so."""
    key = next((key for key in listed.around or {} if spelled(key) == "task_links"), None)
    if key is None or listed.around is None:
        return {}
    names = {call.name for call in calls}
    links = (each for each in _list(listed.around, key) if isinstance(each, Mapping))
    return {key: [dict(link) for link in links if names.issuperset((link.get("source"), link.get("target")))]}
