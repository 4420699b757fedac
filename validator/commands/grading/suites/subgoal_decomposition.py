"""``plan-validator eval subgoal-decomposition``: grade the sequences of subgoals that models answered."""

from __future__ import annotations

import argparse

from validator.commands.grading.answered import add_format, answered, show
from validator.commands.grading.graded import add_run, grade_answers, results_folder, write_grades
from validator.commands.options import UNREADABLE, add_answers, add_example

__all__ = ["add_arguments"]

_EXAMPLE = """\
plan-validator eval subgoal-decomposition --data DIR --answers answers
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", choices=("virtualhome", "behavior"), default="virtualhome")
    add_answers(parser, "eai")
    parser.add_argument(
        "--compat", action="store_true", help="behavior: turn subgoals into actions exactly as the benchmark does"
    )
    add_run(parser)
    add_format(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.grading.eai.output import subgoal_summary
    from validator.grading.eai.run import Settings, named, task_identifiers

    if options.compat and options.dataset != "behavior":
        raise ValueError("--compat is for the dataset behavior: no grades of the other are recorded")
    settings = Settings(
        dataset=options.dataset,
        data=options.data,
        module="subgoal-decomposition",
        compat="benchmark" if options.compat else "",
    )
    identifiers = task_identifiers(settings)
    files, code = answered(options, identifiers, named(settings))
    graded, problems = grade_answers(options, settings, files)
    once = options.dataset == "behavior"
    summaries = {model: subgoal_summary(grades, len(identifiers), once=once) for model, grades in graded.items()}
    if options.output is not None:
        write_grades(results_folder(options, settings), settings, graded, summaries)
    show(options, f"Subgoal decomposition, {options.dataset}", summaries)
    return UNREADABLE if problems else code
