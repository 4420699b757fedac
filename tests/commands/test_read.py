"""The command ``read``: a text beside its steps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.places import ROOT
from validator.cli import main

BLOCKS = ROOT / "domains" / "blocks"
MODEL = [str(BLOCKS / "domain.pddl"), str(BLOCKS / "problem.pddl")]


WORDS = "1. Take b.\n2. Toss b.\n3. Take c from a and place it on d.\nThen a is clear.\n"


def test_a_plan_in_words_stands_beside_the_patterns_of_its_clauses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "words.txt"
    path.write_text(WORDS, encoding="utf-8")
    assert main(["read", *MODEL, str(path), "--format", "json"]) == 3
    parts = json.loads(capsys.readouterr().out)["parts"]
    assert "".join(part["text"] for part in parts) == WORDS
    told = [part for part in parts if part["taken"] not in ("space", "markup")]
    assert [(part["text"], part["taken"], part["pattern"]) for part in told] == [
        ("Take b", "step", "(take b ?) or (take ? b)"),
        ("Toss b", "not understood", "(lift b) or (lower b) or (take b ?) or others"),
        ("Take c from a", "step", "(take c a)"),
        ("place it on d", "step", "(place c d)"),
        ("Then a is clear", "prose", None),
    ]
    path.write_text(WORDS.replace("Toss", "Lower"), encoding="utf-8")
    assert main(["read", *MODEL, str(path)]) == 0
    shown = capsys.readouterr().out
    assert "1 (take b d) <- (take b ?) or (take ? b): verb of take; objects b; from the state d\n" in shown
    assert "2 (lower b)\n" in shown and "warning" not in shown
    assert main(["read", *MODEL, str(path), "--format", "html"]) == 0
    assert '<code>(take b ?) or (take ? b)</code> <span class="why">verb of take;' in capsys.readouterr().out


# --- traces --------------------------------------------------------------------------------------

_CALL = {"id": "c", "type": "function", "function": {"name": "book", "arguments": '{"room": "R7"}'}}
_CHAT = [
    {"role": "user", "content": "Book a room"},
    {"role": "assistant", "content": "Plan:\n1. book(room=R7)", "tool_calls": [_CALL]},
    {"role": "tool", "tool_call_id": "c", "content": "done"},
]


def test_of_a_trace_the_calls_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(_CHAT), encoding="utf-8")
    assert main(["read", str(path)]) == 0
    assert capsys.readouterr().out == (
        "format: OpenAI chat (certain; it accounts for 100% of the trace)\n"
        "task: Book a room\n"
        "calls: 1\n"
        "  1 (book room=R7)\n"
        "    -> done\n"
        "plan: list in the reasoning\n"
        "  1 (book room=R7)\n"
    )
    assert main(["read", str(path), "--format", "json"]) == 0
    (trace,) = json.loads(capsys.readouterr().out)["traces"]
    assert (trace["format"], trace["calls"][0]["name"], trace["plan"]["steps"]) == (
        "OpenAI chat",
        "book",
        ["(book room=R7)"],
    )
    assert main(["read", str(path), "--format", "html"]) == 0
    assert "(book room=R7)" in capsys.readouterr().out


def test_each_trace_of_a_file_is_shown_and_one_without_calls_is_no_success(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "traces.jsonl"
    runs = [{"traj": _CHAT}, {"traj": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]}]
    path.write_text("\n".join(map(json.dumps, runs)), encoding="utf-8")
    assert main(["read", str(path)]) == 3
    shown = capsys.readouterr().out
    assert "trace 2 of 2\nformat: OpenAI chat" in shown and "calls: none" in shown
