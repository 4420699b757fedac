"""The parser of the command: its errors name the nearest known word, below the usage of the command they are about."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, NoReturn

from validator.errors import did_you_mean

_SHORTEST = 80
"""columns of help where nothing says how many there are"""

_CHOICE = r"invalid choice: '(?P<given>.*)' \(choose from (?P<known>.*)\)$"
_OTHER_WORDS = {"validate": "check", "verify": "check", "val": "val-compat", "solve": "plan", "repair": "check"}
"""what others call a command"""


@cache
def _columns() -> int:
    """Return how wide help is printed, as ``shutil`` says it, whose import takes longer than the parsing."""
    with suppress(ValueError, OSError):
        return int(os.environ.get("COLUMNS", "")) or _SHORTEST
    with suppress(AttributeError, ValueError, OSError):
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or _SHORTEST  # type: ignore[union-attr]
    return _SHORTEST


class Help(argparse.RawDescriptionHelpFormatter):
    """Help with examples as they are written; a parser makes one for each of its options to look it over."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


class Parser(argparse.ArgumentParser):
    """A parser whose subcommands refuse what they do not know themselves."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"formatter_class": Help, **given})

    def error(self, message: str) -> NoReturn:
        """Print the usage and what is wrong, and exit with code 2."""
        if found := re.search(_CHOICE, message):
            given, known = found["given"], re.findall(r"[\w-]+", found["known"])
            if "check" in known:
                message = f"there is no command '{given}'{_command_meant(given, known)}"
            else:
                message += did_you_mean(given, known)
        super().error(message)

    def known(self, words: Sequence[str]) -> argparse.Namespace:
        """Return the options; what the named command does not know is an error of that command."""
        options, unknown = self.parse_known_args(words)
        if unknown:
            parser: Parser = getattr(options, "parser", self)
            names = list(parser._long_options())
            said = (f"{word}{_option_meant(word.partition('=')[0], names)}" for word in unknown)
            parser.error(f"unrecognized arguments: {', '.join(said)}")
        return options

    def _long_options(self) -> Iterator[str]:
        for action in self._actions:
            if action.help != argparse.SUPPRESS:
                yield from (name for name in action.option_strings if name.startswith("--"))


def _option_meant(given: str, names: Sequence[str]) -> str:
    """Return which option a word stands for: not one that switches off what it asks for, and nothing for a file."""
    if not given.startswith("--"):
        return ""
    return did_you_mean(given, [name for name in names if name.startswith("--no-") == given.startswith("--no-")])


def _command_meant(given: str, known: Sequence[str]) -> str:
    """Return which command a word stands for, or that files come behind one."""
    if given in _OTHER_WORDS:
        return f" (did you mean '{_OTHER_WORDS[given]}'?)"
    if os.path.exists(given):  # noqa: PTH110 -- pathlib takes longer than the parsing
        return f" (did you mean: plan-validator check {' '.join(sys.argv[1:])}?)"
    return did_you_mean(given, known)
