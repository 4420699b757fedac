"""The command ``plan-validator``: read, call one function, print.

Exit codes: 0 the plan has the quality; 1 it has not; 2 unreadable input or usage; 3 no answer (a limit, a planner
failure, a feature that is not executed).
"""

from __future__ import annotations

import argparse
import atexit
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path

from validator import __version__
from validator.alarms import OutOfTime
from validator.commands.options import NO_ANSWER, UNREADABLE
from validator.commands.parser import Parser
from validator.errors import PlannerError, ValidatorError, WorkerError
from validator.resources import is_bounded, not_installed
from validator.texts import file_meant

GROUPS = {
    "Check a plan": {
        "check": ("plans", "check a plan, and repair it"),
        "read": ("plans", "show a text beside the steps read from it"),
        "redundant": ("plans", "find steps of a valid plan that can be left out"),
        "compare": ("agents", "measure how similar plans are"),
        "apply": ("plans", "apply a diff to a plan or a domain"),
    },
    "Find and explain": {
        "plan": ("plans", "find a cheapest plan of a model or a flow"),
        "why-not": ("plans", "explain why a plan is not another one, and answer what-if questions"),
        "recognize": ("agents", "recognize the goal of observed steps, or complete them to a plan"),
        "repair-model": ("plans", "find the fewest edits of a domain that make plans valid"),
    },
    "Agents": {
        "calls": ("plans", "check whether a list of tool calls would run"),
        "adhere": ("agents", "measure how closely executed calls follow a plan"),
        "conform": ("agents", "check whether executed calls comply with a policy"),
        "policy": ("agents", "check the names in a policy, and write it in Cedar"),
        "guard": ("agents", "deny wrong calls before they reach an MCP server"),
        "repair-loop": ("agents", "let a language model draft a plan, and repair it"),
        "mcp": ("agents", "serve the checks to agents, as tools of the Model Context Protocol"),
    },
    "Many plans and benchmarks": {
        "batch": ("grading", "grade the plans of a JSONL file"),
        "summary": ("grading", "make a table of results by model or other tags"),
        "eval": ("grading", "grade answers of language models to a benchmark"),
        "generate-prompts": ("grading", "write the prompts for a benchmark's tasks"),
    },
    "Servers and editors": {
        "serve": ("agents", "serve the checks over HTTP, with a web page"),
        "lsp": ("tools", "run the language server for editors"),
        "val-compat": ("tools", "take VAL's arguments, and answer in its words"),
        "schema": ("tools", "print the JSON schema of all JSON outputs"),
    },
    "Files": {
        "domains": ("plans", "list the bundled models"),
    },
}
"""Task -> command -> the folder of ``validator/commands`` that has its module, and what it does."""

COMMANDS = {name: row for group in GROUPS.values() for name, row in group.items()}


