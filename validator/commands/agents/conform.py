"""``plan-validator conform``: whether the calls of a trace keep a policy, and which to add, drop or move."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from validator.commands.options import (
    HAS,
    HAS_NOT,
    NO_ANSWER,
    add_example,
    add_time_limit,
    left,
    within_limit,
)

__all__ = ["add_arguments"]

_EXAMPLE = """\
printf 'verify before pay\\nat most 1 pay\\n' > shop.policy
echo '[{"name": "pay", "arguments": {}}, {"name": "verify", "arguments": {}}]' > run.json
plan-validator conform shop.policy run.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("policy", type=Path, metavar="POLICY", help="rules as text")
    parser.add_argument("trace", type=Path, metavar="TRACE", help="a trace of tool calls, in any format that is known")
    parser.add_argument(
        "--model", nargs=2, type=Path, metavar=("DOMAIN", "PROBLEM"), help="execute the calls on a model as well"
    )
    parser.add_argument("--no-repair", action="store_true", help="do not look for the nearest run that keeps it")
    add_time_limit(parser)
    parser.add_argument("--format", choices=("text", "json", "html"), default="text", help="default: text")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


@within_limit
def run(options: argparse.Namespace) -> int:
    from validator.policies import conform

    found = conform(
        options.policy,
        options.trace,
        model=None if options.model is None else tuple(options.model),
        repair=not options.no_repair,
        time_limit=left(options),
    )
    if options.format == "json":
        from validator.render.json import json_text

        sys.stdout.write(json_text(found.to_json()))
    elif options.format == "html":
        from validator.render.html.page import page
        from validator.render.html.style import REPORT_STYLE

        sys.stdout.write(page("Conformance", REPORT_STYLE, found._repr_html_()))
    else:
        sys.stdout.write(found.text)
    return {True: HAS, False: HAS_NOT, None: NO_ANSWER}[found.kept]
