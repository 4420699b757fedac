"""``plan-validator compare``: how similar two or more plans are."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from validator.commands.command import as_json, kind_of
from validator.commands.options import HAS, add_example, model_file, one_input, read
from validator.questions.arguments import add_former, add_options, question_of_options
from validator.questions.comparison import Metrics, compared

_EXAMPLE = """\
plan-validator compare domains/puzzle/domain.pddl domains/puzzle/problem.pddl domains/puzzle/good.plan domains/puzzle/detour.plan
"""  # noqa: E501


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] [DOMAIN PROBLEM] PLAN PLAN ..."
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="PDDL domain and problem, to compare what the plans do as well; then the plans, '-' for standard input; "
        "each is compared with each later one",
    )
    add_options(parser, Metrics)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_former(parser, "--domain", "domain")
    add_former(parser, "--problem", "problem")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    model, plans = _model(options)
    one_input(*model, *plans)
    if options.metrics is not None and not any(name.strip(" ,") for name in options.metrics):
        raise ValueError("--metrics names no metric")
    given: dict[str, Any] = dict(zip(("domain", "problem"), map(model_file, model), strict=False))
    texts = tuple(read(name) for name in plans)
    found = compared(question_of_options(options, Metrics, plans=texts, **given), plans)
    sys.stdout.write(as_json(found.to_json()) if options.format == "json" else found.text)
    return HAS


def _model(options: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Return the files of a model, where one is given, and the plans."""
    former = [getattr(options, name) for name in ("domain", "problem") if name in options]
    if len(former) == 1:
        raise ValueError("a model is a domain and a problem; one of them is given")
    if former:
        return former, options.files
    cut = 2 if kind_of(options.files[0]) else 0
    return options.files[:cut], options.files[cut:]
