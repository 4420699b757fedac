"""``plan-validator eval transition-modeling``: grade predicted PDDL operators against gold ones."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validator.commands.grading.answered import (
    add_run,
    answered,
    grade_answers,
    refuse_resume,
    results_folder,
    write_results,
)
from validator.commands.options import UNREADABLE, add_answers, add_example, add_memory_limit, add_time_limit
from validator.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from validator.grading.eai.answers import Answer
    from validator.grading.eai.transition_modeling.benchmark import Benchmark
    from validator.grading.eai.transition_modeling.sensitivity import Graded

_EXAMPLE = """\
plan-validator eval transition-modeling --data DIR --answers answers --workers 2
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_answers(parser, "transition-modeling")
    parser.add_argument("--dataset", metavar="NAME", help="which of several data sets; others are refused")
    parser.add_argument("--compat", action="store_true", help="read and count as the original evaluator does")
    parser.add_argument("--no-planner", action="store_true", help="compare operators only")
    parser.add_argument("--sensitivity", action="store_true", help="try each operator alone among gold ones too")
    add_run(parser, 1)
    add_time_limit(parser, what="for each run of the planner")
    add_memory_limit(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.grading.eai.transition_modeling.benchmark import dataset_folder
    from validator.grading.eai.transition_modeling.grade import benchmark_in
    from validator.grading.eai.transition_modeling.planning import Allowance
    from validator.grading.eai.transition_modeling.report import report_data, report_text, summary_data
    from validator.grading.eai.transition_modeling.sensitivity import Graded, Settings, grades

    if options.no_planner and options.sensitivity:
        raise ValueError("--sensitivity needs the planner")
    refuse_resume(options)
    data = dataset_folder(options.data, options.dataset)
    benchmark = benchmark_in(data)
    if options.dataset not in (None, benchmark.name):
        raise ValueError(f"{data} holds the data set '{benchmark.name}', not '{options.dataset}'")
    files, code = answered(options)
    known = {model: _known(benchmark, model, answers) for model, answers in files.items()}
    folder = None if options.output is None else results_folder(options, benchmark.name, "transition-modeling")
    allowance = None if options.no_planner else Allowance(seconds=options.time_limit, memory=options.memory_limit)
    settings = Settings(
        data=data.absolute(), compat=options.compat, allowance=allowance, sensitivity=options.sensitivity
    )
    graded, is_whole = grade_answers(options, Graded, grades, settings, known, folder, part=8)
    contents = {}
    for model, found in graded.items():
        own = [each.grade for each in found]
        summary = summary_data(benchmark, own)
        trials = [trial for each in found for trial in each.trials]
        report = report_data(benchmark, own, trials, compat=options.compat)
        contents[model] = {"summary": summary, "report": report}
        if options.format == "text":
            sys.stdout.write(report_text(model, report, summary) + "\n")
    if options.format == "json":
        json.dump(contents, sys.stdout, indent=2)
        print()
    if folder is not None:
        _write(folder, benchmark, graded, contents)
    return code if is_whole else UNREADABLE


def _known(benchmark: Benchmark, model: str, answers: Sequence[Answer]) -> list[Answer]:
    """Return the answers to tasks of the data set; others are told. Raises InputError when there are only others."""
    known = [answer for answer in answers if answer.identifier in benchmark.tasks]
    others = [answer for answer in answers if answer.identifier not in benchmark.tasks]
    if others:
        names = [answer.identifier for answer in others]
        print(f"{model}: {len(names)} answers are for no task here: {', '.join(names[:5])}", file=sys.stderr)
        if not known:
            near = did_you_mean(names[0], benchmark.tasks)
            raise InputError(f"no answer is for a task here{near}", source=others[0].source)
    return known


def _write(
    folder: Path, benchmark: Benchmark, graded: Mapping[str, Sequence[Graded]], contents: Mapping[str, dict[str, Any]]
) -> None:
    from validator.grading.eai.transition_modeling.report import result_lines, task_data

    files = {
        model: {**found, "tasks": [task_data(each.grade) for each in graded[model]]}
        for model, found in contents.items()
    }
    lines = (
        line
        for model, found in graded.items()
        for line in result_lines(model, benchmark.name, [each.grade for each in found])
    )
    write_results(folder, files, lines)
