"""``plan-validator eval action-sequencing``: grade the action sequences that models answered."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from validator.commands.grading.answered import add_format, answered, readable, show
from validator.commands.options import UNREADABLE, add_answers, add_example, count

if TYPE_CHECKING:
    from validator.grading.eai.answers import Answer
    from validator.grading.eai.sequencing.sequencing import Grade

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
        help="with defects of the benchmark: published, seed0 (alone: this), 1.0.5, or a list of defects",
    )
    parser.add_argument(
        "--against", metavar="DEFECTS", help="list the tasks whose grades differ with other defects, and the defects"
    )
    parser.add_argument(
        "--budget", type=count, default=10_000, metavar="N", help="executed steps for each proof; default: 10,000"
    )
    add_format(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.grading.eai.output import error_info, llm_results, result_lines, sequencing_summary, write_json

    identifiers = _known(options)
    files, code = answered(options, identifiers)
    if options.against is not None:
        _show_differences(options, files)
        return code
    graded, is_whole = _graded(options, files)
    summaries = {}
    folder = None if options.output is None else options.output / options.dataset / "evaluate_results"
    for model, grades in graded.items():
        is_percent = options.dataset == "virtualhome"
        summaries[model] = sequencing_summary(grades, percent=is_percent, tasks=len(identifiers))
        if folder is not None:
            place = folder / "action_sequencing" / model
            write_json(place / "summary.json", summaries[model])
            write_json(place / "error_info.json", error_info(grades))
            write_json(place / "log.json", llm_results(grades))
    if folder is not None:
        lines = (line for model, grades in graded.items() for line in result_lines(model, options.dataset, grades))
        results = folder / "action_sequencing" / "results.jsonl"
        results.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    show(options, f"Action sequencing, {options.dataset}", summaries)
    return code if is_whole else UNREADABLE


def _graded(options: argparse.Namespace, files: Mapping[str, Sequence[Answer]]) -> tuple[dict[str, list[Grade]], bool]:
    """Grade all answers, task by task, since what was executed for one answer serves the others.

    Return the grades by model, and whether all tasks could be read.
    """
    identifiers = sorted({answer.identifier for answers in files.values() for answer in answers})
    grade, read = _grader(options, identifiers)
    every = [(model, answer) for model, answers in files.items() for answer in answers if answer.identifier in read]
    found = {
        (model, answer.identifier): grade(answer)
        for model, answer in sorted(every, key=lambda pair: pair[1].identifier)
    }
    grades = {
        model: [found[model, each.identifier] for each in files[model] if each.identifier in read] for model in files
    }
    return grades, len(read) == len(identifiers)


def _show_differences(options: argparse.Namespace, files: Mapping[str, Sequence[Answer]]) -> None:
    """Print each answer that two sets of defects grade differently, and which of the defects make the difference."""
    from validator.grading.eai.defects import defects
    from validator.grading.eai.differences import differences
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


def _known(options: argparse.Namespace) -> list[str]:
    """Return the identifiers of the tasks."""
    if options.dataset == "virtualhome":
        from validator.grading.eai.tasks.virtualhome import household_identifiers

        return household_identifiers(options.data)
    if options.dataset == "behavior":
        from validator.grading.eai.tasks.behavior import behavior_identifiers

        return behavior_identifiers(options.data)
    from validator.grading.eai.tasks.pddl_tasks import pddl_identifiers

    return pddl_identifiers(options.data)


def _grader(options: argparse.Namespace, identifiers: Sequence[str]) -> tuple[Callable[[Answer], Grade], set[str]]:
    """Return what grades an answer, and the tasks that could be read."""
    from validator.grading.eai.defects import defects
    from validator.grading.eai.sequencing.proven import remembering

    chosen = defects(options.compat)
    is_proven = options.taxonomy == "proven"
    if options.dataset == "virtualhome":
        from validator.grading.eai.tasks.household import grade, household_prover
        from validator.grading.eai.tasks.virtualhome import load

        tasks = load(options.data, frozenset(identifiers))
        proving = remembering(household_prover, options.budget) if is_proven else None
        return lambda answer: grade(tasks[answer.identifier], answer.text, chosen, proving), set(tasks)
    if chosen:
        raise ValueError("--compat is for the dataset virtualhome: no grades of the others are recorded")
    from validator.grading.eai.tasks.pddl_tasks import grade_pddl, load_pddl, pddl_prover

    prover = remembering(pddl_prover, options.budget) if is_proven else None
    if options.dataset == "behavior":
        from validator.grading.eai.tasks.behavior import load_behavior, read_behavior

        rooms = readable(lambda some: load_behavior(options.data, some), identifiers)
        return lambda answer: grade_pddl(rooms[answer.identifier], answer.text, prover, read_behavior), set(rooms)
    problems = readable(lambda some: load_pddl(options.data, some), identifiers)
    return lambda answer: grade_pddl(problems[answer.identifier], answer.text, prover), set(problems)
