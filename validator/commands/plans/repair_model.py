"""``plan-validator repair-model``: find the fewest edits of a domain that make plans valid, and others not."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from validator.commands.command import as_json, job_of, kind_of
from validator.commands.options import (
    HAS,
    HAS_NOT,
    LARGEST,
    NO_ANSWER,
    add_example,
    add_time_limit,
    count,
    within_limit,
)
from validator.errors import InputError
from validator.questions.arguments import add_former, add_options, question_of_options
from validator.questions.model_repair import ModelRepair, PlansOfProblem, repaired
from validator.texts import read_json

_EXAMPLE = """\
sed 's/(held ?top) (clear ?below)$/(held ?top)/' domains/blocks/domain.pddl > flawed.pddl
plan-validator repair-model flawed.pddl domains/blocks/problem.pddl domains/blocks/good.plan > domain.diff
plan-validator apply domain.diff flawed.pddl
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] DOMAIN PROBLEM PLAN [PLAN ...] [PROBLEM PLAN ...]"
    parser.add_argument("domain", metavar="DOMAIN", help="PDDL domain to repair")
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="a PDDL problem, its plans, another problem, its plans, ..."
    )
    parser.add_argument(
        "--must-fail",
        nargs="+",
        type=Path,
        default=[],
        metavar="PLAN",
        help="plans that must not be valid, of the first problem, or of one that is named before them",
    )
    add_options(parser, ModelRepair)
    add_former(parser, "--all", "alternatives", type=lambda text: count(text) - 1)
    add_time_limit(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run, memory_limit=LARGEST)


@within_limit
def run(options: argparse.Namespace) -> int:
    from validator.model_repair.result import Status, repair_value

    cases = list(_cases(options.files, options.must_fail))
    if not cases:
        raise ValueError("repair-model takes DOMAIN PROBLEM PLAN [PLAN ...]; no plan is given")
    first, *others = cases
    given: Any = {"domain": Path(options.domain), "problem": first.problem, "must_fail": first.must_fail}
    costs = None if options.costs is None else _costs(options.costs)
    asked = question_of_options(options, ModelRepair, plans=first.plans, cases=tuple(others), costs=costs, **given)
    found = repaired(asked, job_of(options))
    sys.stdout.write(as_json(repair_value(found)) if options.format == "json" else found.text)
    if found.status in (Status.TIME_LIMIT, Status.UNSUPPORTED):
        return NO_ANSWER
    return HAS if found.status is Status.NOTHING_TO_DO else HAS_NOT


def _costs(path: Path) -> dict[str, Any]:
    found = read_json(path)
    if not isinstance(found, dict):
        raise InputError("costs are an object from kinds of edits to numbers", source=str(path))
    return found


def _cases(files: Sequence[Path], must_fail: Sequence[Path]) -> Iterator[PlansOfProblem]:
    """Yield the problems among files, each with the plans that follow it. Raises InputError when none is first."""
    problem: Any = None
    for paths, fails in ((files, False), (must_fail, True)):
        if fails and paths:
            problem = next((path for path in files if kind_of(str(path)) == "problem"), None)
        for path in paths:
            if kind_of(str(path)) == "problem":
                problem = path
            elif problem is None:
                raise InputError("a PDDL problem was expected before the first plan", source=str(path))
            else:
                plan: Any = (path,)
                yield PlansOfProblem(problem=problem, **{"must_fail" if fails else "plans": plan})
