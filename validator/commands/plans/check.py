"""``plan-validator check``: decide whether a plan has a quality, and repair it."""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validator.commands.command import CODES, files_by_field, job_of, naming, ordered, read_field
from validator.commands.formats import FOR_TOOLS, FORMATS, Shown, error_text
from validator.commands.options import (
    NO_ANSWER,
    UNREADABLE,
    add_example,
    add_memory_limit,
    add_time_limit,
    in_time,
    left,
    one_input,
    shows_progress,
    telling,
    waiting,
)
from validator.errors import PlannerError, ValidatorError
from validator.questions.arguments import add_options, question_of_options, spelled
from validator.questions.check import LocalCheck, check, execution_of, plain_model
from validator.records import replace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from validator.checking.prepared import Prepared
    from validator.checking.report import Report
    from validator.questions.job import Job
    from validator.repair.cheapest import Optimum


_EXAMPLE = """\
plan-validator check domains/blocks/domain.pddl domains/blocks/problem.pddl domains/blocks/broken-order.plan
"""

_FORMS = ("DOMAIN PROBLEM PLAN", "FLOW PLAN")
_WHOLE_PLAN = 40  # plans up to this many lines are shown whole, longer ones as hunks


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] DOMAIN PROBLEM PLAN\n       %(prog)s [options] FLOW PLAN"
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="PDDL or HDDL domain and problem, or flow; then the plan; '-' for one of them is standard input",
    )
    add_options(parser, LocalCheck)
    add_time_limit(parser)
    add_memory_limit(parser)
    parser.add_argument(
        "--certify",
        type=Path,
        metavar="FILE",
        help="write the proof that nothing is nearer, or cheaper, for plan-certify to check; as FILE.opb, for VeriPB",
    )
    parser.add_argument("--dump-problem", type=Path, metavar="DIR", help="write the modified problem as PDDL to DIR")
    parser.add_argument("--format", choices=tuple(FORMATS), default="text", help="default: text")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    names = files_by_field(options, _FORMS)
    if options.words and options.format not in ("text", "markdown"):
        raise ValueError(f"--words is for the formats text and markdown, not for {options.format}")
    if options.animation and options.format != "html":
        raise ValueError("--animation goes with --format html")
    *model, plan = options.files
    name, group = plan if plan != "-" else "<stdin>", " ".join(model)
    one_input(*options.files)
    try:
        with waiting(options, *options.files):
            given = {field: read_field(field, file) for field, file in names.items()}
        asked = question_of_options(options, LocalCheck, **given, certify=options.certify is not None)
        with naming({"plan": plan}), ordered(options, names):
            report = _checked(options, asked)
    except (ValidatorError, OSError) as error:
        if options.format in FOR_TOOLS:
            sys.stdout.write(error_text(options.format, error, name, group))
        if options.format == "github":  # which would take an indented line of the error's excerpt for a command
            return NO_ANSWER if isinstance(error, PlannerError) else UNREADABLE
        raise
    from validator.render.verdict import verdict

    if shows_progress():
        sys.stderr.write("\033[K")
    shown = Shown(name=name, text=str(given["plan"]), model=group, execution=lambda: execution_of(asked, report))
    with telling(options, verdict(report)):
        told = FORMATS[options.format](report, shown)
    sys.stdout.write(told)
    return CODES[report.determination]


def _job(options: argparse.Namespace) -> Job:
    from validator.render.verdict import verdict
    from validator.repair.diff import CONTEXT

    return replace(
        job_of(options),
        progress=_progress if shows_progress() else None,
        context=CONTEXT,
        with_course=options.format == "html",
        telling=lambda report: telling(options, verdict(report)),
    )


def _checked(options: argparse.Namespace, asked: LocalCheck) -> Report:
    """Answer, and write the modified problem where that is to be."""
    names = partial(spelled, LocalCheck)
    if options.dump_problem and (asked.flow is not None or asked.is_rest):
        raise ValueError("--dump-problem is for whole plans of PDDL models")
    if asked.flow is not None:
        with in_time(options):
            import validator.flow.check
            import validator.render.verdict

            return check(asked, _job(options), names)
    with in_time(options):
        import validator.checking.check
        import validator.render.verdict  # noqa: F401

        prepared = plain_model(asked)
    if options.dump_problem:
        if prepared is None:
            raise ValueError("--dump-problem is for PDDL models, not for HDDL")
        with in_time(options, "the modified problem was not written"):
            _dump(options, asked, prepared)
    report = check(asked, _job(options), names)
    if options.certify:
        _write_certificate(options.certify, asked, report)
    if asked.context is None and report.plan_diff_str and len(report.plan_diff_obj) <= _WHOLE_PLAN and not asked.words:
        from validator.repair.diff import unified

        report = replace(report, plan_diff_str=unified(report.plan_diff_obj))
    return report


def _write_certificate(path: Path, asked: LocalCheck, report: Report) -> None:
    """Write a certificate as JSON; where the file is OPB, as a formula with its refutation beside it."""
    why, texts = report.no_certificate, dict[Path, str]()
    if report.certificate is not None and path.suffix == ".opb":
        from validator.certificates.pseudo_boolean import pseudo_boolean
        from validator.checking.certified import text_of

        found = pseudo_boolean(text_of(asked.domain), text_of(asked.problem), report.certificate)
        if isinstance(found, tuple):
            texts = dict(zip((path, path.with_suffix(".pbp")), found, strict=True))
        else:
            why = found.reason
    elif report.certificate is not None:
        import json

        texts = {path: json.dumps(report.certificate) + "\n"}
    if not texts:
        sys.stderr.write(f"no certificate: {why}\n")
    for file, text in texts.items():
        file.write_text(text, encoding="utf-8")


def _dump(options: argparse.Namespace, asked: LocalCheck, prepared: Prepared) -> None:
    """Write the modified problem of the quality that is asked for."""
    from validator.reading.tokens import tokenize
    from validator.up.edit_problem import cheapest_edit_problem, dump, edit_problem
    from validator.up.pddl import read_up

    assert asked.domain is not None and asked.problem is not None
    problem = read_up(asked.domain, asked.problem)
    plan = tokenize(str(asked.plan), prepared.vocabulary, asked.dialect)
    if asked.quality == "optimal":
        modified = cheapest_edit_problem(problem, plan, _optimum(options, prepared), prepared.model)
    else:
        with_goal = asked.quality == "valid"
        policy = asked.nearest or "edits"
        modified = edit_problem(problem, plan, with_goal=with_goal, policy=policy, model=prepared.model)
    options.dump_problem.mkdir(parents=True, exist_ok=True)
    dump(modified, options.dump_problem)


def _optimum(options: argparse.Namespace, prepared: Prepared) -> Optimum:
    """Return the proven cheapest cost, which the weights of the modified problem depend on."""
    from validator.grounding.limits import Limits, Status

    limits = Limits(deadline=time.monotonic() + left(options), memory=options.memory_limit)
    task = prepared.task(limits)
    optimum = None if isinstance(task, Status) else prepared.optimum(task, None, limits)
    if optimum is None or not optimum.is_proven or optimum.plan is None:
        raise PlannerError("the modified problem was not written: no cheapest cost of the model was proven")
    return optimum


def _progress(known: Mapping[str, Any]) -> None:
    """Show on one line of a terminal how far the repair is; the line is overwritten by what comes next."""
    best = "none yet" if known["best_cost"] is None else known["best_cost"]
    sys.stderr.write(f"\rrepairing: at least {known['lower_bound']}, best plan {best} (Ctrl-C takes it)\033[K\r")
    sys.stderr.flush()
