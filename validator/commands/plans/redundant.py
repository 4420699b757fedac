"""``plan-validator redundant``: tell which steps of a valid plan can be left out."""

from __future__ import annotations

from typing import Any

from validator.commands.command import Command
from validator.commands.options import HAS, HAS_NOT
from validator.questions.tool_calls import Redundancy, redundancy

_EXAMPLE = """\
(echo '(take b d) (place b d)'; cat domains/blocks/good.plan) > longer.plan
plan-validator redundant domains/blocks/domain.pddl domains/blocks/problem.pddl longer.plan
"""


def _text(answer: Any) -> str:
    plan, found = answer
    lines = [f"{index + 1}: {plan.steps[index]}" for index in found.steps]
    proof = "proven" if found.proven else f"not proven to be the most: {found.reason}"
    return "\n".join([*lines, f"{len(found.steps)} of {len(plan.steps)} steps can be left out ({proof})"]) + "\n"


add_arguments = Command(
    kind=Redundancy,
    forms=("DOMAIN PROBLEM PLAN",),
    files="PDDL domain and problem, and a valid plan; '-' for one of them is standard input",
    example=_EXAMPLE,
    answer=redundancy,
    formats={"text": _text},
    code=lambda answer: HAS_NOT if answer[1].steps else HAS,
).add_arguments
