"""``plan-validator eval planbench``: PlanBench's answers with our verdicts beside its own."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path

from validator.commands.grading.batch import add_grades, add_workers
from validator.commands.options import HAS, add_example, add_memory_limit, add_time_limit
from validator.questions.arguments import add_options
from validator.questions.check import LocalCheck

_EXAMPLE = """\
plan-validator eval planbench results --instances instances --configs configs --table
"""


def add_planbench(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "answers", nargs="+", type=Path, metavar="ANSWERS", help="files of responses or results, or folders of them"
    )
    parser.add_argument("--instances", type=Path, metavar="DIR", help="PlanBench's folder of PDDL instances")
    parser.add_argument("--configs", type=Path, metavar="DIR", help="PlanBench's folder of YAML files, one per domain")
    parser.add_argument(
        "--templates",
        type=Path,
        metavar="PATH",
        help="a YAML file that says how steps and objects are put into words, or a folder with one for each domain; "
        "default: the files of --configs",
    )
    add_grades(parser, ("task", "domain", "model"))
    add_options(parser, LocalCheck, only=("strict",))
    add_time_limit(parser, what="for each plan")
    add_memory_limit(parser)
    add_workers(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.grading.batch import Settings
    from validator.grading.batch.results import Results
    from validator.grading.planbench import Layout, grade_answers, read_answers
    from validator.grading.planbench.report import BY, render, table_text

    if options.table and options.format != "text":
        raise ValueError("--table prints text: leave out --format")
    layout = Layout(instances=options.instances, configs=options.configs, templates=options.templates)
    answers = list(read_answers(options.answers, layout))
    if bare := sum(answer.is_in_words and not answer.templates for answer in answers):
        which = f"answers to prompts in English ({bare:,} of {len(answers):,})"
        said = f"without --configs or --templates, {which} are read by the model's own names alone"
        print(f"plan-validator: {said}", file=sys.stderr)
    settings = Settings(
        repair=False, strict=options.strict, time_limit=options.time_limit, memory_limit=options.memory_limit
    )
    with nullcontext() if options.output is None else Results(options.output) as results:
        grades = grade_answers(
            answers, settings=settings, results=results, workers=options.workers, cluster=options.cluster
        )
    by = options.by or tuple(BY)
    sys.stdout.write(table_text(grades, by) if options.table else render(options.format, grades, by))
    return HAS
