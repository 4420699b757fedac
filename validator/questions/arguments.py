"""The options of a command, made of the question that it asks."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, TypeVar

from validator.questions.question import Face, Option, Question, Use, options_of
from validator.records import MISSING

Asked = TypeVar("Asked", bound=Question)


def add_options(parser: argparse.ArgumentParser, kind: type[Question], only: Collection[str] = ()) -> None:
    """Add an option for each field of a question that a command shows; those of flows alone stand in a group.

    ``only`` are the fields that a command takes which asks the question many times.
    """
    flows: Any = None
    for name, one in options_of(kind, Face.COMMAND):
        if only and name not in only:
            continue
        if Use.PDDL in one.uses:
            _add(parser, name, one)
            continue
        flows = flows or parser.add_argument_group("for flows")
        _add(flows, name, one)


def add_former(parser: Any, former: str, now: str, **given: Any) -> None:
    """Take an option under the name that it had in the version before, which no help shows."""
    dest = now.removeprefix("--").replace("-", "_")
    parser.add_argument(former, **{"dest": dest, "default": argparse.SUPPRESS, "help": argparse.SUPPRESS, **given})


def _add(parser: Any, name: str, one: Option) -> None:
    given: dict[str, Any]
    if isinstance(one.default, bool):
        given = {"action": "store_false" if one.default else "store_true"}
        about = one.off
    else:
        choices = None if one.choices is None else tuple(map(str, one.choices))
        given = {"type": str if one.parse is None else _typed(one.parse), "choices": choices, "metavar": one.metavar}
        given |= {"action": "append"} if one.many else {}
        shown = one.default not in (MISSING, None, (), "") and "default:" not in one.told
        value = f"{one.default:g}" if isinstance(one.default, float) else one.default
        about = f"{one.told}; default: {value}" if shown else one.told
    default = None if one.many else one.default
    parser.add_argument(_flag(name, one), dest=name, default=default, help=about.replace("%", "%%"), **given)
    for former in one.was:
        add_former(parser, f"--{former}", name, **given)


def _typed(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a parser whose errors reach the user in its words."""

    def read(text: str) -> Any:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def _flag(name: str, one: Option) -> str:
    return f"--{one.flag or ('no-' if one.default is True else '') + name.replace('_', '-')}"


def question_of_options(options: argparse.Namespace, kind: type[Asked], **given: Any) -> Asked:
    """Return the question that the options of a command ask, with what is ``given`` by other means."""
    values = {}
    for name, one in options_of(kind, Face.COMMAND):
        value = getattr(options, name, one.default)
        if one.many:
            value = one.default if value is None else tuple(value)
        values[name] = value if one.choices is None or value is None else one.choices(value)
    return kind(**{**values, **given})


def shown_options(kind: type[Question]) -> Iterator[tuple[str, str]]:
    """Yield the options of a command as they are written, and what each is."""
    parser = argparse.ArgumentParser(add_help=False)
    add_options(parser, kind)
    for action in parser._actions:
        if action.help not in (None, argparse.SUPPRESS):
            choices = ",".join(action.choices or ())
            metavar = action.metavar or (f"{{{choices}}}" if choices else "")
            yield f"{action.option_strings[0]} {metavar}".strip(), str(action.help).replace("%%", "%")


def files_of(options: argparse.Namespace, kind: type[Question]) -> Iterator[tuple[str, Path]]:
    """Yield the files that options name, by their fields."""
    for name, _ in options_of(kind, Face.COMMAND):
        if isinstance(value := getattr(options, name, None), Path):
            yield name, value


def spelled(kind: type[Question], name: str) -> str:
    """Return a field as a command writes it."""
    known = dict(options_of(kind, Face.COMMAND))
    return _flag(name, known[name]) if name in known else f"--{name}"
