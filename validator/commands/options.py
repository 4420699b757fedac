"""What several subcommands share: arguments, the reading of standard input, exit codes."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import BinaryIO, TextIO

from validator.alarms import LONGEST, OutOfTime, alarm
from validator.commands.parser import Help
from validator.errors import InputError, ModelError, PlannerError
from validator.grounding.limits import hard_limit, left_until, program_limit
from validator.resources import is_bounded
from validator.texts import decode, decode_plan, no_path, read_written_plan

HAS, HAS_NOT, UNREADABLE, NO_ANSWER = 0, 1, 2, 3

_FLOWS = frozenset((".json", ".yaml", ".yml"))

_TO_TELL = 0.2
"""seconds in which what is known is told, whatever time the rest took; more than most reports need"""
_MOST_WORKERS = 4096
LARGEST = 2**62  # bytes: what a limit of the system takes


def add_example(parser: argparse.ArgumentParser, commands: str) -> None:
    """Show commands, one per line, below the help; files of ``domains`` are those of the checkout."""
    parser.formatter_class = Help
    shown = "".join(f"  {line}\n" for line in commands.splitlines())
    parser.epilog = f"example:\n{shown}"


def add_time_limit(parser: argparse.ArgumentParser, *, what: str = "") -> None:
    """Add the limit of a command, or of each thing that it does, told by ``what``."""
    told = f"seconds {what}".rstrip()
    parser.add_argument("--time-limit", type=positive, default=30.0, metavar="S", help=f"{told}; default: 30")


def within_limit(run: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """Let a command that has one limit for all it does keep it, while its files are read too."""

    @wraps(run)
    def limited(options: argparse.Namespace) -> int:
        with in_time(options):
            return run(options)

    return limited


@contextmanager
def in_time(options: argparse.Namespace, without: str = "no answer") -> Iterator[None]:
    """End what is inside at the time limit, which counts from the begin of the process, but for ``waiting``.

    Raises PlannerError that says ``without`` what there is then, where something does not look at the clock.
    """
    with _until(options, left_until(options.begun + program_limit(options.time_limit)), without):
        yield


@contextmanager
def waiting(options: argparse.Namespace, *names: str) -> Iterator[None]:
    """Leave what is inside out of the limit where one of the files that are read there is standard input."""
    if "-" not in names:
        with in_time(options, "no answer: a file was still being read"):
            yield
        return
    before = time.monotonic()
    yield
    options.begun += time.monotonic() - before


@contextmanager
def telling(options: argparse.Namespace, known: str) -> Iterator[None]:
    """Let a report be written in time, for which there is a little in any case; ``known`` is said where that fails.

    It ends sooner than the rest: a page of a hundred megabytes is not gone at once.
    """
    seconds = max(left_until(options.begun + hard_limit(options.time_limit)), _TO_TELL)
    without = f"{known}; it is not written as {options.format}"
    try:
        with _until(options, seconds, without):
            yield
    except (ImportError, MemoryError, SyntaxError) as error:  # half a file is none of Python's
        if not isinstance(error, MemoryError) and not is_bounded():
            raise
        raise PlannerError(f"{without}: the memory that this process may have was used up") from None


@contextmanager
def _until(options: argparse.Namespace, seconds: float, without: str) -> Iterator[None]:
    try:
        with alarm(seconds, is_last=options.is_last):
            yield
    except OutOfTime:
        raise PlannerError(f"{without}: the time limit of {options.time_limit:g} s was met") from None


def left(options: argparse.Namespace) -> float:
    """Return the seconds that are left of the limit: a little is, for what is told in any case."""
    return left_until(options.begun + options.time_limit)


def add_memory_limit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--memory-limit", type=size, default=4 * 2**30, metavar="SIZE", help="for each planner, such as 4G; default: 4G"
    )


def is_flow(name: str) -> bool:
    """Return whether a model's file is a flow, by its ending."""
    return Path(name).suffix.lower() in _FLOWS


def refuse_other_model(model: Sequence[str], usage: str) -> None:
    """Raise ValueError for a flow beside a problem, and for PDDL, by its ending, without one."""
    if len(model) == 2 and is_flow(model[0]):
        raise ValueError(f"{usage}; {model[0]} is a flow by its ending, and {model[1]} would be a problem")
    if len(model) == 1 and Path(model[0]).suffix.lower() == ".pddl":
        raise ValueError(f"{usage}; {model[0]} is PDDL by its ending, and one file is missing ('-': standard input)")


def positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < LONGEST:
        raise argparse.ArgumentTypeError(f"a positive number was expected, not {text!r}")
    return value


def count(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"a number from 1 was expected, not {text!r}")
    return number


def workers(text: str) -> int:
    number = count(text)
    if number > _MOST_WORKERS:
        raise argparse.ArgumentTypeError(f"a number from 1 to {_MOST_WORKERS} was expected, not {text!r}")
    return number


def size(text: str) -> int:
    units = {"k": 2**10, "m": 2**20, "g": 2**30}
    number, unit = (text[:-1], units[text[-1].lower()]) if text[-1:].lower() in units else (text, 1)
    try:
        found = int(float(number) * unit)
    except (ValueError, OverflowError):
        found = 0
    if not 0 < found < LARGEST:
        raise argparse.ArgumentTypeError(f"a size such as 4G was expected, not {text!r}")
    return found


def port(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
    if not 0 <= number < 2**16:
        raise argparse.ArgumentTypeError(f"a port from 0 to {2**16 - 1} was expected, not {text!r}")
    return number


def standard_input() -> BinaryIO:
    """Return what ``-`` stands for. Raises InputError where a caller has closed it."""
    if sys.stdin is None:
        raise InputError("standard input ('-') is closed")
    return sys.stdin.buffer


def model_file(name: str) -> str | Path:
    """Return a model's file, or the text on standard input for ``-``. Raises ModelError for one that is not UTF-8."""
    return no_path(decode(standard_input().read(), "<stdin>", ModelError)) if name == "-" else Path(name)


def read(name: str) -> str:
    """Return the text of a plan's file, or of standard input for ``-``; warn on standard error of what is not UTF-8."""
    if name == "-":
        text, warnings = decode_plan(standard_input().read(), "<stdin>")
    else:
        text, warnings = read_written_plan(Path(name))
    for each in warnings:
        print(f"warning: {each}", file=sys.stderr)
    return text


def one_input(*names: str) -> None:
    """Raise ValueError where standard input would be several files."""
    if names.count("-") > 1:
        raise ValueError("standard input ('-') can be one file only")


def shows_progress() -> bool:
    """Return whether to show how far a run is, on one line of a terminal that takes escape sequences."""
    return _takes_escapes(sys.stderr)


def has_color() -> bool:
    """Return whether to colour: on a terminal only, and never against NO_COLOR (no-color.org)."""
    return _takes_escapes(sys.stdout)


def _takes_escapes(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
