"""``learn_flow``: tools and recorded runs in, a first flow out, with what was guessed from how many runs.

Only what no run contradicts is taken: an order that held in every run with the later tool, an input whose value was
always in a result before. What was seen in fewer runs than the support that is asked for is left out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from pathlib import Path

from validator.flow.model import Flow, Input, Operator, Order, Output, Slot
from validator.flow.tools.openapi import is_openapi, tools_of_openapi
from validator.flow.tools.specifications import Tool, read_tools
from validator.reading.arguments import Argument
from validator.reading.calls import Call, CallKind
from validator.reading.traces.read import read_traces
from validator.reading.traces.recording import Recording
from validator.reading.values import canonical
from validator.records import dataclass, field

__all__ = ["Feed", "Learned", "Precedence", "learn_flow"]

DEFAULT_SUPPORT = 3
MOST_TRIES = 5


@dataclass(frozen=True, slots=True)
class Feed:
    """An input of a tool: of so many calls that were given it, in how many each tool's result had its value before."""

    tool: str
    name: str
    given: int
    fed: int
    sources: tuple[tuple[str, int], ...]

    @property
    def is_always(self) -> bool:
        return self.given > 0 and self.fed == self.given


@dataclass(frozen=True, slots=True)
class Precedence:
    """A tool that was called before another one in all ``runs`` with that one."""

    first: str
    then: str
    runs: int


