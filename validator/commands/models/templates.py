"""``plan-validator templates``: write a first file of how a domain is said in words."""

from __future__ import annotations

import argparse
import sys

from validator.commands.options import HAS, add_example, model_files

__all__ = ["add_arguments"]

_EXAMPLE = """\
plan-validator templates domains/blocks/domain.pddl domains/blocks/problem.pddl
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("domain", metavar="DOMAIN", help="PDDL domain file, '-' for standard input")
    parser.add_argument("problem", metavar="PROBLEM", nargs="?", help="PDDL problem file, for the names of its objects")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.model.pddl import read_domain, read_model
    from validator.reading.lexicon.say import domain_alone, draft_templates

    if options.problem is None:
        model = domain_alone(read_domain(*model_files(options.domain)))
    else:
        model = read_model(*model_files(options.domain, options.problem))
    sys.stdout.write(draft_templates(model))
    return HAS
