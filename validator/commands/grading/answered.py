"""What the suites of the Embodied Agent Interface share: answers read as far as they can be, runs, tables, files."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from validator.commands.options import HAS, UNREADABLE, workers
from validator.errors import InputError, ValidatorError

if TYPE_CHECKING:
    from validator.grading.eai.answers import Answer
    from validator.grading.eai.many import Grading

_Task = TypeVar("_Task")
_Grade = TypeVar("_Grade")

Answered = tuple[dict[str, tuple["Answer", ...]], int]
"""The answers by model, and the exit code: 2 when something could not be read and was left out."""


def add_format(parser: argparse.ArgumentParser) -> None:
    choices = ("json", "text", "csv", "latex", "html")
    parser.add_argument("--format", choices=choices, default="json", help="all models in one table; default: json")


def add_run(parser: argparse.ArgumentParser, number: int | None = None) -> None:
    shown = number or "one per core"
    parser.add_argument("--workers", type=workers, metavar="N", default=number, help=f"processes; default: {shown}")
    parser.add_argument(
        "--resume", action="store_true", help="go on with a run that was cut off: keep the grades in --output"
    )


def answered(
    options: argparse.Namespace, tasks: Collection[str] | None = None, named: Callable[[str], str] = lambda name: name
) -> Answered:
    """Read the answers; what is none, is there twice, or is for none of ``tasks`` (None: any) is told and left out.

    ``named`` says for which task an identifier stands. Raises InputError when nothing is left.
    """
    from validator.grading.eai.answers import answer_files, collect_answers

    found = {model: collect_answers(path, tasks, named) for model, path in answer_files(options.answers).items()}
    problems = [problem for each in found.values() for problem in each.problems]
    if not any(each.answers for each in found.values()):
        raise InputError(problems[0] if problems else "there is no answer", source="")
    for problem in problems:
        print(f"plan-validator: left out: {problem}", file=sys.stderr)
    return {model: each.answers for model, each in found.items() if each.answers}, UNREADABLE if problems else HAS


def readable(load: Callable[[Sequence[str]], Mapping[str, _Task]], identifiers: Sequence[str]) -> dict[str, _Task]:
    """Load tasks; those that cannot be read are told and left out. Raises ValidatorError when none can be."""
    from validator.grading.eai.graders import readable

    found, problems = readable(load, identifiers)
    if not found and problems:
        raise ValidatorError(next(iter(problems.values())))
    for problem in problems.values():
        print(f"plan-validator: {problem}", file=sys.stderr)
    return found


def results_folder(options: argparse.Namespace, dataset: str, module: str) -> Path:
    """Return where the benchmark's scripts look for the results of a module."""
    folder: Path = options.output / dataset / "evaluate_results" / module.replace("-", "_")
    return folder


def grade_answers(
    options: argparse.Namespace,
    kind: type[_Grade],
    grading: Grading[_Grade],
    settings: object,
    answers: Mapping[str, Sequence[Answer]],
    folder: Path | None,
    *,
    part: int = 60,
) -> tuple[dict[str, list[_Grade]], bool]:
    """Return the grades by model, and whether all answers have one; why others have none is told."""
    from validator.grading.eai.many import grade_all

    problems: list[str] = []
    graded = grade_all(
        kind,
        grading,
        settings,
        answers,
        part=part,
        workers=options.workers or os.cpu_count() or 1,
        place=None if folder is None else folder / "grades.jsonl",
        resume=options.resume,
        report=problems.append,
    )
    for problem in problems:
        print(f"plan-validator: {problem}", file=sys.stderr)
    return graded, not problems


def refuse_resume(options: argparse.Namespace) -> None:
    """Raise ValueError for ``--resume`` without ``--output``."""
    if options.resume and options.output is None:
        raise ValueError("--resume goes on with what is in --output: name it")


def write_results(folder: Path, files: Mapping[str, Mapping[str, Any]], lines: Iterable[str]) -> None:
    """Write the files of each model, by their names, and ``results.jsonl`` of all for ``summary``."""
    from validator.grading.eai.output import write_json

    for model, contents in files.items():
        for name, content in contents.items():
            write_json(folder / model / f"{name}.json", content)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def show(options: argparse.Namespace, title: str, summaries: Mapping[str, Mapping[str, Any]]) -> None:
    from validator.grading.eai.leaderboard import RENDER, leaderboard

    sys.stdout.write(RENDER[options.format](leaderboard(title, summaries), summaries))
