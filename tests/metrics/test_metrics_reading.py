"""A plan is compared as the sequence of what happens in it, in whatever form it was given."""

from __future__ import annotations

from validator.metrics import read
from validator.reading.plan import Step


def step(name: str, *args: str) -> Step:
    return Step(name=name, args=args)


PICK, STACK = step("pick", "a"), step("stack", "a", "b")


def test_sets_and_texts_may_be_members_of_a_list() -> None:
    assert read([{"pick(a)", STACK}, "wait"]).elements == (frozenset([PICK, STACK]), step("wait"))
