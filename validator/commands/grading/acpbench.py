"""``plan-validator eval acpbench``: answers to questions about actions, change and plans, decided on the model."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path

from validator.commands.grading.batch import add_grades, add_workers
from validator.commands.options import HAS, add_example

_EXAMPLE = """\
plan-validator eval acpbench answers.jsonl --questions dataset/app/dev.gen.json
"""


def add_acpbench(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "answers",
        nargs="+",
        type=Path,
        metavar="ANSWERS",
        help="JSON lines: samples of the LM evaluation harness, or objects with id, answer and model",
    )
    parser.add_argument(
        "--questions",
        action="append",
        type=Path,
        default=[],
        metavar="PATH",
        help="ACPBench's data: a file or a folder; may be repeated",
    )
    add_grades(parser, ("task", "form", "model"))
    add_workers(parser, "this process alone")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.grading.acpbench.grades import BY, counted, grade_answers, read_answers, render
    from validator.grading.acpbench.questions import read_questions
    from validator.grading.batch.results import Results
    from validator.grading.summary import tables_text

    answers, wrong = read_answers(options.answers, list(read_questions(options.questions)))
    if wrong:
        print(f"lines that are not answers to these questions: {len(wrong):,}; the first: {wrong[0]}", file=sys.stderr)
    with nullcontext() if options.output is None else Results(options.output) as results:
        number = options.workers or (0 if options.cluster is None else None)
        grades = grade_answers(answers, results=results, workers=number, cluster=options.cluster)
    by = tuple(options.by or BY)
    sys.stdout.write(tables_text([counted(grades, by)]) if options.table else render(options.format, grades, by))
    return HAS
