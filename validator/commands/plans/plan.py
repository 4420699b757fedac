"""``plan-validator plan``: find a cheapest plan of a PDDL model or a flow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.commands.command import Command, as_json
from validator.commands.options import HAS, HAS_NOT, NO_ANSWER, read
from validator.questions.planning import LocalPlans, solved

if TYPE_CHECKING:
    from validator.questions.planning import CheapestPlan


_EXAMPLE = """\
plan-validator plan domains/blocks/domain.pddl domains/blocks/problem.pddl
echo '{flow: stay, operators: [{name: find, inputs: [city], outputs: [hotel]}], goals: [{known: hotel}]}' > stay.yaml
plan-validator plan stay.yaml
"""


def _text(found: CheapestPlan) -> str:
    if found.steps is None:
        return "".join((found.solution.text, *(f"warning: {warning}\n" for warning in found.solution.warnings)))
    comment = "#" if found.is_flow else ";"  # a plan of a flow is like code
    said = (found.solution.price, *(f"warning: {warning}" for warning in found.solution.warnings))
    return "".join(f"{line}\n" for line in (*found.steps, *(f"{comment} {each}" for each in said)))


def _json(found: CheapestPlan) -> str:
    from validator.render.json import plain

    value = plain(found.solution)
    assert isinstance(value, dict)
    return as_json({**value, "plan": found.steps})


def _code(found: CheapestPlan) -> int:
    return HAS if found.steps is not None else HAS_NOT if found.solution.proven else NO_ANSWER


add_arguments = Command(
    kind=LocalPlans,
    forms=("DOMAIN PROBLEM", "FLOW"),
    files="PDDL domain and problem, or a flow: JSON, YAML; '-' for one of them is standard input",
    example=_EXAMPLE,
    answer=solved,
    formats={"text": _text, "json": _json},
    code=_code,
    readers={"prefix": read},
).add_arguments
