"""``plan-validator calls``: say whether a list of tool calls would run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from validator.commands.options import HAS, HAS_NOT, NO_ANSWER, add_example, add_time_limit, has_color
from validator.errors import ModelError

__all__ = ["add_arguments"]

_EXAMPLE = """\
echo '[{name: find, input_parameters: [{name: city}], output_parameters: [{name: hotel}]}]' > tools.yaml
echo '[{"name": "find", "arguments": {"city": "Rome"}, "label": "var1"}]' > calls.json
plan-validator calls tools.yaml calls.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tools", type=Path, metavar="TOOLS", help="JSON or YAML list of tool specifications")
    parser.add_argument("calls", type=Path, metavar="CALLS", help="JSON or YAML list of calls")
    parser.add_argument("--goal", action="append", default=[], metavar="NAME", help="a tool to call, or TOOL.OUTPUT")
    parser.add_argument("--no-repair", action="store_true", help="decide only; start no planner")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_time_limit(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.flow.tools.check import check_tool_calls

    report = check_tool_calls(
        _list(options.tools),
        _list(options.calls),
        goals=options.goal,
        repair=not options.no_repair,
        time_limit=options.time_limit,
    )
    if options.format == "json":
        from validator.render.json import report_json

        sys.stdout.write(report_json(report) + "\n")
    else:
        from validator.render.text import report_text

        sys.stdout.write(report_text(report, color=has_color()))
    return {True: HAS, False: HAS_NOT, None: NO_ANSWER}[report.determination]


def _list(path: Path) -> list[Any]:
    """Return the list in a file. Raises ModelError for anything else."""
    from validator.flow.definition.reader import load_document

    found = load_document(path)
    if not isinstance(found, list):
        kind = "nothing" if found is None else "an object" if isinstance(found, dict) else "a single value"
        raise ModelError(f"a JSON or YAML list was expected, not {kind}", source=str(path))
    return found
