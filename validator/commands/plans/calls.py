"""``plan-validator calls``: say whether a list of tool calls would run."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from validator.commands.options import (
    HAS,
    HAS_NOT,
    NO_ANSWER,
    add_example,
    add_time_limit,
    has_color,
    left,
    within_limit,
)
from validator.errors import ModelError
from validator.texts import read_text

__all__ = ["add_arguments"]

_EXAMPLE = """\
echo '[{name: find, input_parameters: [{name: city}], output_parameters: [{name: hotel}]}]' > tools.yaml
echo '[{"name": "find", "arguments": {"city": "Rome"}, "label": "var1"}]' > calls.json
plan-validator calls tools.yaml calls.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tools", type=Path, metavar="TOOLS", help="JSON or YAML file of tool specifications")
    parser.add_argument(
        "calls",
        type=Path,
        metavar="CALLS",
        help="file of calls: JSON, YAML, a text such as [f(x=1), g(y=2)], or what a model wrote: <tool_call>...",
    )
    parser.add_argument("--goal", action="append", default=[], metavar="NAME", help="a tool to call, or TOOL.OUTPUT")
    parser.add_argument("--no-repair", action="store_true", help="decide only; look for no repair")
    parser.add_argument(
        "--format",
        choices=("text", "json", "calls"),
        default="text",
        help="default: text; calls: those that run, repaired if need be, in the form that came in",
    )
    add_time_limit(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


@within_limit
def run(options: argparse.Namespace) -> int:
    from validator.flow.tools.check import check_tool_calls

    tools, calls = _document(options.tools), _calls(options.calls)
    with _naming(options):
        report = check_tool_calls(
            tools,
            calls,
            goals=options.goal,
            repair=not options.no_repair,
            time_limit=left(options),
        )
    if options.format == "calls":
        _write(calls if report.determination else report.repaired_calls)
    elif options.format == "json":
        from validator.render.json import json_text

        sys.stdout.write(json_text(report.to_json()))
    else:
        from validator.render.text import report_text

        sys.stdout.write(report_text(report, color=has_color()))
    return {True: HAS, False: HAS_NOT, None: NO_ANSWER}[report.determination]


@contextmanager
def _naming(options: argparse.Namespace) -> Iterator[None]:
    """Give the name of its file to an error about tools or calls, which were handed on without it."""
    try:
        yield
    except ModelError as error:
        which = next((name for name in ("tools", "calls") if error.message.startswith(name)), None)
        if which is not None:
            error.source = error.source or str(getattr(options, which))
        raise


def _write(calls: Any) -> None:
    """Write calls as they came, a text as it is; nothing where there are none that run."""
    if calls is not None:
        text = calls if isinstance(calls, str) else json.dumps(calls, indent=2, ensure_ascii=False, default=str)
        sys.stdout.write(f"{text.strip()}\n")


def _calls(path: Path) -> Any:
    """Return the calls in a file: the value of a document of JSON or YAML, else the text as it is."""
    from validator.flow.definition.reader import document_of
    from validator.reading.calls.lists import read_list

    text = read_text(path, ModelError)
    try:
        value = document_of(text)
        if isinstance(value, dict | list) and (_JSON.match(text) or read_list(value).calls):
            return value
    except ModelError:
        pass  # which a text may be that holds calls
    return text


_JSON = re.compile(r"\s*(?:\{\s*\"|\[\s*(?:[{\]\"]|\Z))")
"""how a document of JSON begins, the errors of which are told"""


def _document(path: Path) -> Any:
    """Return the list or the object in a file. Raises ModelError for anything else."""
    from validator.flow.definition.reader import load_document

    found = load_document(path)
    if not isinstance(found, list | dict):
        kind = "nothing" if found is None else "a single value"
        raise ModelError(f"a JSON or YAML list was expected, not {kind}", source=str(path))
    return found
