"""The suite ``attacks``: every kind compares, and what is wrong is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.attacks import KINDS, _attacked, _outcomes
from benchmarks.attacks.kind import Kind


@pytest.mark.deep
@pytest.mark.planner
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # an alarm may ring in a destructor
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_no_answer_of_any_kind_is_wrong(kind: Kind) -> None:
    seen, wrong = _attacked(700, kind.name, 2)
    assert not wrong and seen["proven"] + seen["open"] == 2


def test_what_is_wrong_is_told_with_its_seed() -> None:
    def attack(seed: int) -> Iterator[str]:
        yield "proven"
        raise AssertionError("a cheaper plan")

    found = list(_outcomes(Kind(name="liars", against="truth", attack=attack), 3))
    assert found == ["proven", "liars, seed 3: AssertionError: a cheaper plan (attack)"]
