"""``plan-validator eval acpbench``: answers to questions about actions, change and plans, decided on the model."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

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
        help="ACPBench's data, or what 'plan-validator benchmark' made: a file or a folder; may be repeated",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="RESULTS", help="write a JSON line for each answer, for 'summary'"
    )
    parser.add_argument("--format", choices=("text", "csv", "json"), default="text", help="default: text")
    parser.add_argument("--table", action="store_true", help="only the counts, without the answers")
    parser.add_argument(
        "--by",
        action="append",
        choices=("task", "form", "model"),
        help="what the counts are by; may be repeated (default: task, form and model)",
    )
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.grading.acpbench.grades import BY, RENDER, counted, grade, read_answers, results
    from validator.grading.acpbench.questions import read_questions
    from validator.grading.summary import tables_text

    answers, wrong = read_answers(options.answers, list(read_questions(options.questions)))
    if wrong:
        print(f"{len(wrong):,} lines are no answers to these questions, the first: {wrong[0]}", file=sys.stderr)
    grades = [grade(answered) for answered in answers]
    if options.output is not None:
        options.output.write_text("".join(f"{line}\n" for line in results(grades)), encoding="utf-8")
    by = tuple(options.by or BY)
    sys.stdout.write(tables_text([counted(grades, by)]) if options.table else RENDER[options.format](grades, by))
    return HAS
