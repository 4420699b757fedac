"""``plan-validator eval subgoal-decomposition``: grade the sequences of subgoals that models answered."""

from __future__ import annotations

import argparse

from validator.commands.grading.answered import add_format, answered, show
from validator.commands.options import add_answers, add_example

__all__ = ["add_arguments"]

_EXAMPLE = """\
plan-validator eval subgoal-decomposition --data DIR --answers answers
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", choices=("virtualhome",), default="virtualhome")
    add_answers(parser, "eai")
    add_format(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.grading.eai.goals.subgoals import category, grade_subgoals
    from validator.grading.eai.output import llm_results, subgoal_info, subgoal_summary, write_json
    from validator.grading.eai.tasks.virtualhome import household_identifiers, load

    identifiers = household_identifiers(options.data)
    files, code = answered(options, identifiers)
    tasks = load(options.data, frozenset(answer.identifier for answers in files.values() for answer in answers))
    summaries = {}
    for model, answers in files.items():
        grades = [grade_subgoals(tasks[answer.identifier], answer.text) for answer in answers]
        summaries[model] = subgoal_summary(grades, len(identifiers))
        if options.output is not None:
            folder = options.output / options.dataset / "evaluate_results" / "subgoal_decomposition" / model
            write_json(folder / "summary.json", summaries[model])
            write_json(folder / "error_info.json", subgoal_info(grades, list(map(category, grades))))
            write_json(folder / "log.json", llm_results(grades))
    show(options, f"Subgoal decomposition, {options.dataset}", summaries)
    return code
