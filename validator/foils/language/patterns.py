"""Steps as people see and type them, with open arguments: ``(move ?x a)``, ``move(_, a)``, ``move _ a``."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from validator.automata.constraints import Pattern, is_open
from validator.errors import InputError, did_you_mean
from validator.execution.simulator import Simulator
from validator.records import replace

__all__ = ["joined", "read_pattern", "shown"]

_JOINT = "\ue000"
"""what stands for a blank inside parentheses, so that a step or a condition is one word"""

_OR = re.compile(r"(?<=\))\s+or\s+(?=\()", re.IGNORECASE)
_WORD = re.compile(r"[^\s(),]+")


def read_pattern(text: str, simulator: Simulator, *, source: str = "") -> Pattern:
    """Read a step whose arguments may be open, or several with ``or`` between them; ``(_ a)`` is any step with ``a``.

    ``source`` names the place of the text for errors. Raises InputError for what is no step, an unknown name or object
    and a wrong number of arguments.
    """
    first, *others = (_read_one(each, simulator, source) for each in _OR.split(text))
    return replace(first, others=tuple(others))


def _read_one(text: str, simulator: Simulator, source: str) -> Pattern:
    objects = simulator.model.problem.objects

    def fail(message: str, offset: int) -> InputError:
        return InputError(message, source=source, text=text, offset=offset)

    words = list(_WORD.finditer(text))
    if not words or re.sub(r"[\s,()]", "", text) != "".join(word[0] for word in words) or not _balanced(text):
        raise fail("a step such as (move ?x a) or move(_, a) was expected", 0)
    first, *rest = words
    if first[0] == "_":
        return Pattern(name="_", args=tuple(_object(word, objects, fail) for word in rest))
    name = _known(first[0], simulator.ways)
    if name is None:
        raise fail(f"unknown step '{first[0]}'{did_you_mean(first[0].lower(), simulator.ways)}", first.start())
    number = len(simulator.model.domain.actions[simulator.ways[name][0]].parameters)
    if len(rest) != number:
        raise fail(f"'{name}' takes {number} arguments, got {len(rest)}; '_' stands for any", first.start())
    return Pattern(
        name=name, args=tuple(word[0] if is_open(word[0]) else _object(word, objects, fail) for word in rest)
    )


def _object(word: re.Match[str], objects: Collection[str], fail: Callable[[str, int], InputError]) -> str:
    arg = _known(word[0], objects)
    if arg is None:
        raise fail(f"unknown object '{word[0]}'{did_you_mean(word[0].lower(), objects)}", word.start())
    return arg


def _balanced(text: str) -> bool:
    """Return whether there are no parentheses, or one pair that ends the text."""
    stripped = text.strip()
    return stripped.count("(") == stripped.count(")") <= 1 and ("(" not in stripped or stripped.endswith(")"))


def _known(name: str, known: Collection[str]) -> str | None:
    """Return a known name in its own spelling, whatever case the text has."""
    if name in known:
        return name
    return next((each for each in known if each.lower() == name.lower()), None)


def joined(text: str) -> str:
    """Return a text with one blank between words, in which what stands in parentheses is one word.

    Raises InputError where the parentheses do not match.
    """
    depth, start, signs = 0, 0, list[str]()
    for place, sign in enumerate(text):
        start = place if sign == "(" and not depth else start
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            break
        signs.append(_JOINT if depth and sign.isspace() else sign)
    if depth:
        raise InputError("the parentheses do not match", source="question", text=text, offset=start)
    return " ".join("".join(signs).split())


def shown(text: str) -> str:
    """Return a joined text as it was written."""
    return text.replace(_JOINT, " ")
