"""The nearest run that keeps a policy, against all runs that a few edits make."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from validator.policies import conform
from validator.policies.conform import follow
from validator.policies.events import Event
from validator.policies.language import read_policy

TOOLS = "abcd"
RULES = (
    "a before b",
    "b before c",
    "a then d",
    "c then a",
    "never d",
    "at most 1 a",
    "at most 2 b",
    "at least 1 c",
    "at least 2 a",
    "order a < {b, c} < d",
    "order c < b",
    "exactly a < b, a < c",
    "either order a < b or order c < d",
    "either never a or at least 1 d",
    "allow a, b, c",
    "budget 3",
    "b only if (f)\na gives (f)\nb ends (f)",
    "c only if not (g)\nd gives (g)\na ends (g)",
)


def _keeps(policy: str, run: tuple[str, ...]) -> bool:
    return all(finding.kept for finding in follow(read_policy(policy), [Event(name) for name in run]))


def _nearest(policy: str, run: tuple[str, ...], most: int) -> int | None:
    """Return the fewest edits by trying all runs, nearest first."""
    layer, seen = {run}, {run}
    for edits in range(most + 1):
        if any(_keeps(policy, each) for each in layer):
            return edits
        layer = {near for each in layer for near in _near(each)} - seen
        seen |= layer
    return None


def _near(run: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for place in range(len(run)):
        rest = (*run[:place], *run[place + 1 :])
        yield rest
        yield from ((*rest[:to], run[place], *rest[to:]) for to in range(len(run)))
    for place in range(len(run) + 1):
        yield from ((*run[:place], tool, *run[place:]) for tool in TOOLS)


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from(RULES), min_size=1, max_size=3, unique=True), st.lists(st.sampled_from(TOOLS), max_size=4)
)
def test_the_repair_has_the_fewest_edits(rules: list[str], calls: list[str]) -> None:
    policy = "\n".join(rules)
    found = conform(policy, [{"name": name, "arguments": {}} for name in calls])
    assert found.kept is _keeps(policy, tuple(calls))
    if found.repair is None:
        assert found.kept
        return
    if found.repair.edits is None:
        assert found.repair.proven
        assert _nearest(policy, tuple(calls), 2) is None
        return
    run = tuple(event.name for event in found.repair.run)
    assert _keeps(policy, run)
    assert found.repair.proven
    if found.repair.cost <= 3:
        assert _nearest(policy, tuple(calls), found.repair.cost) == found.repair.cost


def test_that_no_run_keeps_a_policy_is_proven_however_long_the_run_is() -> None:
    calls = [{"name": f"t{number}", "arguments": {}} for number in range(60)]
    found = conform("at least 1 x\nexactly a < b", calls, time_limit=20)
    assert found.repair is not None and found.repair.edits is None and found.repair.proven
