"""What was guessed from runs: as values, as a file to be edited, and as a report of what from how many runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from validator.flow.model import Flow
from validator.records import dataclass, field

__all__ = ["Feed", "Learned", "Precedence"]


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
