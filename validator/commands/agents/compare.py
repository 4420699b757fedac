"""``plan-validator compare``: how alike two or more plans are."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from validator.commands.options import HAS, add_example, model_files, one_input, read

if TYPE_CHECKING:
    from validator.checking.prepared import Prepared

__all__ = ["add_arguments"]

_EXAMPLE = """\
plan-validator compare domains/puzzle/good.plan domains/puzzle/detour.plan
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "plans",
        metavar="PLAN",
        nargs="+",
        help="plan files, '-' for standard input; each is compared with each later one",
    )
    parser.add_argument("--metrics", metavar="NAME,...", help="default: all that can be computed")
    parser.add_argument("--domain", metavar="DOMAIN", help="PDDL domain file: compares what the plans do as well")
    parser.add_argument("--problem", metavar="PROBLEM", help="PDDL problem file")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.metrics.compare import compare, metrics_named

    one_input(*options.plans, *(name for name in (options.domain, options.problem) if name is not None))
    model = _model(options)
    names = None if options.metrics is None else [name.strip() for name in options.metrics.split(",") if name.strip()]
    if names == []:
        raise ValueError("--metrics names no metric")
    metrics_named(names, with_model=model is not None)
    texts = [read(name) for name in options.plans]
    found = compare(texts, model, metrics=names, names=options.plans)
    if options.format == "json":
        from validator.render.json import json_text

        sys.stdout.write(json_text(found.to_json()))
    else:
        sys.stdout.write(found.text)
    return HAS


def _model(options: argparse.Namespace) -> Prepared | None:
    if options.domain is None and options.problem is None:
        return None
    if options.domain is None or options.problem is None:
        raise ValueError("--domain and --problem go together")
    from validator.checking.prepared import prepare

    return prepare(*model_files(options.domain, options.problem))
