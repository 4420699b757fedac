"""Lines of calls read in one pass beside the whole way: what both read, they read alike."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validator.metrics.calls import read_calls
from validator.metrics.reading import _of_plan, read
from validator.reading.tokens import tokenize

blanks = st.sampled_from(["", "", " ", "  "])
words = st.sampled_from(["a", "B", "c1", "p-2", "2", "no", "and"])
names = st.sampled_from(["stack", "assert", "no", "plan", "F", "x-y", "step", "goal", "1", "define"])
ends = st.sampled_from(["", "", "\n", ",", " "])


@st.composite
def calls(draw: st.DrawFn) -> str:
    args = draw(st.lists(words, max_size=3))
    inside = ",".join(f"{draw(blanks)}{arg}{draw(blanks)}" for arg in args)
    return f"{draw(blanks)}{draw(names)}({inside}){draw(st.sampled_from(['', '', ' ', ' x']))}"


@settings(max_examples=200, deadline=None)
@given(pieces=st.lists(calls(), min_size=1, max_size=4), end=ends)
def test_what_is_read_at_once_is_read_alike(pieces: list[str], end: str) -> None:
    text = ",".join(pieces) + end
    found = read_calls(text)
    if found is None:
        return
    whole = _of_plan(tokenize(text), None)
    assert (whole.elements, list(whole.bag.items())) == (found[0], list(found[1].items()))
    assert [step.written for step in whole.plan.steps] == [step.written for step in found[0]]
    assert read(text).plan == whole.plan


@pytest.mark.parametrize(
    "text", ["", "f(a), g", "f(a), {g(b), h(c)}", "f(x=a), g(b)", "f(a)\ng(b)", "f((a), b)", "(f a)"]
)
def test_anything_else_is_left_to_the_whole_way(text: str) -> None:
    assert read_calls(text) is None


def test_a_line_of_calls_is_read_at_once() -> None:
    found = read_calls("stack(a, b), pick-up(c), stack(a,b)")
    assert found is not None
    assert list(map(str, found[0])) == ["(stack a b)", "(pick-up c)", "(stack a b)"]
    assert list(found[1].values()) == [2, 1]
