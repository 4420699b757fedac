"""``plan-validator adhere``: say how far the calls of a trace follow a plan."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from validator.commands.options import HAS, HAS_NOT, NO_ANSWER, add_example, add_time_limit, has_color

if TYPE_CHECKING:
    from validator.adherence import Adherence

__all__ = ["add_arguments"]

_EXAMPLE = """\
echo '{"name": "take", "arguments": {"x": "b", "y": "d"}}' > trace.json
plan-validator adhere domains/blocks/good.plan trace.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "plan", nargs="?", metavar="PLAN", help="plan file; '-' or none: the plan that the trace states"
    )
    parser.add_argument("trace", metavar="TRACE", help="trace file (JSON, or JSON a line), '-' for standard input")
    parser.add_argument(
        "--model", nargs=2, type=Path, metavar=("DOMAIN", "PROBLEM"), help="execute the calls, and judge each deviation"
    )
    parser.add_argument(
        "--failed-calls",
        choices=("fold", "count", "drop"),
        default="fold",
        help="fold a failed call into the one that is made again at once (default), count it, or drop all that failed",
    )
    parser.add_argument(
        "--judge", metavar="URL", help="ask the language model of an OpenAI-compatible endpoint as well"
    )
    parser.add_argument("--judge-model", metavar="NAME", help="the model that the endpoint shall use")
    parser.add_argument("--format", choices=("text", "json", "html"), default="text", help="default: text")
    add_time_limit(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.adherence import adhere, read_trace
    from validator.texts import decode

    if (options.judge is None) != (options.judge_model is None):
        raise ValueError("--judge and --judge-model go together")
    recording = read_trace(decode(sys.stdin.buffer.read(), "<stdin>") if options.trace == "-" else Path(options.trace))
    result = adhere(
        None if options.plan in (None, "-") else Path(options.plan),
        recording,
        model=tuple(options.model) if options.model else None,
        failed_calls=options.failed_calls,
        time_limit=options.time_limit,
    )
    if options.judge is not None:
        from validator.judge import Judge, ask

        judge = Judge.from_environment(options.judge, options.judge_model, time_limit=options.time_limit)
        result = replace(result, opinion=ask(judge, result, recording))
    sys.stdout.write(_rendered(result, options.format))
    return NO_ANSWER if result.score is None else HAS if result.exact == 1 else HAS_NOT


def _rendered(result: Adherence, form: str) -> str:
    if form == "json":
        import json

        return json.dumps(result.to_json(), indent=2, ensure_ascii=False) + "\n"
    if form == "html":
        from validator.render.html import adherence_html

        return adherence_html(result)
    from validator.adherence.text import adherence_text

    return adherence_text(result, color=has_color())
