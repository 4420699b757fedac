"""``plan-validator adhere``: say how far the calls of a trace follow a plan."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from validator.commands.command import CODES, Command, as_json
from validator.commands.options import has_color, standard_input
from validator.questions.adherence import Adherence, adhered
from validator.questions.arguments import add_former
from validator.texts import decode, no_path

_EXAMPLE = """\
echo '{"name": "take", "arguments": {"x": "b", "y": "d"}}' > trace.json
plan-validator adhere domains/blocks/domain.pddl domains/blocks/problem.pddl domains/blocks/good.plan trace.json
"""


def _text(answer: Any) -> str:
    from validator.adherence.text import adherence_text

    result, found = answer
    told = f"{found.said[0].upper()}{found.said[1:]}.\n" if found.said and result.execution is not None else ""
    return adherence_text(result, color=has_color()) + told


def _html(answer: Any) -> str:
    from validator.adherence.text import adherence_html

    return adherence_html(answer[0])


def _trace(file: str) -> Any:
    return no_path(decode(standard_input().read(), "<stdin>")) if file == "-" else Path(file)


_COMMAND = Command(
    kind=Adherence,
    forms=("TRACE", "PLAN TRACE", "DOMAIN PROBLEM TRACE", "DOMAIN PROBLEM PLAN TRACE"),
    files="PDDL domain and problem, to execute the calls and judge each deviation; the plan ('-' or none: the one that "
    "the trace states); then the trace: JSON, JSON lines, or what ReAct prints ('-' is standard input)",
    example=_EXAMPLE,
    answer=adhered,
    formats={
        "text": _text,
        "json": lambda answer: as_json({**answer[0].to_json(), "required": answer[1].to_json()}),
        "html": _html,
    },
    code=lambda answer: CODES[answer[1].holds],
    readers={"plan": Path, "trace": _trace},
    said=lambda answer: answer[1].said or str(answer[0].outcome),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    _COMMAND.add_arguments(parser)
    add_former(parser, "--model", "model", nargs=2)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    *before, trace = options.files
    files = [*getattr(options, "model", ()), *before, trace]
    options.files = files[:-2] + files[-1:] if files[-2:-1] == ["-"] else files
    return _COMMAND.run(options)
