"""The command ``plan-validator``: read, call one function, print.

Exit codes: 0 the plan has the quality; 1 it has not; 2 unreadable input or usage; 3 no answer (a limit, a planner
failure, a feature that is not executed).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validator import __version__
from validator.errors import PlanError, PlannerError, ValidatorError

if TYPE_CHECKING:
    from validator.plan import Plan
    from validator.report import Report

__all__ = ["main"]

HAS, HAS_NOT, UNREADABLE, NO_ANSWER = 0, 1, 2, 3

_WHOLE_PLAN = 40  # plans up to this many lines are shown whole, longer ones as hunks
_CONTEXT = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    options = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        return run(options)
    except PlannerError as error:
        return _fail(error, NO_ANSWER)
    except (ValidatorError, ValueError) as error:
        return _fail(error, UNREADABLE)
    except BrokenPipeError:
        # The reader has seen enough, as `| head` does; nothing more can be said to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREADABLE
    except OSError as error:
        return _fail(f"{error.filename or ''}: {error.strerror}".lstrip(": "), UNREADABLE)
    except KeyboardInterrupt:
        return _fail("interrupted", NO_ANSWER)


def _fail(error: object, code: int) -> int:
    print(f"plan-validator: {error}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="plan-validator",
        description="Say what is wrong with a plan, and the smallest change that makes it right.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    check = commands.add_parser("check", help="check a plan, and repair it")
    check.add_argument("domain", metavar="DOMAIN", help="PDDL domain file")
    check.add_argument("problem", metavar="PROBLEM", help="PDDL problem file")
    check.add_argument("plan", metavar="PLAN", help="plan file, '-' for standard input")
    check.add_argument("--quality", choices=("sound", "valid", "optimal"), default="valid", help="default: valid")
    check.add_argument("--policy", choices=("edits", "keep"), help="what 'nearest' means; default: edits")
    check.add_argument("--no-repair", action="store_true", help="decide only; start no planner unless it is needed")
    check.add_argument("--time-limit", type=_positive, default=30.0, metavar="S", help="seconds; default: 30")
    check.add_argument(
        "--memory-limit", type=_size, default=4 * 2**30, metavar="SIZE", help="for each planner, as in 4G; default: 4G"
    )
    check.add_argument("--dialect", choices=_DIALECTS, help="how the plan is written; default: recognised")
    check.add_argument("--cache", type=Path, metavar="DIR", help="keep proven cheapest costs in this directory")
    check.add_argument("--planner", metavar="ENGINE", help="let this unified-planning engine look for the repair")
    check.add_argument("--dump-problem", type=Path, metavar="DIR", help="write the modified problem there, as PDDL")
    check.add_argument("--explain", action="store_true", help="say what each changed step is for")
    check.add_argument("--unified", type=int, metavar="N", help="unchanged lines around a change of the diff")
    check.add_argument("--format", choices=("text", "json", "markdown"), default="text", help="default: text")
    check.set_defaults(run=_check)

    redundant = commands.add_parser("redundant", help="tell which steps of a valid plan can be left out")
    redundant.add_argument("domain", metavar="DOMAIN", help="PDDL domain file")
    redundant.add_argument("problem", metavar="PROBLEM", help="PDDL problem file")
    redundant.add_argument("plan", metavar="PLAN", help="plan file, '-' for standard input")
    redundant.add_argument("--time-limit", type=_positive, default=30.0, metavar="S", help="seconds; default: 30")
    redundant.set_defaults(run=_redundant)

    apply = commands.add_parser("apply", help="turn a plan into the repaired plan by a diff")
    apply.add_argument("diff", metavar="DIFF", help="diff file, '-' for standard input")
    apply.add_argument("plan", metavar="PLAN", help="the plan file that was checked")
    apply.set_defaults(run=_apply)

    domains = commands.add_parser("domains", help="list the bundled models")
    domains.add_argument("name", nargs="?", metavar="NAME", help="list the files of one model")
    domains.set_defaults(run=_domains)
    return parser


_DIALECTS = ("pddl", "functional", "code", "words", "virtualhome", "eai-object", "eai-list", "sets")


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"a positive number was expected, not {text!r}")
    return value


def _size(text: str) -> int:
    units = {"k": 2**10, "m": 2**20, "g": 2**30}
    number, unit = (text[:-1], units[text[-1].lower()]) if text[-1:].lower() in units else (text, 1)
    return int(_positive(number) * unit)


def _check(options: argparse.Namespace) -> int:
    from validator.prepared import prepare, read_plan_text
    from validator.tokens import tokenize
    from validator.up import read_up
    from validator.validate import check

    context = options.unified
    if context is not None and context < 0:
        raise ValueError("--unified takes a number from 0")
    prepared = prepare(Path(options.domain), Path(options.problem))
    model = read_up(options.domain, options.problem) if options.planner or options.dump_problem else None
    text = _standard_input() if options.plan == "-" else read_plan_text(Path(options.plan))
    if options.dump_problem:
        _dump(options, model, tokenize(text, prepared.vocabulary, options.dialect))
    report = check(
        model if options.planner else prepared,
        None,
        text,
        quality=options.quality,
        policy=options.policy,
        repair=not options.no_repair,
        time_limit=options.time_limit,
        memory_limit=options.memory_limit,
        dialect=options.dialect,
        context=context if context is not None else _CONTEXT,
        cache=options.cache,
        planner=options.planner,
        progress=_progress if sys.stderr.isatty() else None,
    )
    if context is None and len(report.plan_diff_obj) <= _WHOLE_PLAN:
        from validator.diff import unified

        report = replace(report, plan_diff_str=unified(report.plan_diff_obj))
    if sys.stderr.isatty():
        sys.stderr.write("\033[K")
    if options.explain:
        from validator.explain import explain

        report = replace(report, explanations=explain(prepared, report))
    sys.stdout.write(_rendered(report, options.format))
    return {True: HAS, False: HAS_NOT, None: NO_ANSWER}[report.determination]


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte {error.start} is {error.object[error.start]:#04x}"
        raise PlanError(f"not UTF-8 text: {found}", source="<stdin>") from None


def _dump(options: argparse.Namespace, model: Any, plan: Plan) -> None:
    from validator.edit_problem import dump, edit_problem

    options.dump_problem.mkdir(parents=True, exist_ok=True)
    with_goal = options.quality != "sound"
    dump(edit_problem(model, plan, with_goal=with_goal, policy=options.policy or "edits"), options.dump_problem)


def _progress(lower: int, best: int | None) -> None:
    """Show on one line of a terminal how far the repair is; the line is overwritten by what comes next."""
    known = "none yet" if best is None else str(best)
    sys.stderr.write(f"\rrepairing: at least {lower}, best plan {known} (Ctrl-C takes it)\033[K\r")
    sys.stderr.flush()


def _rendered(report: Report, form: str) -> str:
    if form == "json":
        from validator.render.json import report_json

        return report_json(report) + "\n"
    if form == "markdown":
        from validator.render.markdown import report_markdown

        return report_markdown(report)
    from validator.render.text import report_text

    return report_text(report, color=_has_color())


def _has_color() -> bool:
    """Return whether to colour: on a terminal only, and never against NO_COLOR (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _redundant(options: argparse.Namespace) -> int:
    from validator.prepared import prepare, read_plan_text
    from validator.redundant import redundant_steps
    from validator.tokens import tokenize

    prepared = prepare(Path(options.domain), Path(options.problem))
    text = _standard_input() if options.plan == "-" else read_plan_text(Path(options.plan))
    plan = tokenize(text, prepared.vocabulary)
    found = redundant_steps(prepared, plan, time_limit=options.time_limit)
    for index in found.steps:
        print(f"{index + 1}: {plan.steps[index]}")
    proof = "proven" if found.proven else f"not proven to be the most: {found.reason}"
    print(f"{len(found.steps)} of {len(plan.steps)} steps can be left out ({proof})")
    return HAS_NOT if found.steps else HAS


def _apply(options: argparse.Namespace) -> int:
    from validator.diff import apply_diff
    from validator.prepared import read_plan_text

    diff, plan = (
        _standard_input() if name == "-" else read_plan_text(Path(name)) for name in (options.diff, options.plan)
    )
    sys.stdout.write("".join(f"{line}\n" for line in apply_diff(diff, plan)))
    return HAS


def _domains(options: argparse.Namespace) -> int:
    from validator.bundled import bundle, bundles, first_comment

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
