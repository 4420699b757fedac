"""``plan-validator eval goal-interpretation``: grade the goals that models read from instructions."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from validator.commands.grading.answered import add_format, answered, results_folder, show, write_results
from validator.commands.options import add_answers, add_example

if TYPE_CHECKING:
    from validator.grading.eai.answers import Answer
    from validator.grading.eai.goals.interpretation import Interpretation

_EXAMPLE = """\
plan-validator eval goal-interpretation --dataset virtualhome --data DIR --answers answers
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", choices=("virtualhome", "behavior"), required=True)
    add_answers(parser, "eai")
    parser.add_argument(
        "--compat",
        nargs="?",
        const="benchmark",
        choices=("benchmark", "published"),
        help="count as the benchmark does: what cannot be read misses no goal; published: as in its published figures",
    )
    add_format(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    grade = _virtualhome if options.dataset == "virtualhome" else _behavior
    summaries, details, code = grade(options)
    if options.output is not None:
        contents = {
            model: {"summary": summary, "error_info": {each.identifier: _detail(each) for each in details[model]}}
            for model, summary in summaries.items()
        }
        lines = (line for model, grades in details.items() for line in _result_lines(model, options.dataset, grades))
        write_results(results_folder(options, options.dataset, "goal-interpretation"), contents, lines)
    show(options, f"Goal interpretation, {options.dataset}", summaries)
    return code


_Graded = tuple[dict[str, dict[str, Any]], dict[str, list["Interpretation"]], int]
"""Summaries and grades by model, and the exit code."""


def _virtualhome(options: argparse.Namespace) -> _Graded:
    from validator.grading.eai.goals.interpretation import Order, published_order, virtualhome_summary
    from validator.grading.eai.output import task_counts
    from validator.grading.eai.tasks.virtualhome import annotated, household_identifier, household_identifiers

    identifiers = household_identifiers(options.data)
    files, code = answered(options, identifiers, household_identifier)
    tasks = annotated(options.data, frozenset(each.identifier for answers in files.values() for each in answers))
    summaries: dict[str, dict[str, Any]] = {}
    details: dict[str, list[Interpretation]] = {}
    for model, answers in files.items():
        order = published_order(model) if options.compat == "published" else Order(goals={}, overall={})
        details[model] = _graded(answers, tasks, order.goals, compat=bool(options.compat))
        is_other = order.overall != order.goals
        overall = _graded(answers, tasks, order.overall, compat=True) if is_other else details[model]
        unread = sum(each.fault is not None for each in details[model])
        excluded = unread if options.compat else 0
        counts = task_counts(len(answers), len(identifiers), excluded=excluded)
        figures = virtualhome_summary(details[model], overall)
        summaries[model] = {"tasks": counts, "unreadable": unread, **figures}
    return summaries, details, code


def _graded(
    answers: Iterable[Answer],
    tasks: Mapping[str, tuple[Mapping[str, Any], Mapping[str, int]]],
    order: Mapping[str, Mapping[str, int]],
    *,
    compat: bool,
) -> list[Interpretation]:
    from validator.grading.eai.goals.interpretation import grade_virtualhome_goals

    found = []
    for answer in answers:
        name = answer.identifier
        gold, numbers = tasks[name]
        numbers = {**numbers, **order.get(name, {})}
        found.append(grade_virtualhome_goals(name, gold, numbers, answer.text, compat=compat))
    return found


def _behavior(options: argparse.Namespace) -> _Graded:
    from validator.grading.eai.goals.interpretation import behavior_summary, grade_behavior_goals
    from validator.grading.eai.output import task_counts
    from validator.grading.eai.tasks.behavior import read_conditions, same_activity

    gold = read_conditions(options.data)
    compat = options.compat is not None
    files, code = answered(options, gold, same_activity(gold)) if compat else answered(options, gold)
    details = {
        model: [grade_behavior_goals(each.identifier, gold[each.identifier], each.text, compat=compat) for each in some]
        for model, some in files.items()
    }
    summaries = {
        model: {"tasks": task_counts(len(grades), len(gold)), **behavior_summary(grades)}
        for model, grades in details.items()
    }
    return summaries, details, code


def _result_lines(model: str, dataset: str, grades: Iterable[Interpretation]) -> Iterator[str]:
    """Yield results as ``plan-validator summary`` reads them: an answer with just the annotated goals is right."""
    from validator.grading.summary.rows import result_line

    for grade in grades:
        verdict = {True: "success", False: "wrong", None: "not_understood"}[grade.is_right]
        yield result_line(model, dataset, grade.identifier, verdict, {"determination": grade.is_right})


def _detail(grade: Interpretation) -> dict[str, Any]:
    kinds = {"node": grade.state, "edge": grade.relation, "action": grade.action}
    counts = {
        kind: {"true_positive": each.hits, "false_positive": each.false, "false_negative": each.missed}
        for kind, each in kinds.items()
    }
    return {"format_error": grade.fault, "hallucinated": list(grade.unknown), **counts}
