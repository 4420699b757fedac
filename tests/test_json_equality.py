"""Equality of JSON values."""

from __future__ import annotations

import pytest

from validator.guard import PlanGuard
from validator.reading.values import canonical, equal


@pytest.mark.parametrize(
    ("one", "other", "are_equal"),
    [
        (1, 1.0, True),
        (0, -0.0, True),
        (10**22, 1e22, True),
        ({"a": 1, "b": [1, {"c": 2.0}]}, {"b": [1.0, {"c": 2}], "a": 1}, True),
        ((1, 2), [1, 2], True),
        (1, "1", False),
        (1, True, False),
        ([0], [False], False),
        (None, "null", False),
        (2**53 + 1, 2.0**53, False),
        ([1, 2], [2, 1], False),
    ],
)
def test_pairs(one: object, other: object, are_equal: bool) -> None:
    assert equal(one, other) is equal(other, one) is are_equal
    assert (canonical(one) == canonical(other)) is are_equal


@pytest.mark.parametrize(
    ("known", "asked", "allowed"),
    [
        (1, 1.0, True),
        (1, "1", False),
        (float("nan"), float("nan"), False),
    ],
)
def test_facts_of_a_guard(known: object, asked: object, allowed: bool) -> None:
    guard = PlanGuard("pay only if (known ?user)\nverify gives (known ?user)")
    guard.after(guard.before("verify", {"user": known}))
    assert guard.before("pay", {"user": asked}).allowed is allowed
