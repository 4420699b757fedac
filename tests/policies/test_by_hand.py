"""Random rules with comparisons of arguments on random runs, decided as by a checker of plain dictionaries."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from validator.policies import conform

TOOLS, NAMES = "abcd", "xy"
VALUES = (1, 2, 3, 5, 10, "EUR", "USD", "de1", True, None, 1.5, "10")
Call = dict[str, Any]
Test = tuple[str, str, Any]
Wanted = tuple[str, Test | None]


# --- the checker: None is "not known" --------------------------------------------------------------


def number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def equal(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, int) and number(value) is not None:
        return number(value) == wanted
    return value == wanted and not isinstance(value, bool)


def holds(test: Test, arguments: Call) -> bool | None:
    name, operator, wanted = test
    value = arguments.get(name)
    found = number(value)
    match operator:
        case "=":
            return equal(value, wanted)
        case "!=":
            return not equal(value, wanted)
        case "in":
            return any(equal(value, each) for each in wanted)
        case "~":
            return value is not None and not isinstance(value, bool) and bool(re.fullmatch(wanted, str(value)))
        case "within":
            if found is None:
                return None if isinstance(value, str) else False
            return abs(found - wanted[0]) <= wanted[1]
    if found is None:
        return None
    return {"<": found < wanted, "<=": found <= wanted, ">": found > wanted, ">=": found >= wanted}[operator]


def means(wanted: Wanted, call: Call) -> bool | None:
    name, test = wanted
    return call["name"] == name and (test is None or holds(test, call["arguments"]))


def keeps(kind: str, one: Any, other: Any, most: int, run: list[Call]) -> bool | None:
    if kind == "budget":
        return len(run) <= most
    first = [means(one, call) for call in run]
    if kind == "only if":
        tests = [holds(other, call["arguments"]) for call in run]
        if any(meant and test is False for meant, test in zip(first, tests, strict=True)):
            return False
        is_open = any(meant is not False and test is not True for meant, test in zip(first, tests, strict=True))
        return None if is_open else True
    second = [means(other, call) for call in run] if other else []
    if None in (*first, *second):
        return None
    done = ["error" not in call for call in run]
    places = range(len(run))
    match kind:
        case "never":
            return not any(first)
        case "allow":
            return all(first[at] or second[at] for at in places)
        case "at most":
            return sum(first[at] and done[at] for at in places) <= most
        case "at least":
            return sum(first[at] and done[at] for at in places) >= most
        case "before":
            return all(any(first[i] and done[i] for i in range(at)) for at in places if second[at])
    later = (any(second[i] and done[i] for i in places[at + 1 :]) for at in places if first[at] and done[at])
    return all(later)


# --- rules and runs --------------------------------------------------------------------------------


def a_test(rng: random.Random) -> tuple[str, Test]:
    name, value = rng.choice(NAMES), rng.choice((1, 2, 5))
    operator = rng.choice(("=", "!=", "<", "<=", ">", ">="))
    return rng.choice(
        (
            (f"{name} {operator} {value}", (name, operator, value)),
            (f"{name} = EUR", (name, "=", "EUR")),
            (f"{name} in [1, EUR]", (name, "in", (1, "EUR"))),
            (f'{name} ~ "[a-z]+[0-9]"', (name, "~", "[a-z]+[0-9]")),
            (f"{name} = 2 within 0.5", (name, "within", (2, 0.5))),
        )
    )


def a_pattern(rng: random.Random) -> tuple[str, Wanted]:
    name = rng.choice(TOOLS)
    if rng.random() < 0.6:
        return name, (name, None)
    said, test = a_test(rng)
    return f"{name}({said})", (name, test)


def a_rule(rng: random.Random) -> tuple[str, str, Any, Any, int]:
    (one, first), (other, second), most = a_pattern(rng), a_pattern(rng), rng.randrange(1, 4)
    said, test = a_test(rng)
    return rng.choice(
        (
            (f"never {one}", "never", first, None, 0),
            (f"allow {one}, {other}", "allow", first, second, 0),
            (f"at most {most} {one}", "at most", first, None, most),
            (f"at least {most} {one}", "at least", first, None, most),
            (f"{one} before {other}", "before", first, second, 0),
            (f"{one} then {other}", "then", first, second, 0),
            (f"budget {most}", "budget", None, None, most),
            (f"{one} only if {said}", "only if", first, test, 0),
        )
    )


def a_call(rng: random.Random) -> Call:
    arguments = {name: rng.choice(VALUES) for name in NAMES if rng.random() < 0.7}
    return {"name": rng.choice(TOOLS), "arguments": arguments, rng.choice(("result", "result", "error")): "it"}


@pytest.mark.parametrize("count", [40, pytest.param(1500, marks=pytest.mark.deep)])
def test_rules_with_comparisons_are_decided_as_by_hand(count: int) -> None:
    rng = random.Random(count)
    decided = 0
    for _ in range(count):
        text, *rule = a_rule(rng)
        run = [a_call(rng) for _ in range(rng.randrange(6))]
        expected = keeps(*rule, run)
        if expected is not None:
            decided += 1
            assert conform(text, run, repair=False).kept is expected, (text, run)
    assert decided > count * 0.8
