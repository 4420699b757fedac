"""``plan-validator eval action-sequencing`` and ``subgoal-decomposition``: sequences that models answered, graded."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from validator.commands.grading.answered import (
    add_format,
    add_run,
    answered,
    grade_answers,
    refuse_resume,
    results_folder,
    show,
    write_results,
)
from validator.commands.options import UNREADABLE, add_answers, add_example, count

if TYPE_CHECKING:
    from validator.grading.eai.answers import Answer
    from validator.grading.eai.graders import Settings
    from validator.grading.eai.sequencing import Grade

_ACTIONS_EXAMPLE = """\
echo '{"identifier": "problem", "llm_output": "(take b d)"}' > small_outputs.jsonl
plan-validator eval action-sequencing --dataset pddl --data domains/blocks --answers small_outputs.jsonl
"""
_SUBGOALS_EXAMPLE = """\
plan-validator eval subgoal-decomposition --data DIR --answers answers
"""


def add_action_sequencing(parser: argparse.ArgumentParser) -> None:
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
    add_example(parser, _ACTIONS_EXAMPLE)
    parser.set_defaults(run=_run_actions)


def add_subgoal_decomposition(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", choices=("virtualhome", "behavior"), default="virtualhome")
    add_answers(parser, "eai")
    parser.add_argument(
        "--compat", action="store_true", help="behavior: turn subgoals into actions exactly as the benchmark does"
    )
    add_run(parser)
    add_format(parser)
    add_example(parser, _SUBGOALS_EXAMPLE)
    parser.set_defaults(run=_run_subgoals)


def _run_actions(options: argparse.Namespace) -> int:
    from validator.grading.eai.graders import Settings

    return _run(
        options,
        Settings(
            dataset=options.dataset,
            data=options.data,
            taxonomy=options.taxonomy,
            compat=options.compat,
            budget=options.budget if options.taxonomy == "proven" else 0,
        ),
    )


def _run_subgoals(options: argparse.Namespace) -> int:
    from validator.grading.eai.graders import Settings

    if options.compat and options.dataset != "behavior":
        raise ValueError("--compat is for the dataset behavior: no grades of the other are recorded")
    compat = "benchmark" if options.compat else ""
    options.against = None
    return _run(
        options,
        Settings(dataset=options.dataset, data=options.data, module="subgoal-decomposition", compat=compat),
    )


def _run(options: argparse.Namespace, settings: Settings) -> int:
    from validator.grading.eai.graders import grades, named, task_identifiers
    from validator.grading.eai.output import result_lines, sequencing_summary, subgoal_summary
    from validator.grading.eai.sequencing import Grade

    identifiers = task_identifiers(settings)
    files, code = answered(options, identifiers, named(settings))
    if options.against is not None:
        _show_differences(options, files)
        return code
    refuse_resume(options)
    folder = None if options.output is None else results_folder(options, settings.dataset, settings.module)
    graded, is_whole = grade_answers(options, Grade, grades, settings, files, folder)
    once, home = settings.dataset == "behavior", settings.dataset == "virtualhome"
    is_subgoals = settings.module == "subgoal-decomposition"
    summaries = {
        model: subgoal_summary(found, len(identifiers), once=once)
        if is_subgoals
        else sequencing_summary(found, percent=home, tasks=len(identifiers), once=once)
        for model, found in graded.items()
    }
    if folder is not None:
        prefix = "scene_1_" if home else ""
        contents = {model: _contents(found, summaries[model], is_subgoals, prefix) for model, found in graded.items()}
        lines = (line for model, found in graded.items() for line in result_lines(model, settings.dataset, found))
        write_results(folder, contents, lines)
    show(options, f"{settings.module.capitalize().replace('-', ' ')}, {settings.dataset}", summaries)
    return code if is_whole else UNREADABLE


def _contents(grades: Sequence[Grade], summary: Mapping[str, Any], is_subgoals: bool, prefix: str) -> dict[str, Any]:
    from validator.grading.eai.goals.subgoals import category
    from validator.grading.eai.output import error_info, llm_results, subgoal_info

    faults = subgoal_info(grades, list(map(category, grades)), prefix) if is_subgoals else error_info(grades)
    return {"summary": summary, "error_info": faults, "log": llm_results(grades)}


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
