"""A mended list of calls as people and programs get it: in the form that came in, and as a diff of calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from validator.flow.tools.declared.specifications import Tool
from validator.flow.tools.listed.calls import ToolCall, bound, token
from validator.flow.tools.listed.faults import faults
from validator.flow.tools.listed.references import ASKED, references, replaced, texts
from validator.flow.tools.mended.search import Mended
from validator.reading.calls.lists import ListedCalls, read_list
from validator.reading.calls.lists.rewrite import Rewritten, rewrite
from validator.reading.equality import equal
from validator.reading.plan import Token
from validator.records import dataclass, replace
from validator.repair.diff import DiffAction, StepDiff

__all__ = ["Told", "told"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A mended list: ``value`` in the form that came in, ``changes`` how many calls are new, gone, changed or moved."""

    value: Any
    calls: tuple[ToolCall, ...]
    diffs: tuple[StepDiff, ...]
    changes: int

    @property
    def tokens(self) -> tuple[Token, ...]:
        return tuple(map(token, self.calls))

    @property
    def asked(self) -> tuple[str, ...]:
        """Return what the user has to say, each as ``TOOL.ARGUMENT``."""
        named = ((f"{call.name}.{name}", value) for call in self.calls for name, value in call.arguments.items())
        return tuple(dict.fromkeys(name for name, value in named if _is_asked(value)))


def _is_asked(value: object) -> bool:
    return any(each.label == ASKED for text in texts(value) for each in references(text, (ASKED,)))


def told(
    mended: Mended, given: Sequence[ToolCall], listed: ListedCalls, tools: Mapping[str, Tool], goals: Sequence[str]
) -> Told | None:
    """Return a mended list as it is told; None when it is not accepted once it is written and read again."""
    value = rewrite(listed, list(_rewritten(mended.calls, given, listed)))
    again = bound(read_list(value), tools)
    if next(faults(again, tools), None) is not None or not {call.name for call in again}.issuperset(goals):
        return None
    if not listed.is_graph and not _are_same(again, mended.calls):
        return None
    diffs = tuple(_diffs(mended, given))
    assert any(each.diff_type for each in diffs) and tuple(map(token, mended.calls)) != tuple(map(token, given))
    return Told(value=_linked(value, again, listed), calls=mended.calls, diffs=diffs, changes=_changes(mended, given))


def _are_same(some: Sequence[ToolCall], others: Sequence[ToolCall]) -> bool:
    pairs = zip(some, others, strict=False)
    return len(some) == len(others) and all(a.name == b.name and equal(a.arguments, b.arguments) for a, b in pairs)


def _rewritten(calls: Sequence[ToolCall], given: Sequence[ToolCall], listed: ListedCalls) -> Iterator[Rewritten]:
    used = {
        each.label
        for call in calls
        for text in texts(dict(call.arguments))
        for each in references(text, _labels(calls))
    }
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
        yield Rewritten(name=call.name, arguments=arguments, label=label, source=source)


def _labels(calls: Sequence[ToolCall]) -> set[str]:
    return {call.label for call in calls}


_NODE = re.compile(r"<([\w-]+)>")


def _renumbered(value: object, nodes: Mapping[str, str]) -> object:
    """Return a value in which the nodes of a graph have the numbers of their new places."""
    if not nodes:
        return value
    return replaced(value, lambda text: _NODE.sub(lambda match: f"<{nodes.get(match[1], match[1])}>", text))


def _linked(value: Any, calls: Sequence[ToolCall], listed: ListedCalls) -> Any:
    """Return a graph with a link for each result that a call uses."""
    key = next((key for key in listed.around or () if key in ("task_links", "links")), None)
    if not listed.is_graph or key is None:
        return value
    names = {call.label: call.name for call in calls}
    links = [*value[key]]
    for call in calls:
        for text in texts(dict(call.arguments)):
            for each in references(text, names):
                link = {"source": names.get(each.label), "target": call.name}
                links += [link] if link["source"] and link not in links else []
    return {**value, key: links}


# --- diffs ---------------------------------------------------------------------------------------


def _stays(call: ToolCall, mended: Mended, given: Sequence[ToolCall]) -> bool:
    return call.place is not None and call.place not in mended.moved and _same(call, given[call.place])


def _same(one: ToolCall, other: ToolCall) -> bool:
    is_equal = replace(one, open=(), arguments={}) == replace(other, open=(), arguments={})
    return is_equal and equal(one.arguments, other.arguments)


def _changes(mended: Mended, given: Sequence[ToolCall]) -> int:
    """Return how many calls are new, gone, changed or moved; one that is changed and moved counts once."""
    there = {call.place for call in mended.calls}
    gone = sum(call.place not in there for call in given)
    return gone + sum(not _stays(call, mended, given) for call in mended.calls)


def _diffs(mended: Mended, given: Sequence[ToolCall]) -> Iterator[StepDiff]:
    """Yield the lines of both lists: a call that is changed or moved is deleted where it was and added where it is."""
    kept = {call.place for call in mended.calls if _stays(call, mended, given)}
    place = 0
    for call in mended.calls:
        if call.place is not None and call.place not in mended.moved:
            while place <= call.place:
                if place not in kept:
                    yield StepDiff(diff_type=DiffAction.DELETE, step=token(given[place]))
                place += 1
        action = None if call.place in kept else DiffAction.ADD
        yield StepDiff(diff_type=action, step=token(call))
    for gone in given[place:]:
        yield StepDiff(diff_type=DiffAction.DELETE, step=token(gone))
