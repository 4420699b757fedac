"""``plan-validator apply``: turn a plan into the repaired plan by a diff, or a domain into the repaired domain."""

from __future__ import annotations

import argparse
import sys

from validator.commands.command import naming
from validator.commands.options import HAS, add_example, read

_EXAMPLE = """\
plan-validator check domains/blocks/domain.pddl domains/blocks/problem.pddl domains/blocks/broken-order.plan > plan.diff
plan-validator apply plan.diff domains/blocks/broken-order.plan
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("diff", metavar="DIFF", help="diff file, '-' for standard input")
    parser.add_argument("plan", metavar="PLAN", help="the plan file that was checked, or the domain")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.model_repair.patch import is_text_diff, patched_text
    from validator.repair.diff import apply_diff

    diff, plan = read(options.diff), read(options.plan)
    with naming({"plan": options.diff}):
        if is_text_diff(diff, plan):
            sys.stdout.write(patched_text(diff, plan))
            return HAS
        lines = apply_diff(diff, plan)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return HAS
