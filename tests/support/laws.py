"""What laws share: how many cases of one are tried, models with an oracle, and a report beside that oracle."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from io import StringIO
from random import Random
from typing import Any, NamedTuple, TypeVar

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.support.edit_oracle import CHEAP, DEAR, DEARER, KINDS, Oracle, State, cost_of, random_case
from tests.support.models import task_of
from tests.support.random_deliveries import random_delivery
from tests.support.random_worlds import SIMPLE, Texts, random_world, states_of, wrong_walk
from validator import Quality, Report
from validator.checking.prepared import Prepared
from validator.cli import main

Test = TypeVar("Test", bound=Callable[..., None])

_KEYWORDS = {"define", "domain", "problem", "object", "either", "number", "total-cost", "minimize", "increase", "when"}
_KEYWORDS |= {"and", "or", "not", "imply", "forall", "exists"}
"""words that no model may call anything else"""

_DEEP = 50
"""cases of the deep profile; one of more looks at as many cases of each law"""


def law(few: int = 2, quick: int = 0) -> Callable[[Test], Test]:
    """Make a test of a seed a law: a deep run tries a few seeds, ``HYPOTHESIS_PROFILE=search`` thousands.

    A default run tries ``quick`` of them.
    """
    examples = settings().max_examples
    is_default = quick > 0 and examples < _DEEP
    most = quick if is_default else few if examples <= _DEEP else examples

    def made(test: Test) -> Test:
        tried = given(seed=st.integers(0, 10**6))(test)
        limited = pytest.mark.planner(settings(max_examples=most, suppress_health_check=list(HealthCheck))(tried))
        return limited if is_default else pytest.mark.deep(limited)  # type: ignore[no-any-return]

    return made


class Case(NamedTuple):
    """A classical model with its oracle, its states, and what draws the rest of a case."""

    texts: Texts
    oracle: Oracle
    states: list[State]
    draw: Random

    def walk(self, steps: int, faults: Sequence[int] = (0, 1, 2), to_goal: float = 0.7) -> list[str]:
        """Return a walk of at most some steps with faults, all of whose lines are steps of the model."""
        draw, known = self.draw, set(map(str, self.oracle.steps))
        walk = wrong_walk(
            self.oracle, draw, draw.randint(0, steps), draw.choice(faults), to_goal=draw.random() < to_goal
        )
        return [line for line in walk if line in known]

    def known(self) -> list[str]:
        return list(map(str, self.oracle.steps))


def case_of(seed: int, sources: str = "psw", most: int = 300) -> Case:
    """Return a model of few states with some step: propositional, simple, anything, or a delivery; or reject it."""
    draw = Random(f"case {seed}")
    source, prices, number = draw.choice(sources), draw.choice((CHEAP, DEAR, DEARER)), draw.randrange(10**6)
    match source:
        case "p":
            texts = random_case(draw.choice(KINDS), number, prices)[:2]
        case "s":
            texts = random_world(number, prices, SIMPLE)
        case "w":
            texts = random_world(number, prices)
        case _:
            texts = random_delivery(number, prices)
    oracle = Oracle(*texts)
    states = states_of(oracle, most)
    assume(states is not None and oracle.steps)
    return Case(texts, oracle, states or [], draw)


def mutated_model(texts: Texts, draw: Random) -> Texts:
    """Return a model of which one part is left out, denied, repeated or replaced by another, or one word by another.

    Or an action, a predicate, a type or an object has another name, wherever it stands.
    """
    if draw.random() < 0.15:
        return renamed(texts, draw)
    number = draw.randrange(2)
    text = texts[number]
    spans = [each.span() for each in re.finditer(r"\([^()]*(\([^()]*\)[^()]*)*\)", text)]
    spans += [each.span() for each in re.finditer(r"\([^()]*\)", text)]
    is_word = draw.random() < 0.3
    if is_word:
        spans = [each.span() for each in re.finditer(r"[^\s()]+", text)]
    (start, end), (other_start, other_end) = draw.choice(spans), draw.choice(spans)
    part, other = text[start:end], text[other_start:other_end]
    new = other if is_word else draw.choice(("", "(and)", f"(not {part})", f"{part} {part}", other, f"{part} {other}"))
    changed = text[:start] + new + text[end:]
    return (changed, texts[1]) if number == 0 else (texts[0], changed)


def renamed(texts: Texts, draw: Random) -> Texts:
    words = {word.lower() for text in texts for word in re.findall(r"(?<![^\s()])[a-z][^\s()]*", text, re.IGNORECASE)}
    old = re.escape(draw.choice(sorted(words - _KEYWORDS)))
    domain, problem = (re.sub(rf"(?<![^\s()]){old}(?![^\s()])", r"\g<0>x", text, flags=re.IGNORECASE) for text in texts)
    return domain, problem


def readable(texts: Texts) -> Oracle | None:
    """Return the oracle of a mutated model.

    None where it has many states, or where a list stands for a word, a word for a number, or two lists for one.
    """
    try:
        oracle = Oracle(*texts)
        return None if states_of(oracle, 300) is None else oracle
    except (TypeError, ValueError):
        return None


def text_of(plan: Sequence[str]) -> str:
    return "".join(f"{step}\n" for step in plan) or "; empty plan\n"


def scale_of(prepared: Prepared) -> int:
    """Return what costs are multiplied with to be integers."""
    return task_of(prepared).encoding.scale


def judged(
    report: Report,
    oracle: Oracle,
    plan: Sequence[str],
    policy: str,
    scale: int,
    *,
    is_limited: bool = False,
    executed: int = 0,
) -> None:
    """Compare all that a report claims of a plan whose first steps may have been executed before.

    With limits so small that they are met, it may leave open whatever it is.
    """
    quality = report.report_type
    expected = oracle.nearest(plan[executed:], quality.value, policy, scale)
    found = cost_of(report, policy, oracle, scale, executed)
    told = (quality, policy, found, expected)
    is_unknown = report.determination is None or (found is None and not report.proven)
    assert is_unknown or found == expected or (not report.proven and expected is not None and found > expected), told
    assert not (report.proven and report.determination is None), told
    assert not (report.planner_response.no_solution and expected is not None), told
    if quality is not Quality.OPTIMAL:
        is_right = report.determination is (expected == (Fraction(0), Fraction(0)))
        assert is_right or (is_limited and report.determination is None), (quality, report.determination)
        bound = report.planner_response.lower_bound
        assert bound is None or policy != "edits" or expected is None or bound <= expected[0], (told, bound)
    else:
        is_cheapest = expected is not None and not expected[1]  # no edits are the nearest way to a cheapest plan
        assert report.determination in (is_cheapest, None), (policy, report.determination, expected)
        if (cheapest := report.optimal_cost) is not None and expected is not None:
            assert is_in(cheapest, expected[0]), cheapest


def has_quality(oracle: Oracle, plan: Sequence[str], quality: Quality) -> bool:
    """Return whether a plan has a quality, by execution and Dijkstra."""
    end = oracle.run(plan)
    if end is None or (quality is not Quality.SOUND and not oracle.is_goal(end[0])):
        return False
    least = oracle.nearest((), "optimal", "edits", 1) if quality is Quality.OPTIMAL else None
    return quality is not Quality.OPTIMAL or (least is not None and sum(end[1]) + oracle.begun == least[0])


def is_in(bounds: Any, cost: Fraction | int) -> bool:
    """Return whether a cost lies within bounds, which nothing may be known of."""
    return bounds is None or (bounds.lower <= cost and (bounds.upper is None or cost <= bounds.upper))


def command(*words: object) -> tuple[int, str]:
    """Run the command line; return the exit code and what is printed."""
    out, wrong = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(wrong):
        code = main(list(map(str, words)))
    return code, out.getvalue()
