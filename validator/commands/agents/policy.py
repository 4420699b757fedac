"""``plan-validator policy check``: which rules of a policy tools can break, and which rules each tool has."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from validator.commands.options import HAS, HAS_NOT, add_example

__all__ = ["add_arguments"]

_EXAMPLE = """\
printf 'verify before pay\\nnever reciept\\n' > shop.policy
echo '{"tools": [{"name": "verify"}, {"name": "pay"}, {"name": "receipt"}]}' > tools.json
plan-validator policy check shop.policy --tools tools.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("check",), metavar="check", help="the only one there is")
    parser.add_argument("policy", type=Path, metavar="FILE", help="rules as text")
    parser.add_argument("--tools", type=Path, required=True, metavar="FILE", help="the declared tools, JSON or YAML")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.flow.definition.reader import load_document
    from validator.flow.tools.specifications import read_tools
    from validator.policies import read_policy
    from validator.policies.coverage import coverage

    found = coverage(read_policy(options.policy), dict(read_tools(load_document(options.tools))))
    sys.stdout.write(str(found))
    return HAS if found.is_whole else HAS_NOT
