"""``plan-validator check``: decide whether a plan has a quality, and repair it."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validator.commands.options import (
    DIALECTS,
    HAS,
    HAS_NOT,
    NO_ANSWER,
    UNREADABLE,
    add_example,
    add_memory_limit,
    add_strict,
    add_strict_pddl,
    add_suspect_model,
    add_templates,
    add_time_limit,
    in_time,
    left,
    model_files,
    naming,
    one_input,
    read,
    refuse_other_model,
    shows_progress,
    telling,
    waiting,
)
from validator.commands.told import FOR_TOOLS, FORMATS, Shown, told_error
from validator.errors import PlannerError, ValidatorError
from validator.model.pddl.formulas.expressions import number
from validator.records import replace
from validator.texts import no_path

if TYPE_CHECKING:
    from validator.checking.prepared import Prepared
    from validator.checking.report import Report
    from validator.repair.cheapest import Optimum

__all__ = ["add_arguments"]

_EXAMPLE = """\
plan-validator check domains/blocks/domain.pddl domains/blocks/problem.pddl domains/blocks/broken-order.plan
"""

_WHOLE_PLAN = 40  # plans up to this many lines are shown whole, longer ones as hunks
_CONTEXT = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] DOMAIN PROBLEM PLAN\n       %(prog)s [options] FLOW PLAN"
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="PDDL domain and problem, or flow; then the plan; '-' for one of them is standard input",
    )
    parser.add_argument("--quality", choices=("sound", "valid", "optimal"), default="valid", help="default: valid")
    parser.add_argument(
        "--policy", choices=("edits", "keep", "move"), help="what 'nearest' means; default: edits, for flows move"
    )
    parser.add_argument("--no-repair", action="store_true", help="decide only; start no planner unless it is needed")
    add_time_limit(parser)
    add_memory_limit(parser)
    parser.add_argument("--executed", type=int, default=0, metavar="N", help="check the rest: N steps have happened")
    parser.add_argument(
        "--state", type=Path, metavar="FILE", help="what holds after the executed steps: facts, or of a flow its items"
    )
    parser.add_argument(
        "--state-complete", action="store_true", help="the state is whole: nothing is taken from elsewhere"
    )
    parser.add_argument(
        "--changes", type=Path, metavar="FILE", help="what is not as planned: facts, (not FACT), values; all else is"
    )
    parser.add_argument(
        "--follow",
        action="store_true",
        help="take steps, 'now CHANGES' and 'state FACTS' from standard input one by one",
    )
    parser.add_argument("--dialect", choices=DIALECTS, help="how the plan is written; default: recognised")
    add_strict(parser)
    add_strict_pddl(parser)
    add_templates(parser)
    parser.add_argument("--words", action="store_true", help="tell steps and facts in words, by the templates if given")
    parser.add_argument(
        "--cache", type=Path, metavar="DIR", help="keep grounded models and proven cheapest costs in this directory"
    )
    parser.add_argument("--planner", metavar="ENGINE", help="let this unified-planning engine look for the repair")
    parser.add_argument(
        "--certify",
        type=Path,
        metavar="FILE",
        help="write why nothing is nearer, or cheaper, for plan-certify to check",
    )
    parser.add_argument("--dump-problem", type=Path, metavar="DIR", help="write the modified problem there, as PDDL")
    parser.add_argument("--explain", action="store_true", help="say what each changed step is for")
    add_suspect_model(parser)
    parser.add_argument(
        "--epsilon", type=_epsilon, metavar="E", help="how far apart acts that interfere must be; default: 0.001"
    )
    parser.add_argument(
        "--tolerance",
        type=_epsilon,
        metavar="T",
        help="in place of epsilon, what VAL's -t means: acts at most T/10 apart happen at once",
    )
    parser.add_argument("--trace", action="store_true", help="show what happens when, and the values over time")
    parser.add_argument("--unified", type=int, metavar="N", help="unchanged lines around a change of the diff")
    parser.add_argument("--format", choices=tuple(FORMATS), default="text", help="default: text")
    flows = parser.add_argument_group("plans of flows")
    flows.add_argument("--no-outputs", action="store_true", help="neither compare nor print the outputs of calls")
    flows.add_argument("--collapse-maps", action="store_true", help="read and print calls without their mappings")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def _epsilon(text: str) -> Fraction:
    value = number(text)
    if value is None or value < 0:
        raise argparse.ArgumentTypeError(f"a number from 0 such as 0.001 was expected, not {text!r}")
    return value


def run(options: argparse.Namespace) -> int:
    if options.unified is not None and options.unified < 0:
        raise ValueError("--unified takes a number from 0")
    if len(options.files) not in (2, 3):
        raise ValueError(f"check takes DOMAIN PROBLEM PLAN, or FLOW PLAN; got {len(options.files)} of them")
    if options.words and options.format not in ("text", "markdown"):
        raise ValueError(f"--words is for the formats text and markdown, not for {options.format}")
    *model, plan = options.files
    refuse_other_model(model, "check takes DOMAIN PROBLEM PLAN, or FLOW PLAN")
    name, group = plan if plan != "-" else "<stdin>", " ".join(model)
    if len(model) == 1:
        _refuse_options_of_pddl(options)
    one_input(*options.files)
    try:
        with waiting(options, *options.files):
            options.model = model_files(*model) if len(model) == 2 else ()
            text = read(plan)
        if options.follow:
            return _follow(options, model, text)
        with naming(plan):
            report = _check_flow(options, text) if len(model) == 1 else _check_plan(options, text)
    except (ValidatorError, OSError) as error:
        if options.format in FOR_TOOLS:
            sys.stdout.write(told_error(options.format, error, name, group))
        if options.format == "github":  # which would take an indented line of the error's excerpt for a command
            return NO_ANSWER if isinstance(error, PlannerError) else UNREADABLE
        raise
    from validator.render.verdict import verdict

    if shows_progress():
        sys.stderr.write("\033[K")
    shown = Shown(
        name=name, text=text, model=group, execution=lambda: _execution(options, report) if len(model) == 2 else {}
    )
    with telling(options, verdict(report)):
        told = FORMATS[options.format](report, shown)
    sys.stdout.write(told)
    return {True: HAS, False: HAS_NOT, None: NO_ANSWER}[report.determination]


def _follow(options: argparse.Namespace, model: list[str], text: str) -> int:
    from validator.checking.prepared import prepare
    from validator.commands.plans.following import follow

    if len(model) == 1 or options.files[-1] == "-":
        raise ValueError("--follow takes DOMAIN PROBLEM PLAN; what happens comes from standard input")
    if options.executed or options.state or options.changes or options.format not in ("text", "json"):
        raise ValueError("--follow goes without --executed, --state and --changes, as text or json")
    if options.quality != "valid":
        raise ValueError(f"--follow says whether the rest is valid, and not whether it is {options.quality}")
    _refuse(options, _OF_REPORTS, "is for a plan by itself, and goes without --follow")
    domain, problem = map(Path, model)
    with in_time(options):
        prepared = prepare(domain, problem, templates=options.templates, strict_pddl=options.strict_pddl)
    return follow(options, prepared, text)


_OF_WHOLE_PLANS = ("planner", "certify", "dump_problem", "epsilon", "tolerance", "trace", "suspect_model")
"""options that the rest of a plan has no use for"""
_OF_REPORTS = (*_OF_WHOLE_PLANS, "explain", "words", "unified", "state_complete")
"""options that a stream of what happens has no use for"""


def _refuse(options: argparse.Namespace, names: Iterable[str], why: str) -> None:
    """Raise ValueError for an option that was given and would be passed over."""
    for name in names:
        value = getattr(options, name)
        if value is not None and value is not False:
            raise ValueError(f"--{name.replace('_', '-')} {why}")


def _refuse_options_of_pddl(options: argparse.Namespace) -> None:
    names = (
        *("planner", "certify", "dump_problem", "dialect", "unified", "explain", "epsilon", "tolerance", "trace"),
        *("strict_pddl", "templates", "words", "suspect_model", "state_complete", "changes"),
    )
    _refuse(options, names, f"is for PDDL models; {options.files[0]} is read as a flow")


def _check_plan(options: argparse.Namespace, text: str) -> Report:
    context = options.unified
    domain, problem = options.model
    with in_time(options):
        from validator.checking.check import check
        from validator.checking.prepared import prepare
        from validator.render.verdict import verdict

        prepared = prepare(domain, problem, templates=options.templates, strict_pddl=options.strict_pddl)
    if options.dump_problem:
        with in_time(options, "the modified problem was not written"):
            _dump(options, prepared, text)
    is_rest = options.executed or options.state or options.changes
    if is_rest:
        report = _check_rest(options, prepared, text)
    else:
        report = check(
            domain,
            problem,
            no_path(text),
            quality=options.quality,
            policy=options.policy,
            repair=not options.no_repair,
            time_limit=left(options),
            memory_limit=options.memory_limit,
            dialect=options.dialect,
            strict=options.strict,
            strict_pddl=options.strict_pddl,
            context=context if context is not None else _CONTEXT,
            cache=options.cache,
            planner=options.planner,
            progress=_progress if shows_progress() else None,
            epsilon=options.epsilon,
            tolerance=options.tolerance,
            trace=options.trace or (options.format == "html" and bool(prepared.model.features)),
            templates=options.templates,
            certify=options.certify is not None,
        )
        if options.certify:
            _write_certificate(options.certify, report)
    with telling(options, verdict(report)):
        return _with_more(options, prepared, report)


def _write_certificate(path: Path, report: Report) -> None:
    if report.certificate is None:
        sys.stderr.write(f"no certificate: {report.no_certificate}\n")
        return
    import json

    path.write_text(json.dumps(report.certificate) + "\n", encoding="utf-8")


def _with_more(options: argparse.Namespace, prepared: Prepared, report: Report) -> Report:
    """Return a report with what is told beside it."""
    is_rest = options.executed or options.state or options.changes
    if options.unified is None and report.plan_diff_str and len(report.plan_diff_obj) <= _WHOLE_PLAN:
        from validator.repair.diff import unified

        report = replace(report, plan_diff_str=unified(report.plan_diff_obj))
    if options.explain and not is_rest:
        from validator.checking.about.explain import explain

        report = replace(report, explanations=explain(prepared, report))
    if options.suspect_model and report.determination is False:
        report = _suspected(options, report)
    if options.words:
        from validator.checking.about.words import in_words

        report = in_words(report, prepared.lexicon, _CONTEXT if options.unified is None else options.unified)
    return report


def _suspected(options: argparse.Namespace, report: Report) -> Report:
    """Add a warning where one edit of the domain makes the plan valid."""
    from validator.model_repair.suspect import suspicion
    from validator.reading.plan import Plan

    plans = [Plan(parts=report.reference)]
    domain, problem = options.model
    found = suspicion(domain, problem, plans, time_limit=left(options))
    return replace(report, warnings=(*report.warnings, found)) if found else report


def _execution(options: argparse.Namespace, report: Report) -> Mapping[str, Any]:
    """Return the states and changes of a plan's execution and how its text was read, for a page."""
    from validator.checking.prepared import prepare
    from validator.render.states import execution_value

    prepared = prepare(*options.model, templates=options.templates, strict_pddl=options.strict_pddl)
    execution = execution_value(prepared.simulator, report)
    if report.reading is None:
        return execution
    from validator.reading.beside import beside
    from validator.render.beside import beside_value

    return {**execution, "read": beside_value(beside(report.reading, prepared.vocabulary))}


