"""``plan-validator conform``: whether the calls of a trace keep a policy, and which to add, drop or move."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from validator.commands.command import CODES, files_by_field
from validator.commands.options import add_example, add_time_limit, left, within_limit
from validator.questions.arguments import add_former

_EXAMPLE = """\
printf 'verify before pay\\nat most 1 pay\\n' > shop.policy
echo '[{"name": "pay", "arguments": {}}, {"name": "verify", "arguments": {}}]' > run.json
plan-validator conform shop.policy run.json
"""


_FORMS = ("POLICY TRACE", "DOMAIN PROBLEM POLICY TRACE")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] [DOMAIN PROBLEM] POLICY TRACE"
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="PDDL domain and problem, to execute the calls as well; then the rules as text, and a trace of tool calls "
        "in any format that is known",
    )
    add_former(parser, "--model", "model", nargs=2)
    parser.add_argument("--no-repair", action="store_true", help="do not look for the nearest run that keeps it")
    add_time_limit(parser)
    parser.add_argument("--format", choices=("text", "json", "html"), default="text", help="default: text")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


@within_limit
def run(options: argparse.Namespace) -> int:
    from validator.policies import conform

    *model, policy, trace = map(Path, files_by_field(options, _FORMS).values())
    model = model or list(map(Path, getattr(options, "model", ())))
    found = conform(
        policy,
        trace,
        model=(model[0], model[1]) if model else None,
        repair=not options.no_repair,
        time_limit=left(options),
    )
    if options.format == "json":
        from validator.render.json import json_text

        sys.stdout.write(json_text(found.to_json()))
    elif options.format == "html":
        from validator.render.html.elements import element, page, text_and_diff

        sys.stdout.write(page(found.summary, element("h1", "Conformance"), text_and_diff(found.text)))
    else:
        sys.stdout.write(found.text)
    return CODES[found.kept]
