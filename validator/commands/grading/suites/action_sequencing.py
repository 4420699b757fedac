"""``plan-validator eval action-sequencing``: grade the action sequences that models answered."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from validator.commands.grading.answered import add_format, answered, show
from validator.commands.grading.graded import add_run, grade_answers, results_folder, write_grades
from validator.commands.options import UNREADABLE, add_answers, add_example, count

if TYPE_CHECKING:
    from validator.grading.eai.answers import Answer

__all__ = ["add_arguments"]

_EXAMPLE = """\
echo '{"identifier": "problem", "llm_output": "(take b d)"}' > small_outputs.jsonl
plan-validator eval action-sequencing --dataset pddl --data domains/blocks --answers small_outputs.jsonl
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", choices=("virtualhome", "behavior", "pddl"), required=True)
    add_answers(parser, "eai")
    parser.add_argument(
        "--taxonomy", choices=("eai", "proven"), default="eai", help="the benchmark's classes, or proven ones"
    )
    parser.add_argument(
        "--compat",
        nargs="?",
        const="seed0",
        default="",
        metavar="DEFECTS",
        help="with defects of the benchmark: published, seed0 (alone: this), seed3, 1.0.5, or a list of defects",
    )
    parser.add_argument(
        "--against", metavar="DEFECTS", help="list the tasks whose grades differ with other defects, and the defects"
    )
    parser.add_argument(
        "--budget", type=count, default=10_000, metavar="N", help="executed steps for each proof; default: 10,000"
    )
    add_run(parser)
    add_format(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.grading.eai.output import sequencing_summary
    from validator.grading.eai.run import Settings, named, task_identifiers

    settings = Settings(
        dataset=options.dataset,
        data=options.data,
        taxonomy=options.taxonomy,
        compat=options.compat,
        budget=options.budget,
    )
    identifiers = task_identifiers(settings)
    files, code = answered(options, identifiers, named(settings))
    if options.against is not None:
        _show_differences(options, files)
        return code
    graded, problems = grade_answers(options, settings, files)
    summaries = {
        model: sequencing_summary(
            grades,
            percent=options.dataset == "virtualhome",
            tasks=len(identifiers),
            once=options.dataset == "behavior",
        )
        for model, grades in graded.items()
    }
    if options.output is not None:
        write_grades(results_folder(options, settings), settings, graded, summaries)
    show(options, f"Action sequencing, {options.dataset}", summaries)
    return UNREADABLE if problems else code


def _show_differences(options: argparse.Namespace, files: Mapping[str, Sequence[Answer]]) -> None:
    """Print each answer that two sets of defects grade differently, and which of the defects make the difference."""
    from validator.grading.eai.defects import defects
    from validator.grading.eai.tasks.household import differences
    from validator.grading.eai.tasks.virtualhome import load

    if options.dataset != "virtualhome":
        raise ValueError("--against is for the dataset virtualhome")
    tasks = load(options.data, frozenset(answer.identifier for answers in files.values() for answer in answers))
    before, after = defects(options.compat), defects(options.against)
    for model, answers in files.items():
        for answer in answers:
            found = differences(tasks[answer.identifier], answer.text, before, after)
            if found is not None:
                print(f"{model}  {answer.identifier}  {found}")
