"""``plan-validator benchmark``: make a benchmark of a domain: problems that nobody has seen, prompts, proven keys."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from validator.commands.options import HAS, UNREADABLE, add_example, add_templates

if TYPE_CHECKING:
    from validator.grading.acpbench.benchmark import Benchmark
    from validator.grading.acpbench.fresh import Fresh

_EXAMPLE = """\
plan-validator benchmark domains/blocks/domain.pddl --instances 2 --steps 3-5 -o fresh
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("domain", metavar="DOMAIN", type=Path, help="PDDL domain file")
    parser.add_argument(
        "problem", metavar="PROBLEM", type=Path, nargs="?", help="an example; default: problem.pddl beside the domain"
    )
    parser.add_argument(
        "--instances", type=_count, default=0, metavar="N", help="fresh problems; default: ask about the example itself"
    )
    parser.add_argument(
        "--steps", type=_range, default=range(2, 9), metavar="A-B", help="length of their shortest plans; default: 2-8"
    )
    parser.add_argument(
        "--task",
        action="append",
        choices=("app", "prog", "reach", "areach", "val", "just", "land", "nexta", "plan"),
        help="what is asked, in ACPBench's names, or a plan; may be repeated; default: all",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed makes the same; default: 0")
    add_templates(parser)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="where the files are written")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def _range(text: str) -> range:
    least, _, most = text.partition("-")
    found = range(int(least), int(most or least) + 1)
    if found.start < 1 or not found:
        raise argparse.ArgumentTypeError(f"'{text}' is no range of steps such as 3-5")
    return found


def run(options: argparse.Namespace) -> int:
    from validator.grading.acpbench.benchmark import make_benchmark
    from validator.grading.acpbench.questions import Task
    from validator.grading.acpbench.space import TooLargeError
    from validator.texts import read_text

    problem = options.problem or options.domain.with_name("problem.pddl")
    try:
        made = make_benchmark(
            read_text(options.domain),
            read_text(problem),
            number=options.instances,
            steps=options.steps,
            tasks=[Task(name) for name in dict.fromkeys(options.task)] if options.task else tuple(Task),
            seed=options.seed,
            templates="" if options.templates is None else read_text(options.templates),
        )
    except (TooLargeError, ValueError) as error:
        print(f"no questions are made of {options.domain}: {error}", file=sys.stderr)
        return UNREADABLE
    _write(options.output, made)
    sys.stdout.write(_told(made))
    return HAS


def _write(folder: Path, made: Benchmark) -> None:
    from validator.grading.acpbench.questions import group_of, question_value

    folder.mkdir(parents=True, exist_ok=True)
    for problem in made.problems:
        (folder / f"{problem.name}.pddl").write_text(problem.text, encoding="utf-8")
    asked = ({"id": each.id, "group": group_of(each), "prompt": each.prompt} for each in made.questions)
    for name, values in (("questions", map(question_value, made.questions)), ("prompts", asked)):
        lines = (json.dumps(value, ensure_ascii=False) + "\n" for value in values)
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")


def _told(made: Benchmark) -> str:
    from collections import Counter

    from validator.grading.acpbench.benchmark import FORMS
    from validator.grading.summary.tables import Table, tables_text

    kept = Counter((question.task, question.form) for question in made.questions)
    asked = [(task, form) for task in FORMS for form in FORMS[task] if kept[task, form] or made.left_out[task, form]]
    rows = tuple((*names, kept[names], made.left_out[names]) for names in asked)
    columns = ("task", "form", "questions", "left out: no proof")
    lengths = ", ".join(map(_length, made.problems))
    reasons = "".join(f"; {count} tried and not kept: {reason}" for reason, count in sorted(made.not_kept.items()))
    head = f"{len(made.problems)} problems, steps of their shortest plans: {lengths or '-'}{reasons}\n"
    return head + tables_text([Table(title="Questions", columns=columns, rows=rows, keys=2)])


def _length(problem: Fresh) -> str:
    if problem.steps is None:
        return "no plan is known"
    return str(problem.steps) if problem.proven else f"at most {problem.steps}"
