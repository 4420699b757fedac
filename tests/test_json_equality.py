"""Equality of JSON values."""

from __future__ import annotations

import pytest

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
