"""The options of a command, made of the question that it asks."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, TypeVar

from validator.questions.question import Face, Option, Question, Use, options_of
from validator.records.fields import MISSING

__all__ = ["add_options", "asked_by", "spelled"]

Asked = TypeVar("Asked", bound=Question)


def add_options(parser: argparse.ArgumentParser, kind: type[Question]) -> None:
    """Add an option for each field of a question that a command shows; those of flows alone stand in a group."""
    flows: Any = None
    for name, one in options_of(kind, Face.COMMAND):
        if Use.PDDL in one.uses:
            _add(parser, name, one)
            continue
        flows = flows or parser.add_argument_group("for flows")
        _add(flows, name, one)


def _add(parser: argparse.ArgumentParser, name: str, one: Option) -> None:
    words, default = one.told, one.default
    parse = str if one.parse is None else _typed(one.parse)
    if isinstance(default, bool):
        parser.add_argument(
            _flag(name, one), dest=name, action="store_false" if default else "store_true", help=one.off
        )
        return
    choices = None if one.choices is None else tuple(map(str, one.choices))
    shown = default is not MISSING and default is not None and "default:" not in words
    told = f"{words}; default: {default}" if shown else words
    parser.add_argument(
        _flag(name, one), dest=name, type=parse, choices=choices, default=default, metavar=one.metavar, help=told
    )


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


def asked_by(options: argparse.Namespace, kind: type[Asked], **given: Any) -> Asked:
    """Return the question that the options of a command ask, with what is ``given`` by other means."""
    values = {name: getattr(options, name) for name, _ in options_of(kind, Face.COMMAND)}
    for name, one in options_of(kind, Face.COMMAND):
        if one.choices is not None and values[name] is not None:
            values[name] = one.choices(values[name])
    return kind(**{**values, **given})


def spelled(kind: type[Question], name: str) -> str:
    """Return a field as a command writes it."""
    known = dict(options_of(kind, Face.COMMAND))
    return _flag(name, known[name]) if name in known else f"--{name}"
