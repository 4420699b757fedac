"""``plan-validator domains``: list the bundled models."""

from __future__ import annotations

import argparse

from validator.commands.options import HAS, add_example

_EXAMPLE = """\
plan-validator domains blocks
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="list the files of one model")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.model.bundled import bundle, bundles, first_comment

    if options.name is None:
        found = bundles()
        width = max(len(model.name) for model in found)
        for model in found:
            print(f"{model.name:{width}}  {model.about}")
        return HAS
    model = bundle(options.name)
    print(model.domain)
    print(model.problem)
    for plan in model.plans:
        about = first_comment(plan)
        print(f"{plan}  ; {about}" if about else plan)
    return HAS
