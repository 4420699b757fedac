"""One language for questions: a phrase such as ``(a) before (b)``, PDDL 3 such as ``(always (p))``, or JSON.

In JSON a question is ``{kind: arguments}``, in PDDL ``(kind arguments)``; the kinds and their phrases are in ``forms``.
In a phrase, a blank may stand where its words have ``-``. What is none of these is read as English.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Any

from validator.errors import InputError, did_you_mean
from validator.foils.language.asked import Asked
from validator.foils.language.english.read import made_in_words, read_english
from validator.foils.language.forms import FORMS
from validator.foils.questions import Question

__all__ = ["read_question"]


def read_question(given: str | Mapping[str, Any], asked: Asked) -> Question:
    """Read a question: a phrase, PDDL, or JSON as a text or a value.

    Raises InputError for what is none, with the place of a name that is not known.
    """
    said = _of_value(given) if isinstance(given, Mapping) else _of_text(given)
    if said is None:
        assert isinstance(given, str)
        return _in_english(given, asked)
    try:
        return _made(*said, asked)
    except InputError:
        with suppress(InputError):  # "why truck2?" has the form of a phrase, and speaks of no step
            question = _in_words(given, *said, asked)
            if question is not None:
                return question
        raise


def _in_words(given: str | Mapping[str, Any], kind: str, args: list[str], asked: Asked) -> Question | None:
    """Return a question whose steps, or all of it, are in words."""
    if FORMS[kind].is_of_steps and len(args) == len(FORMS[kind].takes):
        with suppress(InputError):
            return made_in_words(FORMS[kind], args, asked)
    return read_english(given, asked) if isinstance(given, str) else None


def _made(kind: str, args: list[str], asked: Asked) -> Question:
    form = FORMS[kind]
    if len(args) != len(form.takes):
        wanted = " ".join((kind, *form.takes))
        raise InputError(f"'{kind}' takes {len(form.takes)} arguments, got {len(args)}: {wanted}", source="question")
    return form.make(asked, args)


def _of_value(value: Mapping[str, Any]) -> tuple[str, list[str]]:
    if len(value) != 1:
        raise InputError(
            'a question as JSON is an object of one entry, such as {"must": "(move a b)"}', source="question"
        )
    ((kind, args),) = value.items()
    name = str(kind).replace("_", "-").replace(" ", "-").lower()
    if name not in FORMS:
        raise _unknown(str(kind))
    parts = args if isinstance(args, list | tuple) else [] if args is None or args is True else [args]
    if not all(isinstance(part, str | int | float) for part in parts):
        raise InputError(f"the arguments of '{kind}' are texts and numbers", source="question")
    return name, [str(part).strip() for part in parts]


def _unknown(said: str) -> InputError:
    first = re.match(r"[\w-]*", said.lower())
    hint = did_you_mean(first[0], FORMS) if first is not None and first[0] else ""
    return InputError(f"'{said}' is no question{hint}; there are {', '.join(FORMS)}", source="question")


def _in_english(text: str, asked: Asked) -> Question:
    question = read_english(text, asked)
    if question is None:
        raise _unknown(text.strip().rstrip("."))
    return question


def _of_text(text: str) -> tuple[str, list[str]] | None:
    """Return the kind and the arguments of a text that is JSON, PDDL or a phrase; None for another one."""
    stripped = text.strip().rstrip(".")
    if stripped.startswith("{"):
        try:
            value = json.loads(stripped)
        except ValueError as error:
            raise InputError(f"the question is no JSON: {error}", source="question") from None
        return _of_value(value)
    found = _matched(stripped)
    if found is None and stripped.startswith("(") and stripped.endswith(")"):
        found = _matched(stripped[1:-1].strip())
    return found


_HELD = "\x00"
_ARGUMENTS = {
    "STEP": rf"(\S+(?: or {_HELD}\d+{_HELD})*)",
    "N": r"(\d+)",
    "TIME": r"(\d+(?:\.\d+)?)",
    "COST": r"(\d+(?:\.\d+)?)",
}
"""how an argument looks, where it is not just any word"""


def _matched(text: str) -> tuple[str, list[str]] | None:
    """Return the kind and the arguments of a text that is one of the phrases."""
    flat, groups = _flat(text)
    for kind, pattern, order in _phrases():
        found = pattern.fullmatch(flat)
        if found is not None:
            args = [""] * len(order)
            for place, number in enumerate(order):
                args[number] = re.sub(f"{_HELD}(\\d+){_HELD}", lambda held: groups[int(held[1])], found[place + 1])
            return kind, args
    return None


def _flat(text: str) -> tuple[str, list[str]]:
    """Return a text with what stands in parentheses replaced by numbers, and these parts."""
    flat: list[str] = []
    groups: list[str] = []
    depth, start = 0, 0
    for place, sign in enumerate(text):
        if sign == "(":
            start = place if depth == 0 else start
            depth += 1
        elif sign == ")":
            depth -= 1
            if depth < 0:
                break
            if depth == 0:
                flat.append(f"{_HELD}{len(groups)}{_HELD}")
                groups.append(text[start : place + 1])
        elif depth == 0:
            flat.append(sign)
    if depth:
        raise InputError("the parentheses do not match", source="question", text=text, offset=start)
    return " ".join("".join(flat).split()), groups


@cache
def _phrases() -> list[tuple[str, re.Pattern[str], list[int]]]:
    """Return the phrases as expressions, each with the numbers of its arguments in order."""
    found = []
    for kind, form in FORMS.items():
        plain = " ".join((kind, *(f"{{{number}}}" for number in range(len(form.takes)))))
        for phrase in (plain, *form.says):
            order = [int(number) for number in re.findall(r"\{(\d)\}", phrase)]
            text = re.escape(phrase).replace(r"\?", "?")
            for number, what in enumerate(form.takes):
                text = text.replace(f"\\{{{number}\\}}", _ARGUMENTS.get(what, r"(\S+)"))
            pattern = text.replace(r"\ ", r"[ ]").replace(r"\-", "[ -]")
            found.append((kind, re.compile(_hyphened(pattern), re.IGNORECASE), order))
    return found


def _hyphened(pattern: str) -> str:
    """Let a hyphen stand for the blank between two words of a phrase."""
    return re.sub(r"(?<=\w)\[ \](?=\w)", "[ -]", pattern)
