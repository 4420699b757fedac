"""``plan-validator why-not``: answer a user's "why not this plan?", "why this step?" and "what if?"."""

from __future__ import annotations

from typing import Any

from validator.commands.command import CODES, Command, as_json
from validator.commands.options import has_color, read
from validator.questions.why_not import WhyNot, answer_of

_EXAMPLE = """\
plan-validator why-not domains/blocks/domain.pddl domains/blocks/problem.pddl --plan domains/blocks/good.plan --ask "must not (lower b)"
"""  # noqa: E501


def _text(found: Any) -> str:
    from validator.foils.answers import answer_text

    return answer_text(found, color=has_color())


def _json(found: Any) -> str:
    from validator.foils.answers import answer_value

    return as_json(answer_value(found))


add_arguments = Command(
    kind=WhyNot,
    forms=("DOMAIN PROBLEM", "DOMAIN PROBLEM FOIL"),
    files="PDDL domain and problem; then the user's own plan, if any; '-': standard input",
    example=_EXAMPLE,
    answer=answer_of,
    formats={"text": _text, "json": _json},
    code=lambda found: CODES[found.possible],
    readers={"plan": read, "foil": read},
).add_arguments
