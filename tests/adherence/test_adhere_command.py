"""``plan-validator adhere``: exit codes, formats, standard input; and the page that it draws."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from validator.cli import main

CALLS = [{"name": "search", "arguments": {"to": "JFK"}}, {"name": "book", "arguments": {"id": 1}}]
CHAT = [
    {"role": "assistant", "content": "1. search\n2. book"},
    *(
        {"role": "assistant", "tool_calls": [{"id": c["name"], "name": c["name"], "args": c["arguments"]}]}
        for c in CALLS
    ),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "calls.jsonl": "\n".join(map(json.dumps, CALLS)),
        "chat.json": json.dumps(CHAT),
        "good.plan": "search(JFK)\nbook(1)\n",
        "bad.plan": "book(1)\nsearch(JFK)\n",
        "prose.plan": "I had better think again.\n",
        "d.pddl": "(define (domain d) (:predicates (f ?x) (b)) (:constants jfk n1)"
        " (:action search :parameters (?to) :effect (f ?to))"
        " (:action book :parameters (?id) :precondition (f jfk) :effect (b)))",
        "p.pddl": "(define (problem p) (:domain d) (:init) (:goal (b)))",
        "wrong.json": '{"a": 1}',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("good.plan", "calls.jsonl"), 0),
        (("bad.plan", "calls.jsonl"), 1),
        (("chat.json",), 0),
        (("-", "chat.json"), 0),
        (("calls.jsonl",), 3),
        (("-", "calls.jsonl"), 3),
        (("good.plan", "wrong.json"), 2),
        (("prose.plan", "calls.jsonl"), 2),
        (("nothing.plan", "calls.jsonl"), 2),
        (("good.plan", "nothing.json"), 2),
    ],
)
def test_the_exit_code_says_whether_the_plan_was_followed(folder: Path, arguments: tuple[str, ...], code: int) -> None:
    assert main(("adhere", *arguments)) == code


def test_the_text_shows_both_sides_and_the_reasons(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(("adhere", "bad.plan", "calls.jsonl"))
    assert (
        capsys.readouterr().out
        == """\
Accomplished 1, adherence 0.5: 1 of 2 planned steps executed as planned, 1 moved.
  accomplished  1.000  of what the plan changes
  adherence     0.500  in the planned order, of the longer side
  coverage      0.500  of the plan
  precision     0.500  of what was executed
  F1            0.500  of both
  order         0.500  of the common steps, in the planned order
  arguments     1.000  of the steps in their place, as planned
  plan: given; trace: records of calls

  plan            execution
^ (step 2)        1 (search to=JFK)
  1 (book 1)      2 (book id=1)
^ 2 (search JFK)  (call 1)

  Step 2 (search JFK) was executed earlier than planned, as call 1.
"""
    )


def test_a_plan_that_is_broken_json_says_where(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "plan.json").write_text('[{"tool": "search", "args": {"to": "JFK"}},\n {"tool": "book" "args": {}}]')
    assert main(("adhere", "plan.json", "calls.jsonl")) == 3
    assert "could not be read, on line 2" in capsys.readouterr().out


# --- the page ------------------------------------------------------------------------------------


def test_the_command_writes_the_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("adhere", "d.pddl", "p.pddl", "bad.plan", "calls.jsonl", "--format", "html")) == 1
    said = capsys.readouterr().out
    assert "sound: " in said and '<pre class="changes"' in said
