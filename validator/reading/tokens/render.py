"""Printing plans: what ``tokenize`` reads back as the same plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
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


def _pddl(tokens: Iterable[Token]) -> str:
    return "".join(f"{_stamped(token)}\n" for token in tokens)


def _stamped(token: Token) -> str:
    if not isinstance(token, Step):
        return str(token)
    stamp = "" if token.time is None else f"{decimal(token.time)}: "
    duration = "" if token.duration is None else f" [{decimal(token.duration)}]"
    return f"{stamp}{token}{duration}"


def _call(token: Token) -> str:
    return f"{token.name}({', '.join(token.args)})" if isinstance(token, Step) else str(token)


def _functional(tokens: Iterable[Token]) -> str:
    return "".join(f"{_call(token)}\n" for token in tokens)


def _code(tokens: Iterable[Token]) -> str:
    def line(token: Token) -> str:
        outputs = f"{', '.join(token.outputs)} = " if isinstance(token, Step) and token.outputs else ""
        return f"{outputs}{_call(token)}"

    return "".join(f"[{number}] {line(token)}\n" for number, token in enumerate(tokens))


def _words(tokens: Iterable[Token]) -> str:
    return "".join(f"{str(token)[1:-1] if isinstance(token, Step) else token}\n" for token in tokens)


def _numbered(arg: str) -> tuple[str, ...]:
    match = re.fullmatch(_NUMBERED, arg)
    return (match[1], match[2]) if match else (arg,)


def _virtualhome(tokens: Iterable[Token]) -> str:
    def line(token: Token) -> str:
        if not isinstance(token, Step):
            return str(token)
        objects = ("<{}> ({})".format(*_numbered(arg)) for arg in token.args)
        return " ".join((f"[{token.name.upper()}]", *objects))

    return "".join(f"{line(token)}\n" for token in tokens)


def _eai_object(tokens: Iterable[Token]) -> str:
    import json

    def pair(token: Token) -> str:
        if not isinstance(token, Step):
            return str(token)
        strings = [part for arg in token.args for part in _numbered(arg)]
        return f"{json.dumps(token.name.upper(), ensure_ascii=False)}: {json.dumps(strings, ensure_ascii=False)}"

    return f"{{{', '.join(map(pair, tokens))}}}\n"


def _eai_list(tokens: Iterable[Token]) -> str:
    import json

    def item(token: Token) -> str:
        if not isinstance(token, Step):
            return str(token)
        return json.dumps({"action": token.name.upper(), "object": ", ".join(token.args)}, ensure_ascii=False)

    return f"[{', '.join(map(item, tokens))}]\n"


def _sets(tokens: Iterable[Token]) -> str:
    def name(token: Token) -> str:
        return _call(token) if isinstance(token, Step) and token.args else getattr(token, "name", str(token))

    items = []
    for number, group in groupby(tokens, key=lambda token: getattr(token, "concurrent", None)):
        names = list(map(name, group))
        items += names if number is None else [f"{{{', '.join(names)}}}"]
    return f"{', '.join(items)}\n"


def _json(tokens: Iterable[Token]) -> str:
    import json

    def item(token: Token) -> str:
        if not isinstance(token, Step):
            return str(token)
        return json.dumps({"action": token.name, "args": list(token.args)}, ensure_ascii=False)

    return "[{}]\n".format(",\n ".join(map(item, tokens)))


_PRINTERS: dict[Dialect, Callable[[Iterable[Token]], str]] = {
    Dialect.PDDL: _pddl,
    Dialect.FUNCTIONAL: _functional,
    Dialect.CODE: _code,
    Dialect.WORDS: _words,
    Dialect.VIRTUALHOME: _virtualhome,
    Dialect.EAI_OBJECT: _eai_object,
    Dialect.EAI_LIST: _eai_list,
    Dialect.JSON: _json,
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
