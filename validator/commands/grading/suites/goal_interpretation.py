"""``plan-validator eval goal-interpretation``: grade the goals that models read from instructions."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validator.commands.options import HAS, add_answers, add_example

if TYPE_CHECKING:
    from validator.grading.eai.answers import Answer
    from validator.grading.eai.goals.interpretation import Interpretation

__all__ = ["add_arguments"]

_EXAMPLE = """\
plan-validator eval goal-interpretation --dataset virtualhome --data DIR --answers answers
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", choices=("virtualhome", "behavior"), required=True)
    add_answers(parser, "eai")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.grading.eai.answers import answer_files, read_answers
    from validator.grading.eai.output import write_json

    files = {model: read_answers(path) for model, path in answer_files(options.answers).items()}
    grade = _virtualhome if options.dataset == "virtualhome" else _behavior
    summaries, details = grade(options.data, files)
    for model, summary in summaries.items():
        if options.output is not None:
            folder = options.output / options.dataset / "evaluate_results" / "goal_interpretation" / model
            write_json(folder / "summary.json", summary)
            write_json(folder / "error_info.json", {grade.identifier: _detail(grade) for grade in details[model]})
    print(json.dumps(summaries, indent=2))
    return HAS


_Graded = tuple[dict[str, dict[str, Any]], dict[str, list["Interpretation"]]]


def _virtualhome(data: Path, files: dict[str, tuple[Answer, ...]]) -> _Graded:
    from validator.grading.eai.answers import known
    from validator.grading.eai.goals.interpretation import grade_virtualhome_goals, virtualhome_summary
    from validator.grading.eai.tasks.virtualhome import annotated

    tasks = annotated(data)
    summaries: dict[str, dict[str, Any]] = {}
    details: dict[str, list[Interpretation]] = {}
    for model, answers in files.items():
        chosen = [(answer, *known(tasks, answer.identifier, answer.source)) for answer in answers]
        details[model] = [
            grade_virtualhome_goals(answer.identifier, gold, names, answer.text) for answer, gold, names in chosen
        ]
        strict = [
            grade_virtualhome_goals(answer.identifier, gold, names, answer.text, strict=True)
            for answer, gold, names in chosen
        ]
        summaries[model] = {**virtualhome_summary(details[model]), "strict": virtualhome_summary(strict)}
    return summaries, details


def _behavior(data: Path, files: dict[str, tuple[Answer, ...]]) -> _Graded:
    from validator.grading.eai.answers import known
    from validator.grading.eai.goals.interpretation import behavior_summary, grade_behavior_goals
    from validator.grading.eai.tasks.behavior import read_conditions

    gold = read_conditions(data)
    details = {
        model: [
            grade_behavior_goals(each.identifier, known(gold, each.identifier, each.source), each.text)
            for each in answers
        ]
        for model, answers in files.items()
    }
    return {model: behavior_summary(grades) for model, grades in details.items()}, details


def _detail(grade: Interpretation) -> dict[str, Any]:
    kinds = {"node": grade.state, "edge": grade.relation, "action": grade.action}
    counts = {
        kind: {"true_positive": each.hits, "false_positive": each.false, "false_negative": each.missed}
        for kind, each in kinds.items()
    }
    return {"format_error": grade.fault, "hallucinated": list(grade.unknown), **counts}
