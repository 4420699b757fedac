"""What several subcommands share: arguments, the reading of standard input, exit codes."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from validator.errors import PlanError

__all__ = [
    "HAS",
    "HAS_NOT",
    "NO_ANSWER",
    "UNREADABLE",
    "add_example",
    "add_memory_limit",
    "add_model",
    "add_plan",
    "add_time_limit",
    "has_color",
    "positive",
    "read",
    "size",
]

HAS, HAS_NOT, UNREADABLE, NO_ANSWER = 0, 1, 2, 3


def add_example(parser: argparse.ArgumentParser, commands: str) -> None:
    """Show commands, a line each, below the help; files of ``domains`` are those of the checkout."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    shown = "".join(f"  {line}\n" for line in commands.splitlines())
    parser.epilog = f"example:\n{shown}"


def add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("domain", metavar="DOMAIN", help="PDDL domain file")
    parser.add_argument("problem", metavar="PROBLEM", help="PDDL problem file")


def add_plan(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", help="plan file, '-' for standard input")


def add_time_limit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--time-limit", type=positive, default=30.0, metavar="S", help="seconds; default: 30")


def add_memory_limit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--memory-limit", type=size, default=4 * 2**30, metavar="SIZE", help="for each planner, as in 4G; default: 4G"
    )


def positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"a positive number was expected, not {text!r}")
    return value


def size(text: str) -> int:
    units = {"k": 2**10, "m": 2**20, "g": 2**30}
    number, unit = (text[:-1], units[text[-1].lower()]) if text[-1:].lower() in units else (text, 1)
    return int(positive(number) * unit)


def read(name: str) -> str:
    """Return the text of a file, or of standard input for ``-``. Raises PlanError for what is not UTF-8."""
    if name != "-":
        from validator.prepared import read_plan_text

        return read_plan_text(Path(name))
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte {error.start} is {error.object[error.start]:#04x}"
        raise PlanError(f"not UTF-8 text: {found}", source="<stdin>") from None


def has_color() -> bool:
    """Return whether to colour: on a terminal only, and never against NO_COLOR (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
