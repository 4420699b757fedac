"""``plan-validator apply``: turn a plan into the repaired plan by a diff, or a domain into the repaired domain."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from validator.commands.command import files_by_field, naming, ordered
from validator.commands.options import HAS, add_example, model_file, one_input, read
from validator.errors import PlanError

if TYPE_CHECKING:
    from validator.reading.plan import Token

_EXAMPLE = """\
plan-validator check domains/blocks/domain.pddl domains/blocks/problem.pddl domains/blocks/broken-order.plan > plan.diff
plan-validator apply plan.diff domains/blocks/broken-order.plan
"""
_FORMS = ("DIFF PLAN", "DIFF DOMAIN PROBLEM PLAN")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "\n       ".join(f"%(prog)s [options] {form}" for form in _FORMS)
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="diff; then the plan or the domain that it was made for, a plan in words after its PDDL domain and "
        "problem; '-' for one of them is standard input",
    )
    parser.add_argument("--templates", metavar="FILE", help="the templates that a plan in words was checked with")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.model_repair.patch import is_text_diff, patched_text

    names = files_by_field(options, _FORMS)
    one_input(*options.files)
    diff, plan = read(names["diff"]), read(names["plan"])
    steps = _steps(options, names, plan) if "domain" in names else None
    with naming({"plan": names["diff"]}):
        if is_text_diff(diff, plan):
            sys.stdout.write(patched_text(diff, plan))
            return HAS
        lines = _applied(diff, plan, steps)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return HAS


def _steps(options: argparse.Namespace, names: Mapping[str, str], plan: str) -> Sequence[Token]:
    """Return the steps that a check reads in a plan."""
    from validator import check, prepare

    with naming(names), ordered(options, names):
        templates = None if options.templates is None else Path(options.templates)
        model = prepare(model_file(names["domain"]), model_file(names["problem"]), templates=templates)
        return check(model, plan=plan, repair=False).reference


def _applied(diff: str, plan: str, steps: Sequence[Token] | None) -> tuple[str, ...]:
    from validator.repair.diff import apply_diff

    try:
        return apply_diff(diff, plan)
    except PlanError:
        if steps is None:
            raise
        return apply_diff(diff, steps)
