"""Parts of a page: the causal links, the reason beside a line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.pages import report_body
from tests.support.places import ROOT
from validator import Report, check
from validator.checking.explain import explain
from validator.checking.prepared import prepare
from validator.cli import main
from validator.execution.links import causal_links
from validator.model.bundled import bundles
from validator.model.pddl.write import atom_text
from validator.render.states import MOST_STEPS, execution_value

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
        assert ("The states of a plan of more than 2,000 steps are not shown." in page) != has_states


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
