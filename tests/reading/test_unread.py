"""Notations that are recognized and not read: each is a piece that was not understood, whatever else the text says."""

from __future__ import annotations

import pytest

from tests.reading.test_printed_forms import DOMAIN, PLAN, PROBLEM, call, checked, lines
from tests.support.depth import deep
from validator import prepare
from validator.reading.tokens import read
from validator.resources import terminals

KNOWN = prepare(DOMAIN, PROBLEM).vocabulary
SIGNS = {
    "MERMAID": 'flowchart TD\n  A0["unpile(o, a)"] -->|then| A1["set_down(o)"]',
    "GRAPHVIZ": 'digraph G {\n  n0 [label="unpile(o, a)"];\n  n1 [label="set_down(o)"];\n  n0 -> n1;\n}',
    "SQL": "INSERT INTO plan (step, action, args) VALUES (1, 'unpile', 'o a');",
    "TOML": '[[steps]]\naction = "unpile"\nargs = ["o", "a"]\n',
    "INI": "[step1]\naction=unpile\nargs=o, a\n",
    "RECORDS": "- action: unpile\n  args: [o, a]\n",
    "DEFINITION": "(define (plan x)\n (:actions (unpile o a)))",
    "CSV": "time,action,arguments\n1.0,unpile,o a",
    "DATA_FRAME": "   action  args\n0  unpile  o a",
    "HTTP": 'POST /unpile {"x": "o", "y": "a"}',
    "PROTOBUF": 'steps {\n  action: "unpile"\n  args: "o"\n}',
    "RDF": ":s1 a :unpile .\n:s2 a :pile .",
    "ANSWER_SET": "occurs(unpile(o, a),1) occurs(set_down(o),2)",
    "CHAT": '[{"role": "user", "content": "Pile e on o."}]',
    "GRAPH": "(unpile o a)-[:NEXT]->(set-down o)",
    "TRAJECTORY": "((:init (idle))\n(operator: (unpile o a))\n(:state (idle)))",
    "RENAMED": "SOLUTION SEQUENCE\n0: unpile(o, a)",
    "BRANCHES": "branching...\n(set-down o)",
    "SAS": "begin_operator\nunpile o a\nend_operator",
    "JULIA": 'var"unpile"(o, a)',
    "XML": "<step><action>unpile</action><arg>o</arg></step>",
    "CONTINGENT_FF": "0||0 --- UNPILE O A --- SON: 1||0",
    "POLICY": "If holds: idle\nExecute: (unpile o a)",
    "DIFF": "@@ -1,2 +1,2 @@\n-(unpile o a)\n+(grab-up e)",
    "ELEMENT": "<unpile>o a</unpile>",
    "STRUCK_OUT": "- ~~(unpile o a)~~",
    "PROGRAM": "for x in ['o']:\n    set_down(x)\n",
    "COMPUTED": "steps = []\nsteps += ['(unpile o a)']",
}
"""terminal -> a text in the notation that it is a sign of"""


@pytest.mark.parametrize("plan", ["", lines(PLAN, "{c}"), lines(PLAN[:2], "{c}")], ids=["alone", "right", "short"])
@pytest.mark.parametrize("name", SIGNS)
def test_a_notation_that_is_not_read_is_a_piece_that_was_not_understood(name: str, plan: str) -> None:
    missed = read(f"{plan}\n\n{SIGNS[name]}", KNOWN).missed
    assert any("not understood: " in each.reason for each in missed)


def test_each_sign_has_a_text() -> None:
    assert SIGNS.keys() == terminals("plan_unread.lark").keys()


@pytest.mark.parametrize("place", [-1, 0])
def test_calls_with_a_time_as_one_argument_more_are_an_answer_set(place: int) -> None:
    timed = [call([s[0], *s[1:], str(n)]) if place else call([s[0], str(n), *s[1:]]) for n, s in enumerate(PLAN)]
    assert checked(" ".join(timed)).determination is None


@pytest.mark.parametrize("language", ["mermaid", "dot", "sql", "toml", "yaml", "csv", "http", "diff"])
def test_a_fenced_block_is_known_by_its_language(language: str) -> None:
    plan = lines(PLAN, "{g}")
    assert checked(plan).determination is True
    assert checked(f"{plan}\n\n```{language}\nunpile o a\n```").determination is None


@pytest.mark.parametrize("size", [10_000, deep(40_000)])
@pytest.mark.parametrize(
    "part",
    [
        "|a",
        "then ",
        "[a]\nx = [\n",
        "INSERT INTO p (a) VALUES (",
        "a {\n x: 1\n",
        "POST /x {",
        "x,y\n",
        ":a :b :c .\n",
        "```sql\n",
        *(" ", " \t\n", "\r\n", "*", "_", ", ", "(:action", "Plan:\n"),
    ],
)
def test_long_texts_take_linear_time(part: str, size: int) -> None:
    assert checked(part * (size // len(part))).determination is not True
