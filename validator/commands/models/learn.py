"""``plan-validator learn``: a first flow from declared tools and recorded runs, to be edited."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from validator.commands.options import HAS, add_example, count

__all__ = ["add_arguments"]

_EXAMPLE = """\
echo '[{"name": "find", "arguments": {"city": "Rome"}, "result": {"hotel": "luna-1"}}, {"name": "book", "arguments": {"hotel": "luna-1"}}]' > run.json
plan-validator learn run.json --support 1
"""  # noqa: E501


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("traces", nargs="*", type=Path, metavar="TRACE", help="runs that went well")
    parser.add_argument(
        "--tools", type=Path, metavar="FILE", help="declared tools: OpenAPI, MCP's tools/list, functions of a provider"
    )
    parser.add_argument(
        "--support", type=count, default=3, metavar="N", help="what fewer runs show is no guess; default: 3"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FLOW", help="write the flow there, and print the report")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.flow.definition.reader import load_document
    from validator.flow.learn import learn_flow

    if not options.traces and options.tools is None:
        raise ValueError("a flow is learned from traces, from --tools, or from both")
    tools = None if options.tools is None else load_document(options.tools)
    name = "learned" if options.output is None else options.output.stem
    found = learn_flow(tools, options.traces, support=options.support, name=name)
    if options.output is None:
        sys.stdout.write(found.document)
    else:
        options.output.write_text(found.document, encoding="utf-8")
        sys.stdout.write(found.report)
    return HAS
