"""``plan-validator eval action-sequencing``: grade the action sequences that models answered."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validator.commands.grading.answered import add_format, answered, show
from validator.commands.options import UNREADABLE, add_answers, add_example, count, workers

if TYPE_CHECKING:
    from validator.grading.eai.answers import Answer
    from validator.grading.eai.many.graders import Settings
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
        help="with defects of the benchmark: published, seed0 (alone: this), seed3, 1.0.5, or a list of defects",
    )
    parser.add_argument(
        "--against", metavar="DEFECTS", help="list the tasks whose grades differ with other defects, and the defects"
    )
    parser.add_argument(
        "--budget", type=count, default=10_000, metavar="N", help="executed steps for each proof; default: 10,000"
    )
    parser.add_argument("--workers", type=workers, metavar="N", help="processes; default: one per core")
    parser.add_argument(
        "--resume", action="store_true", help="go on with a run that was cut off: keep the grades in --output"
    )
    add_format(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.grading.eai.many.graders import Settings, task_identifiers
    from validator.grading.eai.output import sequencing_summary

    settings = Settings(
        dataset=options.dataset,
        data=options.data,
        taxonomy=options.taxonomy,
        compat=options.compat,
        budget=options.budget,
    )
    if options.resume and options.output is None:
        raise ValueError("--resume goes on with what is in --output: name it")
    identifiers = task_identifiers(settings)
    files, code = answered(options, identifiers)
    if options.against is not None:
        _show_differences(options, files)
        return code
    graded, problems = _graded(options, settings, files)
    summaries = {
        model: sequencing_summary(grades, percent=options.dataset == "virtualhome", tasks=len(identifiers))
        for model, grades in graded.items()
    }
    if options.output is not None:
        _write(_folder(options), options.dataset, graded, summaries)
    show(options, f"Action sequencing, {options.dataset}", summaries)
    return UNREADABLE if problems else code


def _folder(options: argparse.Namespace) -> Path:
    folder: Path = options.output / options.dataset / "evaluate_results" / "action_sequencing"
    return folder


def _graded(
    options: argparse.Namespace, settings: Settings, files: Mapping[str, Sequence[Answer]]
) -> tuple[dict[str, list[Grade]], list[str]]:
    """Return the grades by model, and what could not be read, which is told."""
    from validator.grading.eai.many.kept import Kept
    from validator.grading.eai.many.run import grade_all

    problems: list[str] = []
    processes = options.workers or os.cpu_count() or 1
    with ExitStack() as stack:
        kept = None
        if options.output is not None:
            kept = stack.enter_context(Kept(_folder(options) / "grades.jsonl", settings, resume=options.resume))
        graded = grade_all(settings, files, workers=processes, kept=kept, told=problems.append)
    for problem in problems:
        print(f"plan-validator: {problem}", file=sys.stderr)
    return graded, problems


def _write(
    folder: Path, dataset: str, graded: Mapping[str, Sequence[Grade]], summaries: Mapping[str, Mapping[str, Any]]
) -> None:
    """Write the files of each model, and those of all for ``summary``."""
    from validator.grading.eai.output import error_info, llm_results, result_lines, write_json

    for model, grades in graded.items():
        write_json(folder / model / "summary.json", summaries[model])
        write_json(folder / model / "error_info.json", error_info(grades))
        write_json(folder / model / "log.json", llm_results(grades))
    lines = (line for model, grades in graded.items() for line in result_lines(model, dataset, grades))
    (folder / "results.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


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
