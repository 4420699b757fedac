"""What people read of a report: causal links, reasons, courses over time, readings; printed in little work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.dom import minidom

import pytest

from tests.support.pages import report_body
from tests.support.places import CONFORMANCE, ROOT
from validator import Report, check
from validator.checking.explain import explain
from validator.checking.prepared import prepare
from validator.cli import main
from validator.execution.links import causal_links
from validator.model.bundled import bundles
from validator.model.pddl.write import atom_text
from validator.reading.annotated import annotate
from validator.reading.plan import Token
from validator.reading.tokens import Vocabulary, read
from validator.render.annotated import annotated_text
from validator.render.json import json_text
from validator.render.states import MOST_STEPS, execution_value
from validator.render.text import report_markdown, report_text

BLOCKS = ROOT / "domains" / "blocks"
MODEL = (BLOCKS / "domain.pddl", BLOCKS / "problem.pddl")


def explained(plan: str) -> tuple[Report, dict[str, Any]]:
    """Return the report of a plan, and its execution."""
    prepared = prepare(*MODEL)
    report = check(prepared, None, BLOCKS / plan)
    report = replace(report, explanations=explain(prepared, report))
    return report, execution_value(prepared.simulator, report)


# --- causal links --------------------------------------------------------------------------------


def test_the_links_of_a_plan_are_a_table() -> None:
    assert "<tr><td>1 (take b d)</td><td>(held b)</td><td>2 (lower b)</td></tr>" in report_body(*explained("good.plan"))


PLANS = [(one.domain, one.problem, one.domain.parent / "good.plan") for one in bundles()]


@pytest.mark.parametrize("files", PLANS, ids=lambda files: files[0].parent.name)
def test_a_link_breaks_where_its_producer_is_left_out(files: tuple[Path, Path, Path]) -> None:
    """Without its producer a condition is false before the consumer, if it was not true earlier."""
    prepared = prepare(*files[:2])
    if prepared.model.features:
        pytest.skip("a plan over time or with numbers")
    report = check(prepared, None, files[2], repair=False)
    tokens = [prepared.simulator.resolve(token) for token in report.reference]
    trace = prepared.simulator.run(report.reference)
    found = list(causal_links(prepared.simulator, tokens, trace))
    assert found
    initially = {atom_text(atom) for atom in prepared.model.problem.init}
    for link in found:
        if link.producer is None or link.consumer is None:
            continue
        assert link.producer < link.consumer
        without = [token for index, token in enumerate(tokens[: link.consumer + 1]) if index != link.producer]
        failures = prepared.simulator.run(without).failures
        again = any(
            other.condition == link.condition and other.producer is not None and other.producer < link.producer
            for other in found
        )
        assert again or link.condition in initially or any(one.step == link.consumer - 1 for one in failures)


# --- long plans ----------------------------------------------------------------------------------


def test_a_page_of_a_long_plan_leaves_its_states_out_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, plan = (BLOCKS / "good.plan").read_text(encoding="utf-8"), tmp_path / "long.plan"
    for times, has_states in ((0, True), (MOST_STEPS // 2, False)):
        plan.write_text("(take b d)\n(place b d)\n" * times + good, encoding="utf-8")
        assert main(["check", *map(str, MODEL), str(plan), "--format", "html", "--no-repair"]) == 0
        page = capsys.readouterr().out
        assert ("Initially: " in page) == has_states
        assert ("The states of a plan of more than 500 steps are not shown." in page) != has_states


def test_a_page_has_a_bounded_number_of_elements(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "longest.plan"
    plan.write_text("(take b d)\n(place b d)\n" * 10_000 + "(lift a)\n" * 10_000, encoding="utf-8")
    assert main(["check", *map(str, MODEL), str(plan), "--format", "html", "--no-repair"]) == 1
    page = capsys.readouterr().out
    assert page.count("</") < 30_000
    assert "<p>and 29,000 more steps</p>" in page and "<p>and 9,001 more faults</p>" in page


# --- reasons -------------------------------------------------------------------------------------


def test_the_reason_of_each_changed_line_stands_beside_it() -> None:
    report, shown = explained("broken-order.plan")
    body = report_body(report, shown)
    assert len(report.explanations) == body.count('<span class="why">') == 4
    assert '</ins></code> <span class="why">is needed: without it, ' in body


def test_what_is_said_of_no_single_line_is_told_below_the_diff() -> None:
    report, shown = explained("broken-order.plan")
    body = report_body(replace(report, explanations=("in other words",)), shown)
    assert '<span class="why">' not in body and "<li>in other words</li>" in body


# --- the course of a plan ------------------------------------------------------------------------


def test_a_page_has_the_chart_the_plots_and_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    folder = CONFORMANCE / "pddlplus_process_event"
    files = [str(folder / name) for name in ("domain.pddl", "problem.pddl", "bad_flood.plan")]
    main(["check", *files, "--format", "html"])
    page = capsys.readouterr().out
    svg = page[page.index("<svg") : page.index("</svg>") + 6]
    titles = [title.firstChild.data for title in minidom.parseString(svg).getElementsByTagName("title")]
    assert titles == ["1 (turn-on), 0", "2 (turn-off), 6", "(level): 0 to 12"]
    assert "<td>5</td><td>the event (flood)</td><td>+(flooded)</td>" in page


def test_the_text_shows_the_table_only_when_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    folder = CONFORMANCE / "preferences"
    files = [str(folder / name) for name in ("domain.pddl", "problem.pddl", "good_violating.plan")]
    assert main(["check", *files, "--timeline"]) == 0
    shown = capsys.readouterr().out
    assert "violated preferences: tidy 1" in shown
    assert "+(cooked)" in shown
    assert "+(cooked)" not in report_text(check(*map(Path, files), repair=False))


# --- a reading beside its text -------------------------------------------------------------------


KNOWN = Vocabulary(actions={"pick-up": 1, "stack": 2}, objects=frozenset("abc"))


def text(given_: str, **options: object) -> str:
    return annotated_text(annotate(read(given_, KNOWN), KNOWN), **options)  # type: ignore[arg-type]


def test_long_lines_are_broken_and_nothing_is_cut() -> None:
    line = "(pick-up a) " + "; " + "x" * 300 + " (stack a b"
    shown = text(f"{line}\n", width=60)
    table = shown.split("\n\n")[0].splitlines()
    assert max(map(len, table)) < 120 and sum(row.count("x") for row in table) == 300


def test_nothing_in_a_text_drives_the_terminal() -> None:
    shown = text("\x1b[31m(pick-up \x07a)\t\u202e\n", color=False)
    assert not {"\x1b", "\x07", "\t", "\u202e"} & set(shown)
    assert "\x1b[2m" in text("prose\n(pick-up a)\n", color=True)


# --- the work grows with the number of faults, not with its square -------------------------------


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
