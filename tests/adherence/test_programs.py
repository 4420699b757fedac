"""Agents that act in code: the calls that their programs make are the steps, as far as these are sure to be made."""

from __future__ import annotations

from typing import Any

import pytest

from validator import conform
from validator.adherence import adhere
from validator.adherence.values import Outcome

PLAN = 'find_room(city="Oslo")\nbook_room(room="R7", nights=2)'
NAMES = ["find_room", "book_room"]


def _runs(*codes: str, failed: bool = False, tool: str = "python_interpreter") -> list[dict[str, Any]]:
    error = {"error": "NameError"} if failed else {}
    return [{"name": tool, "arguments": {"code": code}, "result": "ok", **error} for code in codes]


@pytest.mark.parametrize(
    "codes",
    [
        ['find_room(city="Oslo")', 'book_room(room="R7", nights=2)'],
        ['import time\nprint(find_room(city="Oslo"))\nbook_room(room="R7", nights=2)\nfinal_answer("done")'],
        ['city = "Oslo"\nroom = find_room(city=city)\nawait book_room(room=room, nights=2)'],
        ['find_room("Oslo")', "n = 2", 'apis.hotel.book_room(room="R7", nights=2)'],
    ],
)
def test_what_a_program_is_sure_to_call_is_executed(codes: list[str]) -> None:
    result = adhere(PLAN, _runs(*codes))
    assert result.outcome is Outcome.FOLLOWED, result.reason
    assert [str(call.kind) for call in result.passed_over] == ["program"] * len(codes)


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ('find_room(city="Rome")\nbook_room(room="R7", nights=2)', Outcome.DEVIATED),
        ('with session:\n    find_room(city="Oslo")', Outcome.UNCLEAR_TRACE),
        ('find_room(city="Oslo")', Outcome.DEVIATED),
        ('for city in cities:\n    find_room(city="Oslo")', Outcome.UNCLEAR_TRACE),
        ('find_room(city="Oslo")\nif rooms:\n    book_room(room="R7", nights=2)', Outcome.UNCLEAR_TRACE),
        ('find_room(city="Oslo")\n[book_room(room=each, nights=2) for each in rooms]', Outcome.UNCLEAR_TRACE),
        ('def go():\n    find_room(city="Oslo")\ngo()', Outcome.UNCLEAR_TRACE),
        ('find_room(city="Oslo") and book_room(room="R7", nights=2)', Outcome.UNCLEAR_TRACE),
        ('find_room(city="Oslo"', Outcome.UNCLEAR_TRACE),
        ("print(1 + 1)", Outcome.DEVIATED),  # no program with tools: an interpreter that was called
    ],
)
def test_what_a_program_may_call_or_not_is_not_known(code: str, outcome: Outcome) -> None:
    assert adhere(PLAN, _runs(code)).outcome is outcome


def test_a_program_that_failed_may_have_called_anything_in_it() -> None:
    assert adhere(NAMES, _runs("find_room()", "book_room()", failed=True)).outcome is Outcome.UNCLEAR_TRACE


def test_an_interpreter_that_is_planned_is_a_tool_as_any_other() -> None:
    assert adhere(["python_interpreter"], _runs("find_room()")).outcome is Outcome.FOLLOWED


def test_policies_look_into_programs() -> None:
    assert conform("find_room before book_room", _runs("find_room()\nbook_room()")).kept is True
    assert conform("find_room before book_room", _runs("book_room()\nfind_room()")).kept is False
    assert conform("never book_room", _runs("find_room()\nif rooms: book_room()")).kept is None