def _check_rest(options: argparse.Namespace, prepared: Prepared, text: str) -> Report:
    from validator.checking.monitor import check_rest

    _refuse(options, _OF_WHOLE_PLANS, "is for whole plans, not for the rest of one")
    return check_rest(
        prepared,
        no_path(text),
        executed=options.executed,
        state=options.state,
        is_complete=options.state_complete,
        changes=options.changes,
        quality=options.quality,
        policy=options.policy,
        repair=not options.no_repair,
        explained=options.explain,
        time_limit=left(options),
        memory_limit=options.memory_limit,
        dialect=options.dialect,
        strict=options.strict,
        context=options.unified if options.unified is not None else _CONTEXT,
        cache=options.cache,
        progress=_progress if shows_progress() else None,
    )


def _check_flow(options: argparse.Namespace, text: str) -> Report:
    with in_time(options):
        from validator.flow.check import check_flow
        from validator.flow.definition.reader import load_document, read_flow
        from validator.flow.plans.state import read_flow_state

        flow, state = read_flow(options.files[0]), options.state
        return check_flow(
            flow,
            text,
            quality=options.quality,
            policy=options.policy,
            repair=not options.no_repair,
            executed=options.executed,
            state=None if state is None else read_flow_state(load_document(state), flow, str(state)),
            show_output=not options.no_outputs,
            collapse_maps=options.collapse_maps,
            strict=options.strict,
            time_limit=left(options),
            memory_limit=options.memory_limit,
            cache=options.cache,
            progress=_progress if shows_progress() else None,
        )


