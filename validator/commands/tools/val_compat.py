"""``plan-validator val-compat``: take VAL's arguments, and answer in its words.

Called by the name ``validate`` or ``parser``, in any case, the program is this command: a link is all that a script or
an editor needs that looks for VAL's programs.
"""

from __future__ import annotations

import argparse
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from validator.commands.options import HAS, add_example
from validator.errors import InputError, ModelError
from validator.model.pddl.formulas.conditions import number
from validator.texts import no_path

if TYPE_CHECKING:
    from validator.checking.prepared import Prepared
    from validator.render.tools.val import Checked


NAMES = {
    "validate": ("val-compat",),
    "parser": ("val-compat", "--parser"),
}
"""name under which the program is called, in lower case -> the words that it stands for"""

_EXAMPLE = """\
ln -s "$(command -v plan-validator)" validate   # what calls ./validate calls this
plan-validator val-compat -v domains/blocks/domain.pddl domains/blocks/problem.pddl domains/blocks/good.plan
"""
_BAD_MODEL = 255
"""VAL's exit(-1)"""
_TOLERANCE = Fraction(1, 100)
"""VAL's default"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help="PDDL domain, problem, and plans")
    parser.add_argument(
        "-t", type=_tolerance, default=_TOLERANCE, metavar="N", help="the tolerance of plans over time; default: 0.01"
    )
    parser.add_argument("-v", action="store_true", help="print the execution of each plan, and advice on its repair")
    parser.add_argument("-a", action="store_true", help="with -v, no advice")
    parser.add_argument("-c", "-e", action="store_true", help="report every fault, not only the first")
    parser.add_argument("-s", action="store_true", help="report errors only")
    parser.add_argument("-S", action="store_true", help="print the value of each plan, or 'failed', and nothing else")
    parser.add_argument("-m", action="store_true", help="the value of a plan is its makespan")
    parser.add_argument(
        "-d",
        "-i",
        action="store_true",
        help="accepted without effect: what they ask for is always checked",
    )
    parser.add_argument(
        "--parser",
        dest="parses",
        action="store_true",
        help="read the files as VAL's Parser does: list the warnings, or the first error",
    )
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def _tolerance(text: str) -> Fraction:
    value = number(text)
    if value is None or value < 0:
        raise argparse.ArgumentTypeError(f"a number from 0 such as 0.001 was expected, not {text!r}")
    return value


def run(options: argparse.Namespace) -> int:
    if not options.files:
        raise ValueError("val-compat takes DOMAIN [PROBLEM [PLAN ...]]")
    return _parse(options.files) if options.parses else _validate(options)


def _parse(files: list[str]) -> int:
    """List the warnings about a domain and a problem, or the first error, one per line, as editors find them."""
    from validator.render.tools.findings import Source, model_findings
    from validator.texts import read_text

    domain, *problems = (Source(name=name, text=read_text(Path(name), ModelError)) for name in files)
    found = model_findings(domain, problems)
    errors = sum(finding.level.value == "error" for finding in found)
    lines = [f"File: {name}\n" for name in files]
    lines.append(f"Errors: {errors}, warnings: {len(found) - errors}\n")
    for finding in found:
        message = " ".join(finding.message.split())
        level = "Error" if finding.level.value == "error" else "Warning"
        lines.append(f"{finding.place.source}: line: {finding.place.line or 1}: {level}: {message}\n")
    sys.stdout.write("".join(lines))
    return HAS


def _validate(options: argparse.Namespace) -> int:
    from validator.model.pddl import read_domain, read_problem

    kind = "domain definition"
    try:
        domain = read_domain(Path(options.files[0]))
        kind = "problem specification"
        problem = None if len(options.files) < 2 else read_problem(Path(options.files[1]), domain)
    except (InputError, OSError) as error:
        print(f"Problem in {kind}!\n{error}", file=sys.stderr)
        return _BAD_MODEL
    if problem is None:
        return HAS
    from validator.checking.prepared import prepare

    is_cost = problem.metric is not None and problem.metric.optimization == "minimize"
    return _plans(options, prepare(domain, problem), cheapest_first=is_cost)


def _plans(options: argparse.Namespace, model: Prepared, *, cheapest_first: bool) -> int:
    """Tell each plan, and return how many have not got to be valid."""
    from validator.render.tools.val import outcomes, plan_text

    checked: list[Checked] = []
    unread: list[str] = []
    for name in options.files[2:]:
        if not (options.s or options.S):
            print(f"Checking plan: {name}")
        try:
            plan = _checked(options, model, name)
        except (InputError, OSError) as error:
            unread.append(name)
            print(
                "failed" if options.S else "Bad plan file!" if isinstance(error, OSError) else "Bad plan description!"
            )
            continue
        checked.append(plan)
        is_valid = plan.report.determination is True
        if options.S:
            print(f"{plan.value} " if is_valid else "failed")
        elif not (options.s and is_valid):
            print(plan_text(plan, verbose=options.v, advice=not options.a, goes_on=options.c), end="")
    if not options.S:
        shown = [plan for plan in checked if not (options.s and plan.report.determination)]
        print(outcomes(shown, unread, cheapest_first=cheapest_first), end="")
    return min(_BAD_MODEL - 1, len(unread) + sum(plan.report.determination is not True for plan in checked))


def _checked(options: argparse.Namespace, model: Prepared, name: str) -> Checked:
    from validator.checking.check import check
    from validator.render.tools.val import Checked
    from validator.texts import read_plan_text

    text = no_path(read_plan_text(Path(name)))
    with_course = options.v or options.m
    report = check(model, None, text, repair=False, tolerance=options.t, trace=with_course)
    return Checked(name=name, report=report, by_makespan=options.m)