@dataclass(frozen=True, kw_only=True)
class Learned:
    """The flow, and what it was guessed from: ``runs`` runs, and for each tool in how many of them it was called."""

    flow: Flow
    runs: int
    called: Mapping[str, int]
    feeds: tuple[Feed, ...]
    precedences: tuple[Precedence, ...]
    support: int
    warnings: tuple[str, ...] = ()
    declared: frozenset[str] = field(default_factory=frozenset)

    def _repr_html_(self) -> str:
        """Return the report and the flow as a notebook shows them."""
        from validator.render.html.page import preformatted

        return preformatted(f"{self.report}\n{self.document}")

    @property
    def document(self) -> str:
        """Return the flow as YAML to be edited, with the support of each guess as a comment."""
        return "".join(f"{line}\n" for line in _document(self))

    @property
    def report(self) -> str:
        """Return what was guessed, and from how many runs, as text."""
        return "".join(f"{line}\n" for line in _report(self))


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
    tallies = _tallies(runs)
    feeds = tuple(
        Feed(*key, tally.given, tally.fed, tuple(tally.sources.most_common())) for key, tally in tallies.items()
    )
    precedences = tuple(_reduced(list(_precedences(runs, called, support))))
    names = list(dict.fromkeys((*declared, *called)))
    taken = frozenset(each.name for tool in declared.values() for each in tool.inputs.values())
    operators = tuple(
        Operator(
            name=tool,
            inputs=tuple(_inputs(tool, declared.get(tool), runs, support)),
            outputs=tuple(
                Output(item=item) for item in _outputs(tool, declared.get(tool), runs, tallies, taken, support)
            ),
            max_try=MOST_TRIES,
        )
        for tool in names
    )
    flow = Flow(
        name=name,
        operators=operators,
        slots=tuple(_slots(feeds, runs, operators, support)),
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


@dataclass(slots=True)
class _Tally:
    """Of the calls that were given an input: how many, in how many results had its value before, and of which tools.

    ``shown`` are the runs that show this of a tool, by their places.
    """

    given: int = 0
    fed: int = 0
    sources: Counter[str] = field(default_factory=Counter)
    shown: dict[str, set[int]] = field(default_factory=dict)


def _tallies(runs: Sequence[Sequence[Call]]) -> dict[tuple[str, str], _Tally]:
    """Return what is told of the inputs that calls were given by name, by tool and name."""
    found: dict[tuple[str, str], _Tally] = {}
    for number, run in enumerate(runs):
        seen = _Seen()
        for call in run:
            for argument in call.arguments or ():
                values = _telling(argument)
                if argument.name is None or not values:
                    continue
                tally = found.setdefault((call.name, argument.name), _Tally())
                tally.given += 1
                sources = [seen.sources(value) for value in values]
                if all(sources):
                    tally.fed += 1
                    for tool in sorted(set().union(*sources)):
                        tally.sources[tool] += 1
                        tally.shown.setdefault(tool, set()).add(number)
            seen.add(call.name, call.result)
    return found


def _slots(
    feeds: Sequence[Feed], runs: Sequence[Sequence[Call]], operators: Sequence[Operator], support: int
) -> Iterator[Slot]:
    """Yield how readily the user may be asked: never for what was always in a result before, else as can be.

    The flow knows an item by the tools that yield it alone, so one of these must have been called before each call that
    was given it: else the runs themselves could not be made. Of inputs none of which is required a flow needs one.
    """
    for item in dict.fromkeys(feed.name for feed in feeds):
        is_fed = all(feed.is_always for feed in feeds if feed.name == item)
        yielding = {each.name for each in operators if any(output.item == item for output in each.outputs)}
        needing = {each.name for each in operators if _may_need(each, item)}
        shown = sum(any(_is_given(call, item) for call in run) for run in runs)
        is_never_asked = is_fed and shown >= support and all(_is_yielded(run, item, yielding, needing) for run in runs)
        yield Slot(item=item, desirability=0 if is_never_asked else 1)


def _may_need(operator: Operator, item: str) -> bool:
    """Return whether a call of an operator that is not given an item may need it all the same."""
    return any(each.item == item for each in operator.inputs) and not any(each.required for each in operator.inputs)


def _is_given(call: Call, item: str) -> bool:
    return any(each.name == item for each in call.arguments or ())


def _is_yielded(run: Sequence[Call], item: str, yielding: Set[str], needing: Set[str]) -> bool:
    """Return whether a tool that yields an item was called before the first call that was given it, or may need it."""
    for call in run:
        if _is_given(call, item) or call.name in needing:
            return False
        if call.name in yielding:
            return True
    return True


def _outputs(
    tool: str,
    declared: Tool | None,
    runs: Sequence[Sequence[Call]],
    tallies: Mapping[tuple[str, str], _Tally],
    taken: frozenset[str],
    support: int,
) -> list[str]:
    """Return what a tool was seen to feed, and those of its declared outputs that a tool takes by this name."""
    found = {
        item
        for (_, item), tally in tallies.items()
        if 2 * tally.sources[tool] > tally.fed and len(tally.shown[tool]) >= support
    }
    found |= taken.intersection(() if declared is None else declared.outputs)
    return sorted(found - {each.item for each in _inputs(tool, declared, runs, support)})


def _inputs(tool: str, declared: Tool | None, runs: Sequence[Sequence[Call]], support: int) -> Iterator[Input]:
    """Yield the inputs of a tool; of one that is not declared those are required that every call was given."""
    if declared is not None:
        yield from (Input(item=each.name, required=each.required) for each in declared.inputs.values())
        return
    having = [[call for call in run if call.name == tool and call.arguments is not None] for run in runs]
    calls = [call for run in having for call in run]
    given = Counter(each.name for call in calls for each in call.arguments or () if each.name is not None)
    is_shown = sum(map(bool, having)) >= support
    yield from (Input(item=name, required=is_shown and count == len(calls)) for name, count in given.items())


# --- where a value was before ---------------------------------------------------------------------

_SHORTEST = 3
"""characters of a value that is told from others by itself; shorter ones are everywhere"""


def _leaves(value: object, *, with_keys: bool = True) -> Iterator[str]:
    """Yield the texts and numbers in a JSON value as texts; a text that is JSON is read."""
    if isinstance(value, str):
        inner = _json(value)
        yield from (value,) if inner is None else _leaves(inner, with_keys=with_keys)
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from (str(key),) if with_keys else ()  # which may be an identity, as in {"PAY12": {...}}
            yield from _leaves(each, with_keys=with_keys)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _leaves(each, with_keys=with_keys)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield canonical(value)


@lru_cache(maxsize=4096)
def _json(text: str) -> object:
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _telling(argument: Argument) -> tuple[str, ...]:
    """Return the values of an argument that can be recognised: neither short ones nor keys of objects."""
    value = _json(argument.text) if argument.is_string is False else None
    found = [argument.text] if value is None else _leaves(value, with_keys=False)
    return tuple(each for each in found if len(each) >= _SHORTEST)


class _Seen:
    """The values that the results of a run had so far, with the tools that yielded them."""

    def __init__(self) -> None:
        self._exact: dict[str, set[str]] = {}
        self._texts: list[tuple[str, str]] = []

    def add(self, tool: str, result: object) -> None:
        for leaf in _leaves(result):
            self._exact.setdefault(leaf, set()).add(tool)
            if len(leaf.split()) > 1:
                self._texts.append((tool, leaf))

    def sources(self, value: str) -> set[str]:
        """Return the tools of whose results one had a value, alone or as words of a text."""
        found = set(self._exact.get(value, ()))
        if not found and len(value) > _SHORTEST:
            whole = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)")
            found = {tool for tool, text in self._texts if whole.search(text)}
        return found


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


