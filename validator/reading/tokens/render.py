"""Printing plans: what ``tokenize`` reads back as the same plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from itertools import groupby

from validator.model.pddl.write import decimal
from validator.reading.plan import Constraint, Dialect, Plan, Step, Token

__all__ = ["render"]

_NUMBERED = r"(.+)_(\d+)"


def render(plan: Plan | Iterable[Token], dialect: Dialect = Dialect.PDDL) -> str:
    """Return a plan as text in a dialect.

    Raises ValueError for what the dialect cannot express: constraints and outputs outside of ``code``,
    times and durations outside of ``pddl``, concurrent steps without times outside of ``sets``, names with
    characters that the dialect gives a meaning. Unparsed tokens are printed as they were.
    """
    tokens = plan.tokens if isinstance(plan, Plan) else tuple(plan)
    for token in tokens:
        _check(token, dialect)
    return _PRINTERS[dialect](tokens)


def _check(token: Token, dialect: Dialect) -> None:
    if isinstance(token, Constraint) and dialect is not Dialect.CODE:
        raise ValueError(f"'{token}' cannot be written in the dialect {dialect}")
    if not isinstance(token, Step):
        return
    times = token.time is not None or token.duration is not None
    if (times and dialect is not Dialect.PDDL) or (token.outputs and dialect is not Dialect.CODE):
        raise ValueError(f"time, duration or outputs of {token} cannot be written in the dialect {dialect}")
    if token.concurrent is not None and dialect is not Dialect.SETS:
        raise ValueError(f"the set of concurrent steps with {token} cannot be written in the dialect {dialect}")
    name, argument = _NAMES[dialect]
    words = [(token.name, name), *((arg, argument) for arg in token.args), *((out, name) for out in token.outputs)]
    for word, pattern in words:
        if not re.fullmatch(pattern, word) or (dialect in _FOLDING and word.upper().lower() != word):
            raise ValueError(f"'{word}' cannot be written in the dialect {dialect}")


def _lines(write: Callable[[Step], str], numbered: bool = False) -> Callable[[Iterable[Token]], str]:
    """Return what prints a line for each token."""

    def printed(tokens: Iterable[Token]) -> str:
        lines = (write(token) if isinstance(token, Step) else str(token) for token in tokens)
        return "".join(f"[{number}] {line}\n" if numbered else f"{line}\n" for number, line in enumerate(lines))

    return printed


def _values(
    write: Callable[[Step, Callable[[object], str]], str], frame: str, between: str
) -> Callable[[Iterable[Token]], str]:
    """Return what prints the tokens as members of one value, each written with what writes JSON."""

    def printed(tokens: Iterable[Token]) -> str:
        import json

        values = partial(json.dumps, ensure_ascii=False)
        members = (write(token, values) if isinstance(token, Step) else str(token) for token in tokens)
        return f"{frame[0]}{between.join(members)}{frame[1]}\n"

    return printed


def _stamped(step: Step) -> str:
    stamp = "" if step.time is None else f"{decimal(step.time)}: "
    duration = "" if step.duration is None else f" [{decimal(step.duration)}]"
    return f"{stamp}{step}{duration}"


def _call(step: Step) -> str:
    return f"{step.name}({', '.join(step.args)})"


def _statement(step: Step) -> str:
    return f"{', '.join(step.outputs)} = {_call(step)}" if step.outputs else _call(step)


def _numbered(arg: str) -> tuple[str, ...]:
    match = re.fullmatch(_NUMBERED, arg)
    return (match[1], match[2]) if match else (arg,)


def _script(step: Step) -> str:
    return " ".join((f"[{step.name.upper()}]", *("<{}> ({})".format(*_numbered(arg)) for arg in step.args)))


def _sets(tokens: Iterable[Token]) -> str:
    def name(token: Token) -> str:
        return _call(token) if isinstance(token, Step) and token.args else getattr(token, "name", str(token))

    items = []
    for number, group in groupby(tokens, key=lambda token: getattr(token, "concurrent", None)):
        names = list(map(name, group))
        items += names if number is None else [f"{{{', '.join(names)}}}"]
    return f"{', '.join(items)}\n"


_PRINTERS: dict[Dialect, Callable[[Iterable[Token]], str]] = {
    Dialect.PDDL: _lines(_stamped),
    Dialect.FUNCTIONAL: _lines(_call),
    Dialect.CODE: _lines(_statement, numbered=True),
    Dialect.WORDS: _lines(lambda step: str(step)[1:-1]),
    Dialect.VIRTUALHOME: _lines(_script),
    Dialect.EAI_OBJECT: _values(
        lambda step, json: f"{json(step.name.upper())}: {json([part for arg in step.args for part in _numbered(arg)])}",
        "{}",
        ", ",
    ),
    Dialect.EAI_LIST: _values(
        lambda step, json: json({"action": step.name.upper(), "object": ", ".join(step.args)}), "[]", ", "
    ),
    Dialect.JSON: _values(lambda step, json: json({"action": step.name, "args": list(step.args)}), "[]", ",\n "),
    Dialect.SETS: _sets,
}

# What names and arguments look like that are read back as they were; all but calls and sets fold the case. Few are
# ever needed, and each is compiled, and kept, when it is. No call is named by a rule (`__`) or an item's number (`1.`).
_PDDL_NAME = r"[^\s();,]+"
_CALL_NAME = r"(?=\w)(?!__$|\d+(?:-$|\.(?!\d)))[^\s()\[\]{}<>,;:=\"'`*]+"
_CALL_ARGUMENT = r"[^\s(),;=\"']+"
_JSON_NAME = r"[^\s\"'\\]+"
_JSON_ARGUMENT = r"(?!\d+$)[^\s\"'\\,]+"
_JSON_TEXT = r"[^\s\\]+"
_SET_NAME = r"[^\s()\[\]{},;:=\"']+"
_SET_ARGUMENT = r"[^\s()\[\]{},;\"']+"
_NAMES = {
    Dialect.PDDL: (_PDDL_NAME, _PDDL_NAME),
    Dialect.FUNCTIONAL: (_CALL_NAME, _CALL_ARGUMENT),
    Dialect.CODE: (_CALL_NAME, _CALL_ARGUMENT),
    Dialect.WORDS: (r"[a-z][a-z0-9_-]*", r"[a-z0-9_-]+"),
    Dialect.VIRTUALHOME: (r"(?!(?:query_)?plan(?:_?end)?$)[a-z_]+", r"[^\s<>]+_\d+"),
    Dialect.EAI_OBJECT: (_JSON_NAME, _JSON_ARGUMENT),
    Dialect.EAI_LIST: (_JSON_NAME, _JSON_ARGUMENT),
    Dialect.JSON: (_JSON_TEXT, r"[^\s()\[\]{}\"',;\\]+"),
    Dialect.SETS: (_SET_NAME, _SET_ARGUMENT),
}
_FOLDING = frozenset((Dialect.PDDL, Dialect.WORDS, Dialect.VIRTUALHOME, Dialect.EAI_OBJECT, Dialect.EAI_LIST))
