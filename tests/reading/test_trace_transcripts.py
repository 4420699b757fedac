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
STRUCTURED = """> Entering new AgentExecutor chain...
Thought: look first
Action:
```
{
  "action": "tables",
  "action_input": {}
}
```
Observation: users
Action:
```json
{"action": "query", "action_input": {"sql": "select 1", "most": 3}}
```
Observation: 1
Action:
```
{"action": "Final Answer", "action_input": "One."}
```

> Finished chain.
"""
IN_JSON = """--- step 1 ---
{"thought": "who is it?", "action": "employee", "action_input": {"id": "E1"}, "decision": null}
Observation: {
  "found": true
}

--- step 2 ---
{"thought": "go on", "action": "limits", "action_input": {"role": "standard"}, "decision": null}
Observation: {
  "found": true
}
"""
PRINTED = """\x1b[1m> Entering new AgentExecutor chain...\x1b[0m
\x1b[32;1mAction: weather
Action Input: {'city': 'Oslo', 'days': 2}\x1b[0m
Observation: \x1b[36;1mrain\x1b[0m
Final Answer: rain
\x1b[1m> Finished chain.\x1b[0m
"""
REFUSED = """> Entering new AgentExecutor chain...
I need a forecast.
Action: forecast
Action Input: {
    "city": "Oslo"
}
forecast is not a valid tool, try one of [weather, search].I shall take another one.
Action: weather
Action Input: Osloweather is not a valid tool, try one of [search].

> Finished chain.
"""
INVOKED = """> Entering new AgentExecutor chain...

Invoking: `query` with `{'sql': 'SELECT COUNT(x) FROM y'}`


Error: no such table
Invoking: `tables` with `{}`
responded: I look which there are.

users, ordersInvoking: `query` with `{'sql': "SELECT 'a'"}`


[('a',)]It is a.

> Finished chain.
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
        (STRUCTURED, [("tables", {}), ("query", {"sql": "select 1", "most": "3"})]),
        (IN_JSON, [("employee", {"id": "E1"}), ("limits", {"role": "standard"})]),
        (PRINTED, [("weather", {"city": "Oslo", "days": "2"})]),
        (REFUSED, [("forecast", {"city": "Oslo"}), ("weather", {None: "Oslo"})]),
        (
            INVOKED,
            [("query", {"sql": "SELECT COUNT(x) FROM y"}), ("tables", {}), ("query", {"sql": "SELECT 'a'"})],
        ),
        (CALLS, [("price", {"item": "book", "shop": "x"}), ("buy", {"item": "book"})]),
        (TAGS, [("open", {"door": "1"}), ("walk", {})]),
    ],
)
def test_calls_are_written_in_many_ways(text: str, calls: list[tuple[str, dict[str | None, str]]]) -> None:
    assert [(name, given) for name, given, _ in _calls(text)] == calls


def test_steps_in_json_have_their_results() -> None:
    assert all('"found": true' in str(result) for _, _, result in _calls(IN_JSON))


@pytest.mark.parametrize("text", ["Plan: search, then book.", "1. search\n2. book\n", '{"calls": ['])
def test_a_text_in_which_nobody_answers_is_no_trace(text: str) -> None:
    with pytest.raises(InputError):
        read_trace(text)


def test_what_is_answered_without_a_label_is_an_answer() -> None:
    assert [result for _, _, result in _calls(INVOKED)] == ["Error: no such table", "users, orders", "[('a',)]It is a."]
    assert [str(result).partition(",")[0] for _, _, result in _calls(REFUSED)] == [
        "forecast is not a valid tool",
        "weather is not a valid tool",
    ]
    assert [said.text for said in read_trace(INVOKED).said] == ["I look which there are."]
