"""What the suites share whose grades are made in processes, kept as they are made, and taken over by a later run."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validator.commands.options import workers

if TYPE_CHECKING:
    from validator.grading.eai.answers import Answer
    from validator.grading.eai.run import Settings
    from validator.grading.eai.sequencing import Grade

__all__ = ["add_run", "grade_answers", "results_folder", "write_grades"]


def add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--workers", type=workers, metavar="N", help="processes; default: one per core")
    parser.add_argument(
        "--resume", action="store_true", help="go on with a run that was cut off: keep the grades in --output"
    )


def results_folder(options: argparse.Namespace, settings: Settings) -> Path:
    folder: Path = options.output / settings.dataset / "evaluate_results" / settings.module.replace("-", "_")
    return folder


def grade_answers(
    options: argparse.Namespace, settings: Settings, files: Mapping[str, Sequence[Answer]]
) -> tuple[dict[str, list[Grade]], list[str]]:
    """Return the grades by model, and what could not be read, which is told.

    Raises ValueError for ``--resume`` without ``--output``.
    """
    from validator.grading.eai.run import Kept, grade_all

    if options.resume and options.output is None:
        raise ValueError("--resume goes on with what is in --output: name it")
    problems: list[str] = []
    processes = options.workers or os.cpu_count() or 1
    with ExitStack() as stack:
        kept = None
        if options.output is not None:
            path = results_folder(options, settings) / "grades.jsonl"
            kept = stack.enter_context(Kept(path, settings, resume=options.resume))
        graded = grade_all(settings, files, workers=processes, kept=kept, told=problems.append)
    for problem in problems:
        print(f"plan-validator: {problem}", file=sys.stderr)
    return graded, problems


def write_grades(
    folder: Path, settings: Settings, graded: Mapping[str, Sequence[Grade]], summaries: Mapping[str, Mapping[str, Any]]
) -> None:
    """Write the files of each model, and those of all for ``summary``."""
    from validator.grading.eai.goals.subgoals import category
    from validator.grading.eai.output import error_info, llm_results, result_lines, subgoal_info, write_json

    prefix = "scene_1_" if settings.dataset == "virtualhome" else ""
    is_subgoals = settings.module == "subgoal-decomposition"
    for model, grades in graded.items():
        faults = subgoal_info(grades, list(map(category, grades)), prefix) if is_subgoals else error_info(grades)
        write_json(folder / model / "summary.json", summaries[model])
        write_json(folder / model / "error_info.json", faults)
        write_json(folder / model / "log.json", llm_results(grades))
    lines = (line for model, grades in graded.items() for line in result_lines(model, settings.dataset, grades))
    (folder / "results.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