_URL = r"(?:https?|ftp|file):/"
_BEGUN = 19
"""which of the fields of ``/proc/PID/stat`` behind the name is the time at which a process began, in ticks"""
_MOST_AGE = 2.0
"""seconds: a process that is older calls ``main`` itself, behind other work"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    if arguments is not None:
        return _answered(arguments)[0]
    # Ended from outside, a run takes the best it has and leaves nothing behind, as with Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    _write_anything()
    sys.unraisablehook = _unraisable
    try:
        # What ended the command holds all that was read: to let it go would take that apart, behind the limit.
        code, _held = _answered([*_called(sys.argv[0]), *sys.argv[1:]], _age())
    except Exception:  # a failure of this program, with which Python would end as with the verdict "has not"
        sys.excepthook(*sys.exc_info())
        code = NO_ANSWER
    _end(code)
    return code


def _answered(words: Sequence[str], starting: float | None = None) -> tuple[int, BaseException | None]:
    """Run the command, and return its exit code and what ended it otherwise, which is told.

    What the process took for ``starting`` is in the limit; None where it goes on behind the command.
    """
    try:
        return _ran(words, starting), None
    except BaseException as error:
        return _told_end(error), None if isinstance(error, MemoryError) else error


def _told_end(error: BaseException) -> int:
    """Say what ended a command, and return the exit code for that. Raises it where it is no end for users."""
    used_up = "no answer: the memory that this process may have was used up"
    match error:
        case PlannerError() | WorkerError():
            return _fail(error, NO_ANSWER)
        case ModuleNotFoundError() if (missing := not_installed(error)) is not None:
            return _fail(missing, NO_ANSWER)
        case ValidatorError() | ValueError():
            return _fail(error, UNREADABLE)
        case BrokenPipeError():
            # The reader has seen enough, as `| head` does; nothing more can be said to it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return UNREADABLE
        case OSError():
            return _fail(_told(error), UNREADABLE)
        case OutOfTime():  # it rang on the way out of what catches it
            return _fail("no answer: the time limit was met", NO_ANSWER)
        case MemoryError():
            return _fail(used_up, NO_ANSWER)
        case ImportError() | SyntaxError() if not isinstance(error, ModuleNotFoundError) and is_bounded():
            return _fail(used_up, NO_ANSWER)  # half a file is none of Python's
        case KeyboardInterrupt():
            return _fail("interrupted", NO_ANSWER)
        case _:
            raise error


def _ran(words: Sequence[str], starting: float | None) -> int:
    begun = time.monotonic() - (starting or 0.0)
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    parser = _parser(words)
    if not words:
        parser.print_help(sys.stderr)
        return UNREADABLE
    options = parser.known(words)
    options.begun, options.is_last = begun, starting is not None
    run: Callable[[argparse.Namespace], int] = options.run
    code = run(options)
    sys.stdout.flush()
    return code


def _age() -> float:
    """Return the seconds since this process began: on a busy machine it takes half a second to come here."""
    if sys.platform != "linux":
        return 0.0
    *_, fields = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")
    begun = int(fields.split()[_BEGUN]) / os.sysconf("SC_CLK_TCK")
    return min(max(time.clock_gettime(time.CLOCK_BOOTTIME) - begun, 0.0), _MOST_AGE)


def _end(code: int) -> None:
    """End this process at once.

    Python would wait for threads that do not look at the clock, and take all that was read apart, value by value.
    """
    with suppress(OSError, MemoryError):
        atexit._run_exitfuncs()
    leftovers = sys.modules.get("validator.grounding.processes.leftovers")
    if leftovers is not None:
        with suppress(OSError, MemoryError):  # the next start clears what is left
            leftovers.clear_own()
    with suppress(OSError, MemoryError):  # what could not be written has been told
        sys.stdout.flush()
    os._exit(code)


def _unraisable(error: sys.UnraisableHookArgs) -> None:
    """Say nothing of a destructor for which there was no memory: what that ends says so itself."""
    if not issubclass(error.exc_type, MemoryError):
        sys.__unraisablehook__(error)


def _called(program: str) -> Sequence[str]:
    """Return the words that the name stands for by which the program is called: that of one of VAL's programs."""
    name = Path(program).stem.lower()
    if name not in ("validate", "parser"):
        return ()
    from validator.commands.tools.val_compat import NAMES

    return NAMES[name]


def _write_anything() -> None:
    """Let no character end a run: files and pipes get UTF-8, and what a terminal cannot show is escaped.

    In UTF-8 that is half a surrogate pair, whose escape is the one of JSON. A stream that the caller has closed takes
    all that is written, so that the exit code is still the answer.
    """
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")


def _told(error: OSError) -> str:
    """Say what is wrong with a file, and for one that is not there which name in its folder is the nearest."""
    place = Path(os.fsdecode(error.filename)) if isinstance(error.filename, str | bytes) else None
    if place is None:
        return str(error.strerror or error)
    if isinstance(error, IsADirectoryError):
        return f"{place}: a file was expected, and this is a directory"
    if isinstance(error, FileNotFoundError) and re.match(_URL, str(place)):
        address = str(place).replace(":/", "://", 1)  # a path has no empty part
        return f"{address}: addresses are not read; download the file and give its path"
    near = ""
    if isinstance(error, FileNotFoundError) and place.parts[0] == "domains" and len(place.parts) > 1:
        near = f" (where the bundled ones are, 'plan-validator domains {place.parts[1]}' tells)"
    elif isinstance(error, FileNotFoundError):
        near = file_meant(place)
    return f"{place}: {error.strerror}{near}"


def _fail(error: object, code: int) -> int:
    print(f"plan-validator: {error}", file=sys.stderr)
    return code


def _parser(words: Sequence[str]) -> Parser:
    """Return the parser; of a command that is named alone, so that each starts as fast as if there were no other."""
    parser = Parser(
        prog="plan-validator",
        usage="%(prog)s [-h] [--version] COMMAND ...",
        description="Find what is wrong with a plan, and the smallest change that makes it right.",
        epilog=f"{_listed()}\n'plan-validator COMMAND --help' has an example of each.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", prog=parser.prog, help=argparse.SUPPRESS)
    for name in words[:1] if words and words[0] in COMMANDS else COMMANDS:
        group, about = COMMANDS[name]
        command = commands.add_parser(name, description=f"{about[0].upper()}{about[1:]}.")
        command.set_defaults(parser=command)
        if name in words:
            import_module(f"validator.commands.{group}.{name.replace('-', '_')}").add_arguments(command)
    return parser


def _listed() -> str:
    """Return the commands below what people come for."""
    lines = []
    for heading, commands in GROUPS.items():
        lines += [f"{heading}:", *(f"  {name:18}{about}" for name, (_, about) in commands.items()), ""]
    return "\n".join(lines)
