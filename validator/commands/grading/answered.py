"""What the suites of the Embodied Agent Interface share: answers read as far as they can be, tables, exit codes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from validator.commands.options import HAS, UNREADABLE
from validator.errors import InputError, ValidatorError

if TYPE_CHECKING:
    from validator.grading.eai.answers import Answer

__all__ = ["Answered", "add_format", "answered", "readable", "show"]

_Task = TypeVar("_Task")

Answered = tuple[dict[str, tuple["Answer", ...]], int]
"""The answers by model, and the exit code: 2 when something could not be read and was left out."""


def add_format(parser: argparse.ArgumentParser) -> None:
    choices = ("json", "text", "csv", "latex", "html")
    parser.add_argument("--format", choices=choices, default="json", help="all models in one table; default: json")


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
    from validator.grading.eai.run import readable

    found, problems = readable(load, identifiers)
    if not found and problems:
        raise ValidatorError(problems[0])
    for problem in problems:
        print(f"plan-validator: {problem}", file=sys.stderr)
    return found


def show(options: argparse.Namespace, title: str, summaries: Mapping[str, Mapping[str, Any]]) -> None:
    from validator.grading.eai.leaderboard import RENDER, leaderboard

    sys.stdout.write(RENDER[options.format](leaderboard(title, summaries), summaries))
