"""Attacks on what is proven of models with parameters: repairs, moves, parts of models, claims of no plan."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from benchmarks.attacks.classical import repaired, scale_of, text_of
from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, DEARER
from tests.support.random_schemas import SchemaOracle, random_plan, random_schema
from validator import Quality, check
from validator.checking.prepared import Prepared, prepare
from validator.model.pddl import read_model
from validator.repair.edit import Weighting

__all__ = ["KINDS"]

_PRICES = (CHEAP, DEAR, DEARER)
_SIZES = (2, 5, 12)
"""of parts of models that have a dozen steps or two"""

_CLAIMS = ("There is no plan.", "No plan exists: the goal cannot be reached.", "NO PLAN")


def _case(seed: int, most: int = 6) -> tuple[Prepared, SchemaOracle, list[str]]:
    texts = random_schema(seed, _PRICES[seed % 3])
    oracle = SchemaOracle(*texts)
    return prepare(read_model(*texts)), oracle, random_plan(oracle, Random(f"plan {seed}"), most)


def _repairs(seed: int) -> Iterator[str]:
    prepared, oracle, plan = _case(seed)
    for quality in Quality:
        for policy in ("edits", "keep"):
            yield repaired(prepared, oracle, plan, quality, policy)


def _moves(seed: int) -> Iterator[str]:
    """Repair a plan whose lines may stand at other places."""
    prepared, oracle, plan = _case(seed, 5)
    skip = Weighting.keeping(len(plan)).skip
    for quality in ("sound", "valid"):
        report = check(prepared, None, text_of(plan), policy="move", quality=quality)
        least = oracle.moved(plan, quality, scale_of(prepared))
        assert report.determination is (least == (0, 0)), (quality, least, report.reason)
        if report.determination is False and report.proven:
            found = report.planner_response.cost
            assert (found is None) is (least is None), (quality, least, found)
            assert least is None or found == least[0] * skip + least[1], (quality, least, found)
        yield outcome(report.proven)


def _claims(seed: int) -> Iterator[str]:
    """Say whether a text that claims that there is no plan is right."""
    prepared, oracle, _ = _case(seed)
    report = check(prepared, None, _CLAIMS[seed % 3])
    has_plan = oracle.nearest((), "valid", "edits", 1) is not None
    assert report.determination in (not has_plan, None), (has_plan, report.reason)
    yield outcome(report.determination is not None)


KINDS = (
    Kind(name="repair: parameters", against="Dijkstra over states and places of the plan", attack=_repairs, share=12),
    Kind(name="repair: moves", against="Dijkstra over states, places, lines done", attack=_moves, share=4),
    Kind(name="claims of no plan", against="Dijkstra over states", attack=_claims, share=3),
)
