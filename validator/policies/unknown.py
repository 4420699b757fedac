"""What a policy names that no tool has: names, arguments, facts that nothing gives. Such a rule protects nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from validator.errors import did_you_mean
from validator.policies.conditions import Comparison, Condition, Fact, Pattern, Reference, facts_in, parts_of
from validator.policies.policy import Policy
from validator.reading.calls.tools import look

if TYPE_CHECKING:
    from validator.flow.tools.declared.specifications import Tool

__all__ = ["unknown"]


def unknown(policy: Policy, tools: Mapping[str, Tool], has_model: bool = False) -> tuple[str, ...]:
    """Say what a policy names that no tool has, each with the nearest name; with a model, facts may be the model's."""
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
    for change in policy.changes:
        yield change.pattern, _paths((*change.pattern.comparisons, *change.gives, *change.ends))


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
