"""``plan-validator schema``: print the JSON schema of the outputs."""

from __future__ import annotations

import argparse
import sys

from validator.commands.options import HAS, add_example

_EXAMPLE = """\
plan-validator schema > report.schema.json
plan-validator check domains/blocks/domain.pddl domains/blocks/problem.pddl domains/blocks/good.plan --format json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.render.json import published

    sys.stdout.write(published())
    return HAS
