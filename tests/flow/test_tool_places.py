"""Calls whose arguments have no names, calls between sentences, and what a repair of them may not do."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.flow import check_tool_calls

TOOLS = [
    {
        "name": "find",
        "parameters": {
            "type": "object",
            "properties": {
                "file": {"type": "string"},
                "word": {"type": "string"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
                "flags": {"type": "object", "properties": {"case": {"type": "boolean"}, "deep": {"type": "integer"}}},
            },
            "required": ["file", "word"],
        },
    },
    {
        "name": "late",
        "parameters": {
            "type": "object",
            "properties": {"size": {"type": "integer"}, "text": {"type": "string"}},
            "required": ["text"],
        },
    },
    {"name": "now", "parameters": {"type": "object", "properties": {}}},
]


@pytest.mark.parametrize(
    "calls",
    [
        "[find('a', 'x')]",
        "find('a', 'x', 5)",
        "find('a', word='x')",
        "find('a', 'x', flags={'case': True})",
        "find(*['a', 'x'])",
        "find('a', **{'word': 'x'})",
        "late('a')",
        "late('a', 3)",
        "late(3, 'a')",
        "[find('a', 'x'), late('b'), now()]",
        [{"name": "find", "arguments": ["a", "x"]}],
        {"name": "find", "arguments": {"file": "a", "word": "x"}},
        {"choices": [{"message": {"tool_calls": [{"function": {"name": "now", "arguments": "{}"}}]}}]},
    ],
)
def test_what_is_optional_may_be_left_out_by_place_as_by_name(calls: Any) -> None:
    assert check_tool_calls(TOOLS, calls).determination is True


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({"limit": None}, {}),
        ({"limit": 99}, {}),
        ({"limit": "many"}, {}),
        ({"limit": "5"}, {"limit": 5}),
        ({"limit": "$nobody.size$"}, {}),
        ({"flags": {"case": True, "deep": None}}, {"flags": {"case": True}}),
        ({"flags": 3}, {}),
        ({"limit": 0, "flags": []}, {}),
    ],
)
def test_an_optional_argument_that_is_wrong_is_left_out_and_nobody_asked(given: Any, left: Any) -> None:
    needed = {"file": "a", "word": "x"}
    report = check_tool_calls(TOOLS, [{"name": "find", "arguments": {**needed, **given}}])
    assert report.determination is False and report.proven
    assert [call["arguments"] for call in report.repaired_calls] == [{**needed, **left}]


def test_an_argument_that_is_given_twice_is_no_call() -> None:
    with pytest.raises(Exception, match="find is given 'file' twice"):
        check_tool_calls(TOOLS, "find(file='a', file='b', word='x')")


_VALUES = st.sampled_from(["a", "5", 5, 99, None, True, [], {}, {"deep": "x"}, "$var1$", "$gone.x$"])
_CALL = st.tuples(st.sampled_from(["find", "late", "now", "fnd"]), st.lists(_VALUES, max_size=5))


@given(st.lists(_CALL, min_size=1, max_size=2))
def test_a_repair_is_never_what_was_read_and_a_call_shows_all_that_it_has(calls: list[tuple[str, list[Any]]]) -> None:
    text = "\n".join(f"{name}({', '.join(map(repr, placed))})" for name, placed in calls)
    report = check_tool_calls(TOOLS, text, time_limit=5)
    for (_, placed), shown in zip(calls, report.reference, strict=True):
        assert len(shown.args) == len(placed)
    if report.repaired_calls is not None:
        assert report.repaired_plan != report.reference
        assert check_tool_calls(TOOLS, report.repaired_calls).determination is True


# --- what stands around calls --------------------------------------------------------------------

_ONE = {"name": "find", "arguments": {"file": "a", "word": "x"}}
_JSON = json.dumps(_ONE)
_PYTHON = "find('a', 'x')"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (f"1. {_PYTHON}\n2. late('b')\n", 2),
        (f"First {_JSON}, then {_JSON}.", 2),
        (f"```json\n{_JSON}\n```\nand\n```json\n{_JSON}\n```", 2),
        (f"Not {_JSON} but\n```json\n[{_JSON}, {_JSON}]\n```", 2),
        (f"{_JSON}\n{_JSON}\n", 2),
    ],
)
def test_several_calls_of_a_text_are_one_list(text: str, number: int) -> None:
    report = check_tool_calls(TOOLS, text)
    assert (report.determination, len(report.reference)) == (True, number)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I am sorry, I cannot do that.", "no call is in the text"),
        ("", "no call is in the text"),
        ("I could find the word, or not (see above).", "no call is in the text"),
        ({"role": "assistant", "content": "All is done."}, "no call is in the text"),
        (f'```json\n[{_JSON}, {{"name": "find", "argu', "begins as a call does"),
        ('Bob is {"name": "Bob", "age": 3}.', "begins as a call does"),
        (f"```python\n{_PYTHON}\nprint(result)\n```", "looks like a call"),
        (f"[{_JSON}, {_JSON}]\n\nor\n\n[{_JSON}, {_JSON}]", "which one counts is not said"),
    ],
)
def test_what_is_not_understood_is_neither_right_nor_wrong(text: Any, said: str) -> None:
    report = check_tool_calls(TOOLS, text)
    assert report.determination is None and not report.failures
    assert report.reason.startswith("not understood: ") and said in report.reason
