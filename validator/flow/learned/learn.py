"""``learn_flow``: tools and recorded runs in, a first flow out, with what was guessed from how many runs.

Only what no run contradicts is taken: an order that held in every run with the later tool, an input whose value was
always in a result before. What was seen in fewer runs than the support that is asked for is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from validator.flow.learned.guessed import Feed, Learned, Precedence
from validator.flow.learned.openapi import is_openapi, tools_of_openapi
from validator.flow.learned.values import Seen, telling
from validator.flow.model import Flow, Input, Operator, Order, Output, Slot
from validator.flow.tools.declared.specifications import Tool, read_tools
from validator.reading.calls import Call, CallKind
from validator.reading.traces.read import read_traces
from validator.reading.traces.recording import Recording

__all__ = ["Feed", "Learned", "Precedence", "learn_flow"]

DEFAULT_SUPPORT = 3
MOST_TRIES = 5


def learn_flow(
    tools: object = None,
    traces: Iterable[str | Path | Recording | Mapping[str, object] | Sequence[object]] = (),
    *,
    support: int = DEFAULT_SUPPORT,
    name: str = "learned",
) -> Learned:
    """Return a first flow of tools, from their specifications and from recorded runs.

    ``tools`` are the values of an OpenAPI document, of MCP's ``tools/list``, or of functions as providers declare them;
    ``traces`` are runs that went well, in any format that is known. What fewer than ``support`` runs show is no guess.
    Raises ModelError for tools and InputError for traces that cannot be read, OSError for a file.
    """
    document = tools_of_openapi(tools) if is_openapi(tools) else tools  # type: ignore[arg-type]
    declared = {} if document is None else dict(read_tools(document))
    recordings = [one for each in traces for one in ([each] if isinstance(each, Recording) else read_traces(each))]
    runs = [run for run in (_run(recording) for recording in recordings) if run]
    called = Counter(tool for run in runs for tool in dict.fromkeys(call.name for call in run))
    feeds = tuple(_feeds(runs))
    precedences = tuple(_reduced(list(_precedences(runs, called, support))))
    names = list(dict.fromkeys((*declared, *called)))
    taken = frozenset(each.name for tool in declared.values() for each in tool.inputs.values())
    flow = Flow(
        name=name,
        operators=tuple(_operator(tool, declared.get(tool), runs, feeds, taken) for tool in names),
        slots=tuple(_slots(feeds, support)),
        orders=tuple(Order(first=each.first, then=each.then) for each in precedences),
    )
    unknown = sorted(called.keys() - declared.keys()) if declared else []
    warnings = tuple(f"'{tool}' was called and is not declared" for tool in unknown)
    return Learned(
        flow=flow,
        runs=len(runs),
        called=called,
        feeds=feeds,
        precedences=precedences,
        support=support,
        warnings=warnings,
        declared=frozenset(declared),
    )


def _run(recording: Recording) -> list[Call]:
    return [call for call in recording.calls if call.kind is CallKind.TOOL and call.error is None]


# --- what feeds what -----------------------------------------------------------------------------


def _feeds(runs: Sequence[Sequence[Call]]) -> Iterator[Feed]:
    """Yield the inputs that calls were given by name, with the tools whose results had their values before."""
    given: Counter[tuple[str, str]] = Counter()
    fed: Counter[tuple[str, str]] = Counter()
    sources: dict[tuple[str, str], Counter[str]] = {}
    for run in runs:
        seen = Seen()
        for call in run:
            for argument in call.arguments or ():
                values = telling(argument)
                if argument.name is None or not values:
                    continue
                key = call.name, argument.name
                given[key] += 1
                found = [seen.sources(value) for value in values]
                if all(found):
                    fed[key] += 1
                    sources.setdefault(key, Counter()).update(sorted(set().union(*found)))
            seen.add(call.name, call.result)
    for key, count in given.items():
        yield Feed(*key, count, fed[key], tuple(sources.get(key, Counter()).most_common()))


def _slots(feeds: Sequence[Feed], support: int) -> Iterator[Slot]:
    """Yield how readily the user may be asked: never for what was always in a result before, else as can be."""
    items: dict[str, list[Feed]] = {}
    for feed in feeds:
        items.setdefault(feed.name, []).append(feed)
    for item, own in items.items():
        is_fed = all(feed.is_always for feed in own) and sum(feed.given for feed in own) >= support
        yield Slot(item=item, desirability=0 if is_fed else 1)


def _operator(
    tool: str, declared: Tool | None, runs: Sequence[Sequence[Call]], feeds: Sequence[Feed], taken: frozenset[str]
) -> Operator:
    """Return a tool with what it was seen to feed, and those of its declared outputs that a tool takes by this name."""
    outputs = {feed.name for feed in feeds if 2 * dict(feed.sources).get(tool, 0) > feed.fed}
    outputs |= taken.intersection(() if declared is None else declared.outputs)
    inputs = list(_inputs(tool, declared, runs))
    return Operator(
        name=tool,
        inputs=tuple(inputs),
        outputs=tuple(Output(item=item) for item in sorted(outputs - {each.item for each in inputs})),
        max_try=MOST_TRIES,
    )


def _inputs(tool: str, declared: Tool | None, runs: Sequence[Sequence[Call]]) -> Iterator[Input]:
    """Yield the inputs of a tool; of one that is not declared those are required that every call was given."""
    if declared is not None:
        yield from (Input(item=each.name, required=each.required) for each in declared.inputs.values())
        return
    calls = [call for run in runs for call in run if call.name == tool and call.arguments is not None]
    given = Counter(each.name for call in calls for each in call.arguments or () if each.name is not None)
    yield from (Input(item=name, required=count == len(calls)) for name, count in given.items())


# --- what comes before what ----------------------------------------------------------------------


def _precedences(runs: Sequence[Sequence[Call]], called: Mapping[str, int], support: int) -> Iterator[Precedence]:
    """Yield the tools that were called before another one in each run with it."""
    for then, count in called.items():
        if count < support:
            continue
        always: set[str] | None = None
        for run in runs:
            names = [call.name for call in run]
            if then in names:
                before = set(names[: names.index(then)])
                always = before if always is None else always & before
        yield from (Precedence(first, then, count) for first in sorted(always or ()))


def _reduced(found: Sequence[Precedence]) -> Iterator[Precedence]:
    """Yield the precedences that do not follow from the others."""
    before: dict[str, set[str]] = {}
    for each in found:
        before.setdefault(each.then, set()).add(each.first)
    for each in found:
        if not any(each.first in before.get(other, ()) for other in before[each.then]):
            yield each
