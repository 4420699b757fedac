"""``plan-validator repair-model``: find the fewest edits of a domain that make plans valid, and others not."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validator.commands.options import HAS, HAS_NOT, NO_ANSWER, add_example, add_time_limit, count, left, within_limit
from validator.errors import InputError
from validator.texts import read_json, read_text

if TYPE_CHECKING:
    from validator.model_repair.cases import Given

__all__ = ["add_arguments"]

_EXAMPLE = """\
sed 's/(held ?top) (clear ?below)$/(held ?top)/' domains/blocks/domain.pddl > flawed.pddl
plan-validator repair-model flawed.pddl domains/blocks/problem.pddl domains/blocks/good.plan > domain.diff
plan-validator apply domain.diff flawed.pddl
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] DOMAIN PROBLEM PLAN [PLAN ...] [PROBLEM PLAN ...]"
    parser.add_argument("domain", type=Path, metavar="DOMAIN", help="PDDL domain file, which is to be repaired")
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="a PDDL problem, its plans, another problem, its plans, ..."
    )
    parser.add_argument(
        "--must-fail",
        nargs="+",
        type=Path,
        default=[],
        metavar="PLAN",
        help="plans that must not be valid, of the first problem, or of one that stands before them",
    )
    parser.add_argument(
        "--protect", nargs="+", default=[], metavar="NAME", help="actions and predicates that stay as they are"
    )
    parser.add_argument("--costs", type=Path, metavar="FILE", help='JSON: {"remove precondition": 2, ...}; default: 1')
    parser.add_argument("--facts", action="store_true", help="initial facts of the problems may be edited too")
    parser.add_argument(
        "--all", type=count, default=6, metavar="N", help="how many repairs of the same size are shown; default: 6"
    )
    add_time_limit(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


@within_limit
def run(options: argparse.Namespace) -> int:
    from validator.model_repair.present import repair_text, repair_value
    from validator.model_repair.repair import repair_model
    from validator.model_repair.result import Status
    from validator.render.json import json_text

    found = repair_model(
        options.domain,
        cases=list(_given(options.files, options.must_fail)),
        protect=options.protect,
        costs=None if options.costs is None else _costs(options.costs),
        facts=options.facts,
        alternatives=options.all - 1,
        time_limit=left(options),
    )
    is_json = options.format == "json"
    sys.stdout.write(json_text(repair_value(found)) if is_json else repair_text(found))
    if found.status in (Status.TIME_LIMIT, Status.UNSUPPORTED):
        return NO_ANSWER
    return HAS if found.status is Status.NOTHING_TO_DO else HAS_NOT


def _costs(path: Path) -> dict[str, Any]:
    found = read_json(path)
    if not isinstance(found, dict):
        raise InputError("costs are an object from kinds of edits to numbers", source=str(path))
    return found


def _given(files: Sequence[Path], must_fail: Sequence[Path]) -> Iterator[Given]:
    """Yield the problems among files, each with the plans that follow it. Raises InputError when none is first."""
    from validator.model_repair.cases import Given

    problem = None
    for paths, fails in ((files, False), (must_fail, True)):
        if fails and paths:
            problem = next((path for path in files if _is_problem(path)), None)
        for path in paths:
            if _is_problem(path):
                problem = path
            elif problem is None:
                raise InputError("a PDDL problem was expected before the first plan", source=str(path))
            else:
                yield Given(problem=problem, **{"must_fail" if fails else "plans": (path,)})


_PROBLEM = re.compile(r"(?:\s|;[^\n]*\n)*\(\s*define\s*\(\s*problem\b", re.IGNORECASE)


def _is_problem(path: Path) -> bool:
    return _PROBLEM.match(read_text(path)) is not None