def _dump(options: argparse.Namespace, prepared: Prepared, text: str) -> None:
    """Write the modified problem of the quality that is asked for."""
    from validator.reading.tokens import tokenize
    from validator.up.edit.problem import cheapest_edit_problem, dump, edit_problem
    from validator.up.pddl import read_up

    problem = read_up(*options.model)
    plan = tokenize(text, prepared.vocabulary, options.dialect)
    if options.quality == "optimal":
        modified = cheapest_edit_problem(problem, plan, _optimum(options, prepared))
    else:
        with_goal = options.quality == "valid"
        modified = edit_problem(problem, plan, with_goal=with_goal, policy=options.policy or "edits")
    options.dump_problem.mkdir(parents=True, exist_ok=True)
    dump(modified, options.dump_problem)


def _optimum(options: argparse.Namespace, prepared: Prepared) -> Optimum:
    """Return the proven cheapest cost, which the weights of the modified problem depend on."""
    from validator.grounding.limits import Limits, Status

    limits = Limits(deadline=time.monotonic() + left(options), memory=options.memory_limit)
    task = prepared.task(limits, cache=options.cache)
    optimum = None if isinstance(task, Status) else prepared.optimum(task, None, limits, options.cache)
    if optimum is None or not optimum.is_proven or optimum.plan is None:
        raise PlannerError("the modified problem was not written: no cheapest cost of the model was proven")
    return optimum


def _progress(lower: int, best: int | None) -> None:
    """Show on one line of a terminal how far the repair is; the line is overwritten by what comes next."""
    known = "none yet" if best is None else str(best)
    sys.stderr.write(f"\rrepairing: at least {lower}, best plan {known} (Ctrl-C takes it)\033[K\r")
    sys.stderr.flush()
