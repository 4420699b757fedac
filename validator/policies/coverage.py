"""What a policy means for the tools that there are: which rules can be broken, and which speak of which tool.

Both are asked of the search that mends runs: a shortest run that breaks a rule is the nearest to no call at all that
keeps the rule's complement, and a call within the rules is one that keeps them all and ``at least 1`` of that tool.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from validator.errors import did_you_mean
from validator.flow.tools.specifications import Tool
from validator.policies.conditions import Comparison, Condition, Fact, Pattern, Reference, facts_in, parts_of
from validator.policies.events import Event
from validator.policies.policy import Policy
from validator.policies.repair.calls import distinct_calls
from validator.policies.repair.search import search
from validator.policies.rules import BROKEN, AtLeast, Never, Rule, Seen, State
from validator.reading.calls.tools import look

__all__ = ["Coverage", "RuleCoverage", "ToolCoverage", "coverage", "unknown"]

_DONE: State = "done"
_SECONDS = 2.0
"""for each question"""


@dataclass(frozen=True)
class _Complement(Rule):
    """What the runs keep that break a rule."""

    rule: Rule

    def __str__(self) -> str:
        return f"not {self.rule}"

    @cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        return self.rule.patterns

    @property
    def condition(self) -> Condition | None:
        return self.rule.condition

    @property
    def is_closed(self) -> bool:
        return self.rule.is_closed

    @property
    def start(self) -> State:
        return self.rule.start

    def step(self, state: State, seen: Seen) -> State:
        after = _DONE if state == _DONE else self.rule.step(state, seen)
        return _DONE if after == BROKEN else after

    def is_met(self, state: State) -> bool:
        return state == _DONE or not self.rule.is_met(state)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCoverage:
    """A rule, and a shortest run of calls that breaks it; None where none was found, ``is_proven`` where there is none.

    ``is_kept_out`` says of a ``never`` that it is proven that no run within the rules reaches it; None of other rules.
    """

    rule: Rule
    breaking: tuple[Event, ...] | None
    is_proven: bool
    is_kept_out: bool | None = None

    def __str__(self) -> str:
        if self.breaking is None:
            said = "can never be broken (proven)" if self.is_proven else "no run was found that breaks it"
        else:
            said = f"broken by: {' '.join(map(str, self.breaking)) or 'no call at all'}"
        out = {None: "", True: "; no run within the rules reaches it (proven)", False: "; not proven out of reach"}
        return f"{self.rule}\n    {said}{out[self.is_kept_out]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCoverage:
    """A tool, the rules that speak of it, and a shortest run within the rules that calls it, as for a rule."""

    name: str
    rules: tuple[Rule, ...]
    calling: tuple[Event, ...] | None
    is_proven: bool

    def __str__(self) -> str:
        spoken = "; ".join(map(str, self.rules)) or "no rule speaks of it"
        if self.calling is not None:
            return f"{self.name}: {spoken}\n    can be called: {' '.join(map(str, self.calling))}"
        said = "can never be called (proven)" if self.is_proven else "no run was found that calls it"
        return f"{self.name}: {spoken}\n    {said}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What a policy means for tools; ``unknown`` says what it names that they do not have."""

    rules: tuple[RuleCoverage, ...]
    tools: tuple[ToolCoverage, ...]
    unknown: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Return whether every name is known, and every rule can be broken."""
        return not self.unknown and all(each.breaking is not None for each in self.rules)

    def __str__(self) -> str:
        lines = [*(f"unknown: {each}" for each in self.unknown), "rules:"]
        lines += [f"  {each}" for each in self.rules]
        return "\n".join([*lines, "tools:", *(f"  {each}" for each in self.tools), ""])


def coverage(policy: Policy, tools: Mapping[str, Tool]) -> Coverage:
    """Say for each rule whether calls of the tools can break it, and for each tool which rules speak of it.

    Facts are the policy's own; a fact that a model alone knows is taken for not known, and nothing is found that needs
    it.
    """
    calls = distinct_calls(policy, tools)
    events, is_whole = calls.events, calls.is_whole
    rules = tuple(_rule(policy, rule, tools) for rule in policy.rules)
    spoken = {name: tuple(rule for rule in policy.rules if _speaks_of(rule, name)) for name in tools}
    found = tuple(_tool(policy, name, spoken[name], events, is_whole) for name in tools)
    return Coverage(rules=rules, tools=found, unknown=unknown(policy, tools))


def _rule(policy: Policy, rule: Rule, tools: Mapping[str, Tool]) -> RuleCoverage:
    own = replace(policy, rules=(rule,), changes=() if rule.condition is None else policy.changes)
    calls = distinct_calls(own, tools)
    breaking, is_proven = _shortest(replace(own, rules=(_Complement(rule),)), calls.events)
    kept_out: bool | None = None
    if isinstance(rule, Never):  # alone: what no run within this rule reaches, none within more rules does
        run, is_certain = _shortest(own.with_rules(_Complement(rule)), calls.events)
        kept_out = run is None and is_certain and calls.is_whole
    return RuleCoverage(rule=rule, breaking=breaking, is_proven=is_proven and calls.is_whole, is_kept_out=kept_out)


def _tool(policy: Policy, name: str, rules: tuple[Rule, ...], events: Sequence[Event], is_whole: bool) -> ToolCoverage:
    calling, is_proven = _shortest(policy.with_rules(AtLeast(1, Pattern(name))), events)
    return ToolCoverage(name=name, rules=rules, calling=calling, is_proven=is_proven and is_whole)


def _speaks_of(rule: Rule, name: str) -> bool:
    return any(pattern.names(name) for pattern in (*rule.patterns, *rule.past))


def _shortest(policy: Policy, events: Sequence[Event]) -> tuple[tuple[Event, ...] | None, bool]:
    """Return a shortest run that keeps a policy, and whether it is certain that there is none."""
    found = search(policy, policy.start, (), events, time.monotonic() + _SECONDS)
    if found.way is None:
        return None, found.is_proven
    return tuple(events[number] for number in found.way.calls), False


# --- what no tool has -----------------------------------------------------------------------------


def unknown(policy: Policy, tools: Mapping[str, Tool], has_model: bool = False) -> tuple[str, ...]:
    """Say what a policy names that no tool has, each with the nearest name: such a rule protects nothing.

    With a model, facts may be the model's.
    """
    found = [*_unknown_calls(policy, tools), *(() if has_model else _unknown_facts(policy))]
    return tuple(dict.fromkeys(found))


def _unknown_calls(policy: Policy, tools: Mapping[str, Tool]) -> Iterator[str]:
    for pattern, paths in _asked(policy):
        meant = [tool for name, tool in tools.items() if pattern.names(name)]
        if not meant:
            yield f"no tool is called '{pattern.name}'{did_you_mean(pattern.name, tools)}"
        for path in paths if meant else ():
            if not any(_has(tool, path) for tool in meant):
                known = {name for tool in meant for name in tool.inputs}
                yield f"'{pattern.name}' has no argument '{path}'{did_you_mean(path, sorted(known))}"


def _asked(policy: Policy) -> Iterator[tuple[Pattern, list[str]]]:
    """Yield the calls that a policy speaks of, with the arguments that it asks of them."""
    for pattern in policy.read_only:
        yield pattern, _paths(pattern.comparisons)
    for pattern, comparisons in policy.compare:
        yield pattern, _paths(comparisons)
    for rule in policy.rules:
        own = () if rule.condition is None else tuple(parts_of(rule.condition))
        yield from ((pattern, _paths((*pattern.comparisons, *own))) for pattern in rule.patterns)
        yield from ((pattern, _named(pattern)) for pattern in rule.past)
    for change in policy.changes:
        yield change.pattern, _paths((*change.pattern.comparisons, *change.gives, *change.ends))


def _named(pattern: Pattern) -> list[str]:
    """Return the arguments that are asked of a call before: they are compared with those of the call decided."""
    return [each.path for each in pattern.comparisons if each.path]


def _paths(parts: Iterable[Condition]) -> list[str]:
    found: list[str] = []
    for part in parts:
        if isinstance(part, Comparison):
            found += [part.path, part.value.path if isinstance(part.value, Reference) else ""]
        elif isinstance(part, Fact):
            found += [term.path for term in part.terms if isinstance(term, Reference)]
    return [path for path in dict.fromkeys(found) if path]


def _has(tool: Tool, path: str) -> bool:
    head = path.partition(".")[0]
    names = (path, head)
    return any(look(name) == look(each) for name in names for each in tool.inputs) or tool.takes_more(head)


def _unknown_facts(policy: Policy) -> Iterator[str]:
    given = [fact for change in policy.changes for fact in change.gives]
    for rule in policy.rules:
        for fact in facts_in(rule.condition) if rule.condition is not None else ():
            if not any(_may_be(fact, other) for other in given):
                yield f"nothing gives {fact}{did_you_mean(str(fact), sorted(set(map(str, given))))}"


def _may_be(fact: Fact, other: Fact) -> bool:
    """Return whether two facts can be the same for some calls."""
    if fact.name != other.name or len(fact.terms) != len(other.terms):
        return False
    pairs = zip(fact.terms, other.terms, strict=True)
    return all(one == two or Reference in (type(one), type(two)) for one, two in pairs)
