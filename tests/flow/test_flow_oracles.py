"""Recorded flows: the plans that NL2Flow 0.1.3 found for them, and what its validator answered.

The costs are compared as well. NL2Flow pays 100,000 for each group of goals under AND_OR, 200,000 under OR_AND, and 10
for a manifest constraint; here neither is a step, so that they cost nothing.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest

from tests.support.places import FLOWS
from validator.flow.check import check_flow
from validator.flow.definition.nl2flow import flow_from_nl2flow
from validator.flow.planning import plan_flow
from validator.flow.plans.shape import code_like
from validator.flow.plans.tokens import Call
from validator.reading.plan import Constraint, Token, Unparsed

pytestmark = pytest.mark.planner


def _records(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FLOWS / name).read_text(encoding="utf-8").splitlines()]


PLANS = _records("nl2flow_plans.jsonl")
REPORTS = _records("nl2flow_reports.jsonl")
_GROUPS = {"AND_AND": lambda groups: 0, "AND_OR": lambda groups: 100_000 * groups, "OR_AND": lambda groups: 200_000}


@pytest.mark.deep
@pytest.mark.parametrize("record", PLANS[::2], ids=lambda record: str(record["id"]))
def test_the_cheapest_plan_is_among_the_recorded_ones(record: dict[str, Any]) -> None:
    flow = flow_from_nl2flow(record["flow"], record["options"])
    found = plan_flow(flow)
    if record["no_solution"]:
        assert found.status == "unsolvable" and found.proven
        return
    plan, cost = found.plan, found.cost
    assert found.proven and plan is not None and cost is not None
    if record["no_plan_needed"]:
        assert plan == ()
        return
    steps = Counter(code_like(flow, plan))
    recorded = [Counter(other["text"]) for other in record["plans"]]
    if flow.options.group_slots:  # which items are asked for in one line, in whatever order
        steps, *recorded = map(_sorted_questions, (steps, *recorded))
    assert steps in recorded
    groups = _GROUPS[record["options"]["goal_type"]](len(flow.goals))
    manifests = 10 * bool(flow.manifests and record["plans"][0]["cost"] - cost - groups)
    assert cost + groups + manifests == min(other["cost"] for other in record["plans"])


def _sorted_questions(steps: Counter[str]) -> Counter[str]:
    def plain(line: str) -> str:
        match = re.fullmatch(r"ask\((.*)\)", line)
        return f"ask({', '.join(sorted(match[1].split(', ')))})" if match else line

    return Counter({plain(line): number for line, number in steps.items()})


# --- the validator -------------------------------------------------------------------------------

# What the record itself says is another answer than the right one: swapped arguments make a plan unsound.
_RIGHT = {15: False}
# Records whose diff has difflib's hint lines in it: the lines that stay and the repaired plan are compared.
_HINTED = {10, 16}


def _tokenize(line: str) -> Token:
    if match := re.fullmatch(r"check if (.*) is (True|False)", line):
        return Constraint(text=match[1], holds=match[2] == "True")
    if match := re.fullmatch(r"map (.*) -> (.*)", line):
        return Call(name="map", args=match.groups())
    if match := re.fullmatch(r"confirm (.*)", line):
        return Call(name="confirm", args=match.groups())
    if match := re.fullmatch(r"(\w+)\((.*?)\)(?: -> (.*))?", line):
        args, outputs = (tuple(part.split(", ")) if part else () for part in match.group(2, 3))
        return Call(name=match[1], args=args, outputs=outputs)
    return Unparsed(text=line, reason="no step")


def _print(token: Token) -> str:
    if isinstance(token, Constraint):
        return f"check if {token.text} is {token.holds}"
    assert isinstance(token, Call)
    if token.name == "map":
        return f"map {token.args[0]} -> {token.args[1]}"
    if token.name == "confirm":
        return f"confirm {token.args[0]}"
    return f"{token.name}({', '.join(token.args)})" + (f" -> {', '.join(token.outputs)}" if token.outputs else "")


@pytest.mark.parametrize("record", REPORTS, ids=lambda record: str(record["id"]))
def test_the_validator_answers_as_recorded(record: dict[str, Any]) -> None:
    flow = flow_from_nl2flow(record["flow"], record["options"])
    options = dict(record["kwargs"])
    if options.pop("printer", None):
        options |= {"tokenizer": _tokenize, "printer": _print}
    report = check_flow(flow, record["tokens"], quality=record["report_type"].lower(), **options)
    assert report.determination is _RIGHT.get(record["id"], record["determination"])
    assert report.proven
    lines = report.plan_diff_str.splitlines()
    if report.determination:
        assert lines == []
    elif record["id"] in _HINTED:
        assert [line for line in lines if line[0] != "-"] == [line for line in record["diff"] if line[0] not in "-?"]
    elif record["id"] not in _RIGHT:
        assert lines == record["diff"]
