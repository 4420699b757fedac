"""``plan-validator eval action-sequencing``: grade the action sequences that models answered."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from validator.commands.options import HAS, add_answers, add_example, add_memory_limit, positive

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
        const="all",
        default="",
        metavar="DEFECTS",
        help="with defects of the benchmark: parsing, vocabulary, relations, identical, order; alone: all of them",
    )
    parser.add_argument(
        "--time-limit", type=positive, default=10.0, metavar="S", help="for each fault to be proven; default: 10"
    )
    add_memory_limit(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.grading.eai.answers import answer_files, check_identifiers, read_answers
    from validator.grading.eai.output import error_info, llm_results, sequencing_summary, write_json

    files = {model: read_answers(path) for model, path in answer_files(options.answers).items()}
    given = [answer for answers in files.values() for answer in answers]
    check_identifiers(given, _known(options))
    identifiers = dict.fromkeys(answer.identifier for answer in given)
    grade = _grader(options, tuple(identifiers))
    summaries = {}
    for model, answers in files.items():
        grades = [grade(answer) for answer in answers]
        summaries[model] = sequencing_summary(grades, percent=options.dataset == "virtualhome")
        if options.output is not None:
            folder = options.output / options.dataset / "evaluate_results" / "action_sequencing" / model
            write_json(folder / "summary.json", summaries[model])
            write_json(folder / "error_info.json", error_info(grades))
            write_json(folder / "log.json", llm_results(grades))
    print(json.dumps(summaries, indent=2))
    return HAS


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


def _grader(options: argparse.Namespace, identifiers: Sequence[str]) -> Callable[[Answer], Grade]:
    from validator.grading.eai.defects import defects
    from validator.grading.eai.sequencing.proven import remembering

    chosen = defects(options.compat)
    is_proven = options.taxonomy == "proven"
    if options.dataset == "virtualhome":
        from validator.grading.eai.tasks.household import grade, household_prover
        from validator.grading.eai.tasks.virtualhome import load

        tasks = load(options.data, frozenset(identifiers))
        proving = remembering(household_prover) if is_proven else None
        return lambda answer: grade(tasks[answer.identifier], answer.text, chosen, proving)
    if chosen:
        raise ValueError("--compat is for the dataset virtualhome: no grades of the others are recorded")
    from validator.grading.eai.tasks.pddl_tasks import grade_pddl, load_pddl, pddl_prover

    prover = remembering(pddl_prover) if is_proven else None
    if options.dataset == "behavior":
        from validator.grading.eai.tasks.behavior import load_behavior, read_behavior

        rooms = load_behavior(options.data, identifiers)
        return lambda answer: grade_pddl(rooms[answer.identifier], answer.text, prover, read_behavior)
    problems = load_pddl(options.data, identifiers)
    return lambda answer: grade_pddl(problems[answer.identifier], answer.text, prover)