# --- as a file and as a report -------------------------------------------------------------------


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _document(learned: Learned) -> Iterator[str]:
    yield f"# guessed from {learned.runs} runs; what fewer than {learned.support} of them show is left out. Edit it."
    yield f"flow: {_text(learned.flow.name)}"
    yield "operators:"
    for operator in learned.flow.operators:
        inputs = ", ".join(
            _text(each.item) if each.required else f"{{item: {_text(each.item)}, required: false}}"
            for each in operator.inputs
        )
        outputs = ", ".join(_text(each.item) for each in operator.outputs)
        count = learned.called.get(operator.name, 0)
        yield f"  # called in {count} of {learned.runs} runs"
        yield f"  - name: {_text(operator.name)}"
        yield f"    inputs: [{inputs}]"
        yield f"    outputs: [{outputs}]"
        yield f"    max_try: {operator.max_try}"
    yield "orders:" if learned.precedences else "orders: []"
    for each in learned.precedences:
        yield f"  - {{first: {_text(each.first)}, then: {_text(each.then)}}}  # in all {each.runs} runs with the second"
    yield "slots:" if learned.flow.slots else "slots: []"
    for slot in learned.flow.slots:
        own = [feed for feed in learned.feeds if feed.name == slot.item]
        fed, given = sum(feed.fed for feed in own), sum(feed.given for feed in own)
        said = f"in a result before in {fed} of {given} calls"
        yield f"  - {{item: {_text(slot.item)}, desirability: {float(slot.desirability):g}}}  # {said}"
    yield "goals: []  # what a run is to reach: {known: ITEM} or {operator: NAME}"


def _report(learned: Learned) -> Iterator[str]:
    yield f"{len(learned.flow.operators)} tools, {learned.runs} runs; support: {learned.support} runs"
    for operator in learned.flow.operators:
        where = "declared" if operator.name in learned.declared else "seen in runs only"
        yield f"{operator.name}: {where}, called in {learned.called.get(operator.name, 0)} runs"
        for feed in (each for each in learned.feeds if each.tool == operator.name):
            yield f"  {feed.name}: {_fed(feed)}"
    yield "before:" if learned.precedences else "before: nothing was guessed"
    for each in learned.precedences:
        yield f"  {each.first} before {each.then}, in all {each.runs} runs with the second"
    yield from (f"warning: {warning}" for warning in learned.warnings)


def _fed(feed: Feed) -> str:
    if not feed.fed:
        return f"in no result before, in {feed.given} calls"
    sources = ", ".join(f"{tool} {count}" for tool, count in feed.sources)
    return f"in a result before in {feed.fed} of {feed.given} calls ({sources})"
