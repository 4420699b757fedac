"""Attacks on answers under limits that are met anywhere: a limit may leave an answer open, and never changes it.

Checks follow each other on one model, which keeps what they found. What an ended one left must not be wrong: the last
one has time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from random import Random
from unittest.mock import patch

from benchmarks.attacks.classical import judged, scale_of, text_of
from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, DEARER, Oracle, random_case
from tests.support.edit_oracle import KINDS as MODELS
from tests.support.random_deliveries import random_delivery
from tests.support.random_schemas import Texts, random_schema
from tests.support.random_worlds import random_world, states_of, wrong_walk
from validator import Quality, check
from validator.checking import limits
from validator.checking.prepared import Prepared, prepare
from validator.checking.solve import solve
from validator.model.pddl import read_model

__all__ = ["KINDS", "no_patience"]

_PRICES = (CHEAP, DEAR, DEARER)

_MOST_STATES, _QUESTIONS = 1000, 7

_ENOUGH = 60.0
"""seconds for the last question, of which most need less than one"""


def _case(seed: int, draw: Random) -> tuple[Texts, Oracle, list[str]] | None:
    prices, kind = _PRICES[seed // 4 % 3], seed % 4
    if kind == 0:
        *texts, plan = random_case(MODELS[seed // 4 % 4], seed, prices)
        return (texts[0], texts[1]), Oracle(*texts), plan
    texts = (random_schema, random_world, random_delivery)[kind - 1](seed, prices)
    oracle = Oracle(*texts)
    if states_of(oracle, _MOST_STATES) is None:
        return None
    return texts, oracle, wrong_walk(oracle, draw, draw.randint(0, 12), draw.randint(0, 6), to_goal=kind == 3)


def _attack(seed: int) -> Iterator[str]:
    draw = Random(f"limited {seed}")
    if (case := _case(seed, draw)) is None:
        return
    texts, oracle, plan = case
    prepared, scale = prepare(read_model(*texts)), scale_of(prepare(read_model(*texts)))
    for _ in range(_QUESTIONS):
        here = prepare(read_model(*texts)) if draw.random() < 0.3 else prepared
        with no_patience() if draw.random() < 0.5 else ExitStack():
            yield _asked(here, oracle, plan, scale, draw, _seconds(draw), _bytes(draw))
    quality, policy = draw.choice(list(Quality)), draw.choice(("edits", "keep"))
    report = check(prepared, None, text_of(plan), quality=quality, policy=policy, time_limit=_ENOUGH)
    assert report.proven or report.planner_response.status == "cost limit", (quality, policy, report.planner_response)
    yield judged(report, oracle, plan, policy, scale)


def _asked(
    prepared: Prepared, oracle: Oracle, plan: list[str], scale: int, draw: Random, seconds: float, memory: int
) -> str:
    if draw.random() < 0.2:
        found, least = (
            solve(prepared, time_limit=seconds, memory_limit=memory),
            oracle.nearest((), "optimal", "edits", 1),
        )
        if found.plan is None:
            assert not (found.proven and least is not None), (found, least)
        else:
            end = oracle.run(map(str, found.plan))
            assert least is not None and end is not None and oracle.is_goal(end[0]), found
            assert found.cost == least[0] or (not found.proven and found.cost > least[0]), (found, least)
        assert None in (found.lower_bound, least) or found.lower_bound <= least[0], (found, least)
        return outcome(found.proven)
    quality, policy = draw.choice(list(Quality)), draw.choice(("edits", "keep"))
    report = check(
        prepared, None, text_of(plan), quality=quality, policy=policy, time_limit=seconds, memory_limit=memory
    )
    return judged(report, oracle, plan, policy, scale, is_limited=True)


def _seconds(draw: Random) -> float:
    return float(10 ** draw.uniform(-3.0, -0.3))


def _bytes(draw: Random) -> int:
    """Return a memory limit, in half of all cases one that programs are likely to meet: as they begin, or later."""
    return draw.choice((2**31, 2**31, int(2 ** draw.uniform(20, 29)), int(2 ** draw.uniform(24, 27))))


@contextmanager
def no_patience() -> Iterator[None]:
    """Let the alarm ring as soon as the time is over, wherever the process is then."""
    with patch.object(limits, "_LEAST", 0.0):
        yield


KINDS = (
    Kind(name="answers under limits", against="Dijkstra over states and places of the plan", attack=_attack, share=12),
)
