"""``plan-validator policy``: what a policy names that the tools lack, and the policy as a text of Cedar."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from validator.commands.options import HAS, HAS_NOT, add_example

_EXAMPLE = """\
printf 'verify before pay\\nnever reciept\\n' > shop.policy
echo '{"tools": [{"name": "verify"}, {"name": "pay"}, {"name": "receipt"}]}' > tools.json
plan-validator policy check shop.policy --tools tools.json
plan-validator policy cedar shop.policy --namespace Shop
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        choices=("check", "cedar"),
        metavar="ACTION",
        help="check: list what the policy names and the tools lack; cedar: print the policy in Cedar",
    )
    parser.add_argument("policy", type=Path, metavar="FILE", help="rules as text")
    parser.add_argument("--tools", type=Path, metavar="FILE", help="the declared tools, JSON or YAML, for check")
    parser.add_argument("--namespace", default="App", metavar="NAME", help="namespace in Cedar; default: App")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run, parser=parser)


def run(options: argparse.Namespace) -> int:
    from validator.policies import read_policy, to_cedar

    if options.action == "cedar":
        sys.stdout.write(to_cedar(read_policy(options.policy), options.namespace))
        return HAS
    if options.tools is None:
        options.parser.error("policy check needs --tools FILE")
    from validator.flow.definition.reader import load_document
    from validator.flow.tools.specifications import read_tools
    from validator.guard.inputs import unknown

    found = unknown(read_policy(options.policy), read_tools(load_document(options.tools)))
    sys.stdout.write("".join(f"{each}\n" for each in found))
    return HAS_NOT if found else HAS
