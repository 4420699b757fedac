"""Patterns that come with input: their meaning, what is not understood, and that none runs for ever."""

from __future__ import annotations

import re
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.flow.tools import check_tool_calls
from validator.guard import PlanGuard
from validator.reading.regexes import full_match, refusal, search


@pytest.mark.parametrize(
    ("pattern", "text", "is_found"),
    [
        ("b", "abc", True),
        ("^a$", "a\n", False),
        (r"^\d+$", "12", True),
        (r"^\d+$", "١٢", False),
        (r"^\w+$", "é", False),
        (r"^\s$", "\ufeff", True),
        (r"^[\S]$", "\u00a0", False),
        (r"^[^\D]$", "7", True),
        ("^.$", "\u2028", False),
        ("^.$", "😀", True),
        ("(?s)^.$", "\n", True),
        ("(?i)^abc$", "ABC", True),
        (r"^[\w-.]+$", "a-b.c", True),
        (r"^\p{Lu}$", "É", True),
        (r"^\u0041\x41[\u0042]$", "AAB", True),
        ("^(?<year>[0-9]{4})$", "2026", True),
        ("^{a}$", "{a}", True),
        ("^a{900}$", "a" * 900, True),
        ("^a{900}$", "a" * 899, False),
        ("", "", True),
    ],
)
def test_meaning_of_ecma_262(pattern: str, text: str, is_found: bool) -> None:
    assert search(pattern, text) is is_found


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"(a)\1", "(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b", r"(?<n>a)\k<n>", "(?>a)", "(?P=n)", "(?#a)", "a++", "a**"),
        *("*a", "(*a)", "^*", "a{,3}", "a{3,1}", "(a", "a)", "[a", "[]", "[^]", "[b-a]", r"\A", r"\Z", r"\B", r"\q"),
        *(
            "\\",
            r"\ud83d",
            r"\u{1F600}",
            r"[\b]",
            r"\cA",
            r"\p{Script=Greek}",
            "(?x)a",
            "(?i:a)",
            r"\p{C}",
            r"\p{Nothing}",
            "a{1001}",
            "a" * 20_001,
        ),
        *("((a{500}){500}){500}", "(a{9}){2000}"),
    ],
)
def test_not_understood(pattern: str) -> None:
    assert refusal(pattern) is not None
    assert search(pattern, "a") is None
    assert full_match(pattern, "a") is None


def test_half_of_a_surrogate_pair_is_not_understood() -> None:
    assert search("a", "a\ud83d") is None


def test_more_work_than_is_bounded_is_not_understood() -> None:
    assert refusal("^(a?){1000}$") is None
    assert search("^(a?){1000}$", "a" * 1_000_000) is None


_ATOMS = st.sampled_from(("a", "b", "c", "[ab]", "[^a]", "[a-c]", r"\.", r"[\w.]", "x", "_"))
_REPEATS = st.sampled_from(("", "", "*", "+", "?", "{2}", "{1,2}", "{1,}", "*?", "+?"))


def _wider(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    groups = st.tuples(st.sampled_from(("({})", "(?:{})")), inner, _REPEATS).map(
        lambda each: each[0].format(each[1]) + each[2]
    )
    return groups | st.tuples(inner, inner).map("".join) | st.tuples(inner, inner).map("|".join)


_PATTERNS = st.recursive(st.tuples(_ATOMS, _REPEATS).map("".join), _wider, max_leaves=6)
_ENDS = st.sampled_from(("{}", "^(?:{})", "(?:{})$", "^(?:{})$"))


@given(_PATTERNS, _ENDS, st.text("abcx._", max_size=8))
def test_agrees_with_python(pattern: str, ends: str, text: str) -> None:
    pattern = ends.format(pattern)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        expected = re.compile(pattern)
    assert search(pattern, text) is (expected.search(text) is not None)
    assert full_match(pattern, text) is (expected.fullmatch(text) is not None)


_CATASTROPHES = st.recursive(
    st.sampled_from(("a", "[a-z]", "a?", "(?:a|a)", ".")),
    lambda inner: st.tuples(inner, st.sampled_from(("({})+", "({})*", "({})+a?", "(?:{0}|{0})"))).map(
        lambda each: each[1].format(each[0])
    ),
    max_leaves=4,
)


@given(_CATASTROPHES)
def test_catastrophic_patterns_end(pattern: str) -> None:
    """Backtracking would take 2 ** 100,000 steps."""
    assert search(f"^({pattern})+$", "a" * 100_000 + "\n") is False


def _is_refused(tools: list[dict[str, Any]], calls: list[dict[str, Any]]) -> bool:
    return check_tool_calls(tools, calls, repair=False).determination is False


@pytest.mark.parametrize("pattern", ["^(a+)+$", r"^([a-zA-Z0-9]+[._-]?)+@[a-z]+\.com$"])
def test_tool_calls(pattern: str) -> None:
    parameters: dict[str, Any] = {"type": "object", "properties": {"q": {"type": "string", "pattern": pattern}}}
    tools = [{"name": "find", "parameters": parameters}]
    assert _is_refused(tools, [{"name": "find", "arguments": {"q": "a" * 100_000 + "!"}}])
    closed = {"type": "object", "patternProperties": {pattern: {}}, "additionalProperties": False}
    parameters["properties"]["q"] = closed
    assert _is_refused(tools, [{"name": "find", "arguments": {"q": {"a" * 10_000 + "!": 1}}}])
    parameters["properties"]["q"] = {"type": "object", "propertyNames": {"pattern": pattern}}
    assert _is_refused(tools, [{"name": "find", "arguments": {"q": {"a" * 10_000 + "!": 1}}}])


def test_a_guard_decides_and_is_closed() -> None:
    guard = PlanGuard('pay only if iban ~ "^([a-z]+[.]?)+@x$"')
    assert not guard.before("pay", {"iban": "a" * 100_000}).allowed
    assert guard.before("pay", {"iban": "a.b@x"}).allowed
