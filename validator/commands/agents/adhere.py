"""``plan-validator adhere``: say how far the calls of a trace follow a plan."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from validator.commands.options import (
    HAS,
    HAS_NOT,
    NO_ANSWER,
    add_example,
    add_templates,
    add_time_limit,
    has_color,
    in_time,
    left,
    telling,
    waiting,
)
from validator.texts import decode, no_path

if TYPE_CHECKING:
    from validator.adherence import Adherence
    from validator.adherence.model import AnyModel
    from validator.adherence.requirements import Met

__all__ = ["add_arguments"]

_EXAMPLE = """\
echo '{"name": "take", "arguments": {"x": "b", "y": "d"}}' > trace.json
plan-validator adhere domains/blocks/good.plan trace.json --model domains/blocks/domain.pddl domains/blocks/problem.pddl
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] [PLAN] TRACE [--model DOMAIN PROBLEM]"
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="plan file ('-' or none: the plan that the trace states); then the trace: JSON, JSON a line, or what "
        "ReAct prints ('-' is standard input)",
    )
    parser.add_argument(
        "--model",
        nargs=2,
        type=Path,
        metavar=("DOMAIN", "PROBLEM"),
        help="execute the calls on a model, and judge each deviation",
    )
    parser.add_argument(
        "--failed-calls",
        choices=("fold", "count", "drop"),
        default="fold",
        help="fold a failed call into the one that is made again at once (default), count it, or drop all that failed",
    )
    parser.add_argument(
        "--require",
        metavar="LIST",
        help="what exit code 0 needs, of plan, followed, sound, goal and no-harm, with commas between; default: "
        "followed, and with --model sound and goal as well",
    )
    parser.add_argument(
        "--read-only",
        metavar="TOOLS",
        help="the tools that change nothing, with commas between: calling one beside the plan costs nothing; default: "
        "as the trace declares, as the model has it, else by the verbs of their names",
    )
    add_templates(parser)
    parser.add_argument("--format", choices=("text", "json", "html"), default="text", help="default: text")
    add_time_limit(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    with in_time(options):
        from validator.adherence.requirements import met, required

        needed = required(options.require, with_model=options.model is not None)
    came = _on_input(options)
    with in_time(options):
        result = _judged(options, came)
    found = met(result, needed)
    with telling(options, found.said or str(result.outcome)):
        told = _rendered(result, options.format, found)
    sys.stdout.write(told)
    return NO_ANSWER if found.holds is None else HAS if found.holds else HAS_NOT


def _on_input(options: argparse.Namespace) -> str | None:
    """Return the trace, where it comes on standard input: waiting for it is not in the limit."""
    if (options.files or [""])[-1] != "-":
        return None
    with waiting(options, "-"):
        return no_path(decode(sys.stdin.buffer.read(), "<stdin>"))


def _judged(options: argparse.Namespace, came: str | None) -> Adherence:
    """Return how far a trace, which may have come on standard input, follows the plan."""
    from validator.adherence import adhere, read_trace

    if len(options.files) not in (1, 2):
        raise ValueError(f"adhere takes [PLAN] TRACE; {len(options.files)} files are given")
    plan, trace = options.files if len(options.files) == 2 else ("-", *options.files)
    model: AnyModel | None = None if options.model is None else tuple(options.model)
    if options.templates is not None:
        if model is None:
            raise ValueError("--templates goes with --model DOMAIN PROBLEM")
        from validator.checking.prepared import prepare

        model = prepare(*options.model, templates=options.templates)
    return adhere(
        None if plan == "-" else Path(plan),
        read_trace(Path(trace) if came is None else came),
        model=model,
        failed_calls=options.failed_calls,
        read_only=None if options.read_only is None else [name.strip() for name in options.read_only.split(",")],
        time_limit=left(options),
    )


def _rendered(result: Adherence, form: str, found: Met) -> str:
    if form == "json":
        from validator.render.json import json_text

        return json_text({**result.to_json(), "required": found.to_json()})
    if form == "html":
        from validator.adherence.text import adherence_html

        return adherence_html(result)
    from validator.adherence.text import adherence_text

    told = f"{found.said[0].upper()}{found.said[1:]}.\n" if found.said and result.execution is not None else ""
    return adherence_text(result, color=has_color()) + told
