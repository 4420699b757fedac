"""Reports as text and JSON: the work grows with the number of faults, not with its square."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from validator import Report, check
from validator.reading.plan import Token
from validator.render.json import json_text
from validator.render.text import report_markdown, report_text

DOMAIN = "(define (domain d) (:predicates (p)) (:action a :parameters () :precondition (p)))"
PROBLEM = "(define (problem q) (:domain d) (:init) (:goal (p)))"


class _Counted(tuple[Token, ...]):
    """Steps that count how often they are walked from one end to the other."""

    walks = 0

    def __iter__(self) -> Iterator[Token]:
        type(self).walks += 1
        return super().__iter__()


def as_json(report: Report) -> str:
    return json_text(report.to_json())


@pytest.mark.parametrize("printer", [report_text, as_json, report_markdown, Report.feedback])
def test_printing_does_not_walk_the_plan_for_every_fault(printer: Callable[[Report], str]) -> None:
    report = check(DOMAIN, PROBLEM, "(a)\n" * 100, repair=False)
    _Counted.walks = 0
    assert printer(replace(report, reference=_Counted(report.reference))).count("(p) is false") >= 100
    assert _Counted.walks < 10
