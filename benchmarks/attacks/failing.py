"""Attacks on what is said of recorded calls of which some failed: they change nothing, and nothing is done by them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random

from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, Oracle, State
from tests.support.random_schemas import random_schema
from tests.support.random_worlds import states_of, wrong_walk
from validator.adherence import Adherence, Effect, adhere

__all__ = ["KINDS"]

_MOST_STATES = 300

_POLICIES = ("fold", "count", "drop")


def _attack(seed: int) -> Iterator[str]:
    """Judge calls beside a plan on a model: what was executed, whether the goal is reached, or lost, at which cost."""
    texts, draw = random_schema(seed, (CHEAP, DEAR)[seed % 2]), Random(f"failing {seed}")
    oracle = Oracle(*texts)
    if states_of(oracle, _MOST_STATES) is None or not oracle.steps:
        return
    known = set(map(str, oracle.steps))
    planned = [line for line in wrong_walk(oracle, draw, draw.randint(1, 4), 0, to_goal=True) if line in known]
    made = _made(draw, planned, sorted(known))
    policy = draw.choice(_POLICIES)
    calls = [_record(line, is_failed=is_failed) for line, is_failed in made]
    plan = "".join(f"{line}\n" for line in planned) or "; empty plan"
    found = adhere(plan, calls, model=texts, failed_calls=policy, time_limit=20)
    told = (texts, planned, made, policy, found)
    result = found.execution
    assert result is not None, told
    states, faults, cost = _executed(oracle, made)
    assert result.sound in (not faults, None), told
    assert result.reaches_goal in (oracle.is_goal(states[-1]), None), told
    assert result.cost in (None, cost), (told, cost)
    if result.dead_end is not None:
        lost = [_is_lost(oracle, state) for state in states]
        assert not lost[0] and lost.index(True) - 1 == result.dead_end and lost[-1], (told, lost)
    if result.recovery is not None:
        assert oracle.is_goal(_executed(oracle, [(str(step), False) for step in result.recovery], states[-1])[0][-1]), (
            told
        )
    _compare_rows(found, made, faults, told)
    yield outcome(result.sound is not None and result.reaches_goal is not None)


def _made(draw: Random, planned: Sequence[str], known: Sequence[str]) -> list[tuple[str, bool]]:
    """Return calls, mostly as planned, each with whether it failed; most that failed are made again."""
    found: list[tuple[str, bool]] = []
    for line in planned:
        if draw.random() < 0.4:
            found.append((line, True))
            if draw.random() < 0.3:
                continue
        found.append((line if draw.random() < 0.85 else draw.choice(known), False))
        if draw.random() < 0.25:
            found.append((draw.choice(known), draw.random() < 0.5))
    return found or [(draw.choice(known), draw.random() < 0.5)]


def _record(line: str, *, is_failed: bool) -> dict[str, object]:
    name, *args = line.strip("()").split()
    arguments = {f"x{place}": arg for place, arg in enumerate(args)}
    return {"name": name, "arguments": arguments, **({"error": "no"} if is_failed else {"result": "done"})}


def _executed(
    oracle: Oracle, made: Sequence[tuple[str, bool]], start: State | None = None
) -> tuple[list[State], list[int], Fraction]:
    """Return the state before each call and behind the last one, the calls that could not be executed, and the cost."""
    states, faults, cost = [oracle.init if start is None else start], list[int](), oracle.begun
    for place, (line, is_failed) in enumerate(made):
        ways = [(after, price) for step, after, price in oracle.successors(states[-1]) if str(step) == line]
        if ways and not is_failed:
            states.append(ways[0][0])
            cost += ways[0][1]
            continue
        states.append(states[-1])
        if not is_failed:
            faults.append(place)
    return states, faults, cost


def _is_lost(oracle: Oracle, start: State) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        state = waiting.pop()
        if oracle.is_goal(state):
            return False
        more = {after for _, after, _ in oracle.successors(state)} - seen
        seen |= more
        waiting += more
    return True


def _compare_rows(found: Adherence, made: Sequence[tuple[str, bool]], faults: Sequence[int], told: object) -> None:
    """Compare what is said of each deviation with what its call did: nothing, if it failed."""
    for row in found.rows:
        if row.executed is None or not row.is_deviation or row.planned is not None:
            continue
        at = row.executed.index
        is_failed = made[at][1]
        assert not is_failed or row.effect is Effect.HARMLESS, (told, row)
        says_not = row.proof.startswith("the call could not be executed")
        assert not says_not or at in faults, (told, row)
        assert at not in faults or row.effect in (Effect.HARMFUL, Effect.UNKNOWN), (told, row)


KINDS = (Kind(name="traces: calls that failed", against="execution, all states", attack=_attack, share=6),)
