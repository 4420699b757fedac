"""The calls among spans: runs of tools, in the order of their start, each with the agent or tool that it is in."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction

from validator.reading.calls import CallKind, folded
from validator.reading.calls.objects import Asked, read_object
from validator.reading.traces.recorder import Recorder
from validator.reading.traces.spans.kinds import plain_name
from validator.reading.traces.spans.span import Kind, Span
from validator.reading.traces.walk import parsed, units
from validator.records import replace

__all__ = ["asked_names", "in_order", "record_runs", "with_tools"]


def in_order(spans: Sequence[Span]) -> list[Span]:
    """Return spans in the order of their start; those that do not say stay where they are, at the front."""
    return sorted(spans, key=lambda span: span.start)


def asked_names(values: Sequence[object]) -> frozenset[str]:
    """Return the folded names of the tools that models asked for, in what they said."""
    found: set[str] = set()

    def take(value: Mapping[str, object]) -> bool:
        call = read_object(value)
        is_call = isinstance(call, Asked) and (call.given is not None or call.call_id is not None)
        if isinstance(call, Asked) and is_call and "role" not in value:
            found.add(folded(call.name))
        return False

    for value in values:
        for _ in units(parsed(value), take, lambda _: None):
            pass
    return frozenset(found)


def with_tools(spans: Sequence[Span], asked: Collection[str]) -> list[Span]:
    """Return spans of which those that do not say what they are count as tools where a model asked for their name."""
    return [
        replace(span, kind=Kind.TOOL) if span.kind is Kind.UNKNOWN and folded(plain_name(span.name)) in asked else span
        for span in spans
    ]


def record_runs(spans: Sequence[Span], recorder: Recorder, other: Callable[[Span], None]) -> None:
    """Record the runs of tools and retrievers in order; ``other`` takes each span that is none, at its place.

    A run within another tool's is nested. A run of a tool within a run of the same tool is one call that two layers of
    a framework recorded, and the inner one tells more; a name in parentheses is none. Runs that began at one moment, as
    far as the trace tells moments apart, have no order among them.
    """
    spans = _joined(spans)
    by_identity = {span.identity: span for span in spans if span.identity}
    repeated = set(_outer(spans, by_identity))
    begun: dict[Fraction, list[int]] = {}
    for span in spans:
        name = span.tool or plain_name(span.name)
        if span.kind not in (Kind.TOOL, Kind.RETRIEVER):
            other(span)
            continue
        if span.identity in repeated or name.startswith("("):
            continue
        above = [each for each in _above(span, by_identity) if each.identity not in repeated]
        in_tool = any(each.kind is Kind.TOOL for each in above)
        parent = next((each.tool or each.name for each in above if each.kind in (Kind.TOOL, Kind.AGENT)), None)
        kind = CallKind.NESTED if in_tool else CallKind.TOOL if span.kind is Kind.TOOL else CallKind.RETRIEVER
        identity = span.call_id or span.identity or None
        index = recorder.call(name, span.arguments, call_id=identity, parent=parent, kind=kind)
        if span.has_result or span.error is not None:
            recorder.result(index, span.result, span.error)
        if index is not None and span.start and kind is CallKind.TOOL:
            begun.setdefault(span.start, []).append(index)
    for together in begun.values():
        if len(together) > 1:
            recorder.join(together)


_PHASE = re.compile(r"(?P<name>.+)\.(?:start|update|partial_update|success|finish|error|retry)(?P<number>-\d+)?")


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Return spans with one for all those that tell how far one run of a tool is: ``f.start-3``, ``f.success-3``."""
    phases: dict[tuple[str, str, str], list[Span]] = {}
    for span in spans:
        if span.kind is Kind.TOOL and (match := _PHASE.fullmatch(span.tool or span.name)):
            phases.setdefault((span.parent, match["name"], match["number"] or ""), []).append(span)
    whole: dict[int, Span] = {}
    left: set[int] = set()
    for (_, name, _), told in phases.items():
        if len(told) > 1:
            given = next((each.arguments for each in told if each.arguments is not None), None)
            done = next((each for each in reversed(told) if each.has_result or each.error is not None), told[0])
            whole[id(told[0])] = replace(
                told[0],
                name=name,
                tool="",
                arguments=given,
                result=done.result,
                has_result=done.has_result,
                error=done.error,
            )
            left.update(id(each) for each in told[1:])
    return [whole.get(id(span), span) for span in spans if id(span) not in left] if whole else list(spans)


def _above(span: Span, by_identity: Mapping[str, Span]) -> Iterator[Span]:
    """Yield the spans around a span, the nearest first."""
    seen = {span.identity}
    above = by_identity.get(span.parent)
    while above is not None and above.identity not in seen:
        yield above
        seen.add(above.identity)
        above = by_identity.get(above.parent)


def _outer(spans: Sequence[Span], by_identity: Mapping[str, Span]) -> Iterator[str]:
    """Yield the identities of tools' spans around a span of the same tool."""
    for span in spans:
        above = by_identity.get(span.parent)
        if span.kind is Kind.TOOL and above is not None and above.kind is Kind.TOOL:
            names = {folded(each.tool or plain_name(each.name)) for each in (span, above)}
            if len(names) == 1:
                yield above.identity
