"""Lines of calls read in one pass beside the whole way: what both read, they read alike."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validator.metrics.calls import read_calls, read_names
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
@given(pieces=st.lists(calls(), min_size=1, max_size=4), times=st.sampled_from((1, 1, 40)), end=ends)
def test_what_is_read_at_once_is_read_alike(pieces: list[str], times: int, end: str) -> None:
    text = ",".join(pieces * times) + end
    found = read_calls(text)
    if found is None:
        return
    whole = _of_plan(tokenize(text), None)
    assert (whole.elements, list(whole.bag.items())) == (found[0], list(read(text).bag.items()))
    assert [step.written for step in whole.plan.steps] == [step.written for step in found[0]]
    assert read(text).plan == whole.plan


@pytest.mark.parametrize(
    "text", ["", "f(a), g", "f(a), {g(b), h(c)}", "f(x=a), g(b)", "f(a)\ng(b)", "f((a), b)", "(f a)"]
)
def test_anything_else_is_left_to_the_whole_way(text: str) -> None:
    assert read_calls(text) is None


plain = st.sampled_from(
    ["a", "B2", "pick-up", "no", "plan", "none", "assert", "step", "x_1", "__a", "and", "2", "é", "a b", ""]
)
sets = st.lists(plain, max_size=3).map(lambda names: f"{{{', '.join(names)}}}")


@settings(max_examples=200, deadline=None)
@given(pieces=st.lists(st.tuples(blanks, plain | sets, blanks).map("".join), min_size=1, max_size=5), end=ends)
def test_names_that_are_read_at_once_are_read_alike(pieces: list[str], end: str) -> None:
    text = ",".join(pieces) + end
    found = read_names(text)
    if found is not None:
        whole = _of_plan(tokenize(text), None)
        assert (whole.elements, whole.steps) == (found, read(text).steps)
        assert list(read(text).bag.items()) == list(whole.bag.items())
        assert read(text).plan == whole.plan


@pytest.mark.parametrize(
    "text", ["", "A", "__a", "a,", "a b, c", "a\nb", "a, {}", "{a}", "f(a), g", "a, {b", "a, b\n", "[a, b]"]
)
def test_what_is_no_line_of_names_is_left_to_the_whole_way(text: str) -> None:
    assert read_names(text) is None


def test_a_line_of_names_and_sets_is_read_at_once() -> None:
    found = read_names("a1, {a3, a2}, a4")
    assert found is not None
    assert [len(one) if isinstance(one, frozenset) else str(one) for one in found] == ["(a1)", 2, "(a4)"]


def test_a_line_of_calls_is_read_at_once() -> None:
    text = "stack(a, b), pick-up(c), stack(a,b)"
    found = read_calls(text)
    assert found is not None
    assert list(map(str, found[0])) == ["(stack a b)", "(pick-up c)", "(stack a b)"]
    assert list(read(text).bag.values()) == [2, 1]
