"""Texts in which an agent and its world speak in turn, as traces."""

from __future__ import annotations

import pytest

from validator.errors import InputError
from validator.reading.traces.read import read_trace

REACT = """Question: What is the weather where the Colosseum is?
Thought: I have to find the city first.
Action: search
Action Input: {"query": "Colosseum"}
Observation: It is in Rome.
Thought: Now the weather.
Action: weather
Action Input: Rome
Observation: 20 degrees
Thought: I now know the final answer
Final Answer: 20 degrees
"""
NUMBERED = """Thought 1: I need to search Milhouse.
Action 1: search[Milhouse]
Observation 1: A character.
Thought 2: Look it up.
Action 2: lookup[named after]
Observation 2: Named after Richard Nixon.
Action 3: Finish[Richard Nixon]
"""
CALLS = """> Entering new chain...
Action: price(item="book", shop='x')
Observation: 12
Thought: buy it
Action: buy(item="book")
Observation: done
"""
TAGS = (
    "<action>open(door=1)</action><observation>open</observation><action>walk()</action><observation>ok</observation>"
)


def _calls(text: str) -> list[tuple[str, dict[str | None, str], object]]:
    return [
        (call.name, {each.name: each.text for each in call.arguments or ()}, call.result)
        for call in read_trace(text).calls
    ]


def test_inputs_stand_on_lines_of_their_own() -> None:
    assert _calls(REACT) == [
        ("search", {"query": "Colosseum"}, "It is in Rome."),
        ("weather", {None: "Rome"}, "20 degrees"),
    ]
    assert [said.text for said in read_trace(REACT).said] == ["I have to find the city first.", "Now the weather."]


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (NUMBERED, [("search", {None: "Milhouse"}), ("lookup", {None: "named after"})]),
        (CALLS, [("price", {"item": "book", "shop": "x"}), ("buy", {"item": "book"})]),
        (TAGS, [("open", {"door": "1"}), ("walk", {})]),
    ],
)
def test_calls_are_written_in_many_ways(text: str, calls: list[tuple[str, dict[str | None, str]]]) -> None:
    assert [(name, given) for name, given, _ in _calls(text)] == calls


@pytest.mark.parametrize("text", ["Plan: search, then book.", "1. search\n2. book\n", '{"calls": ['])
def test_a_text_in_which_nobody_answers_is_no_trace(text: str) -> None:
    with pytest.raises(InputError):
        read_trace(text)
