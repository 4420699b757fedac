"""Records that stand in statements: sections of TOML and INI, rows of SQL and CSV, requests of HTTP, protobuf's text.

[[steps]]                  [step1]             INSERT INTO plan (action, args)    POST /stack {"x": "a", "y": "b"}
action = "stack"           action=stack        VALUES ('stack', 'a b');           steps { action: "stack" args: "a"
args = ["a", "b"]          args=a b                                                       args: "b" }

They become mappings in the order of the text, as objects of JSON do. A kind of statements is read as a whole or not at
all: where one of them has no action, there are none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from csv import Error, reader
from itertools import pairwise
from urllib.parse import parse_qsl

from validator.reading.calls.keys import PLAN_ARGUMENTS, PLAN_NAMES, spelled
from validator.reading.plan import Span
from validator.reading.tokens.notations.values.value import Value, json_value

__all__ = ["statements"]

_MOST = 1_000_000
"""characters of a text in which statements are looked for"""


def statements(text: str, is_action: Callable[[str], object]) -> tuple[Value, ...]:
    """Return the records of the first kind of statements that a text has, as mappings; nothing without any."""
    if len(text) > _MOST:
        return ()
    for read in (_sections, _rows, _sheet, _printed, _messages):
        between = _NO_CHANGE if read is _rows else _NOTHING
        if found := tuple(read(text)):
            gaps = (text[one.span[1] : other.span[0]] for one, other in pairwise(found))
            return found if all(map(between.fullmatch, gaps)) else ()
    return tuple(_requests(text, is_action))


_NOTHING = re.compile(r"(?:\s|[\"'`,;}\]]|[#;][^\n]*+\n)*+")
"""what may stand between two records that follow each other"""
_NO_CHANGE = re.compile(r"(?:(?!\b(?:update|delete|drop|truncate)\b)[\s\S])*+", re.IGNORECASE)
"""the same between rows that are put into a table"""


def _text(said: str, span: Span) -> Value:
    return Value(said, "text", span)


# --- sections ------------------------------------------------------------------------------------

_SECTION = re.compile(r"^[^\S\n]*+\[{1,2}(?P<name>[\w.\- \"':]{1,80})\]{1,2}[^\S\n]*+(?:[#;][^\n]*+)?$", re.MULTILINE)
_PAIR = re.compile(
    r"[^\S\n]*+(?:\"(?P<quoted>[^\"\n]++)\"|(?P<key>[\w.-]++))[^\S\n]*+[=:][^\S\n]*+"
    r"(?:\"(?P<text>[^\"\n]*+)\"|'(?P<other>[^'\n]*+)'|(?P<list>\[[^\n]*+)|(?P<bare>[^\n#;]*+))[^\S\n]*+(?:[#;][^\n]*+)?"
)
_PASSED = re.compile(r"[^\S\n]*+(?:[#;][^\n]*+)?")
_COUNTED = re.compile(r"[\s\d._:\-\"']++\Z")


def _sections(text: str) -> Iterator[Value]:
    """Yield the sections that have an action, where all of the same name, but for numbers, have one."""
    heads = list(_SECTION.finditer(text)) if "=" in text else []
    ends = (*(head.start() for head in heads[1:]), len(text))
    found = [
        (_COUNTED.sub("", head["name"]), head.start(), _pairs(text, head.end() + 1, end))
        for head, end in zip(heads, ends, strict=False)
    ]
    steps = {name for name, _, pairs in found if _names_an_action(pairs)}
    sections = [(start, pairs) for name, start, pairs in found if name in steps]
    if all(_names_an_action(pairs) for _, pairs in sections):
        for start, pairs in sections:
            yield _mapping(pairs, (start, pairs[-1][1].span[1]))


def _names_an_action(pairs: Sequence[tuple[str, Value]]) -> bool:
    return any(spelled(key) in PLAN_NAMES for key, _ in pairs)


def _pairs(text: str, start: int, end: int) -> list[tuple[str, Value]]:
    found: list[tuple[str, Value]] = []
    while start < end:
        last = text.find("\n", start, end)
        last = end if last < 0 else last
        pair = _PAIR.fullmatch(text, start, last)
        if pair is not None:
            group = next(name for name in ("text", "other", "list", "bare") if pair[name] is not None)
            span = pair.span(group)
            value = json_value(text, *span) if group == "list" else None
            found.append((pair["quoted"] or pair["key"], value or _text(pair[group].strip(), span)))
        elif _PASSED.fullmatch(text, start, last) is None:
            break
        start = last + 1
    return found


# --- SQL -----------------------------------------------------------------------------------------

_INSERT = re.compile(
    r"\bINSERT\s++INTO\s++[\w.`\"\[\]]++\s*+\((?P<columns>[^()]{1,1000})\)\s*+VALUES\s*+", re.IGNORECASE
)
_ROW = re.compile(r"\s*+,?\s*+\((?P<cells>(?:[^()'\"]|'(?:[^']|'')*+'|\"[^\"]*+\")*+)\)")
_CELL = re.compile(r"\s*+(?:'(?P<text>(?:[^']|'')*+)'|\"(?P<other>[^\"]*+)\"|(?P<bare>[^,'\"]*+))\s*+(?:,|\Z)")


def _rows(text: str) -> Iterator[Value]:
    """Yield the rows that a text puts into tables with named columns."""
    for insert in _INSERT.finditer(text):
        columns = [name.strip(" \t\n`\"[]'") for name in insert["columns"].split(",")]
        place = insert.end()
        while (row := _ROW.match(text, place)) is not None:
            cells = list(_cells(row))
            if len(cells) == len(columns):
                pairs = ((name, cell) for name, cell in zip(columns, cells, strict=True) if cell.text.upper() != "NULL")
                yield Value(tuple(pairs), "mapping", row.span("cells"))
            place = row.end()


def _cells(row: re.Match[str]) -> Iterator[Value]:
    start, end = row.span("cells")
    while start < end and (cell := _CELL.match(row.string, start, end)) is not None:
        group = next(name for name in ("text", "other", "bare") if cell[name] is not None)
        said = cell[group].replace("''", "'").strip()
        value = json_value(row.string, *cell.span(group)) if said[:1] in ("[", "{") else None
        yield value or _text(said, cell.span(group))
        start = cell.end()


# --- CSV -----------------------------------------------------------------------------------------

_HEAD = re.compile(
    r"^[^\S\n]*+(?:[\w \"]{1,40}(?P<sign>[,;\t])[^\S\n]*+){0,9}\"?action(?:[_ ]name)?\"?(?:[,;\t][\w \"]{1,40}){0,9}$",
    re.MULTILINE | re.IGNORECASE,
)


def _sheet(text: str) -> Iterator[Value]:
    """Yield the rows below a head that has a column of actions and one of arguments, or of times or numbers."""
    head = _HEAD.search(text)
    sign = None if head is None else next((sign for sign in head[0] if sign in ",;\t"), None)
    if head is None or sign is None:
        return
    names = [name.strip(' "').lower() for name in head[0].split(sign)]
    if not any(spelled(name) in PLAN_ARGUMENTS or spelled(name) in _BESIDE for name in names):
        return
    place = head.end() + 1
    while place < len(text):
        end = text.find("\n", place)
        end = len(text) if end < 0 else end
        try:
            cells = next(reader([text[place:end]], delimiter=sign, skipinitialspace=True), [])
        except Error:  # a cell over its limit
            return
        if spelled(names[-1]) in PLAN_NAMES:
            cells[len(names) - 1 :] = [sign.join(cells[len(names) - 1 :])]  # `take(b, d)` without quotes
        if len(cells) != len(names):
            break
        span = (place, end)
        yield _mapping([(name, _cell(cell.strip(), span)) for name, cell in zip(names, cells, strict=True)], span)
        place = end + 1


_BESIDE = ("time", "t", "start", "start_time", "end", "timestep", "step", "step_number", "index", "order", "no", "id")
"""columns in which rows say when, or as which one, their action is done"""


def _cell(said: str, span: Span) -> Value:
    return Value(said, "text", span, _NUMBER.fullmatch(said) is not None)


_NUMBER = re.compile(r"\d{1,30}+(?:\.\d{1,30}+)?")


# --- tables as pandas prints them ---------------------------------------------------------------

_NAMES = re.compile(
    r"^[^\S\n]++(?P<names>(?:\w++[^\S\n]++){0,9}?action(?:_name)?+(?:[^\S\n]++\w++){1,9}+)[^\S\n]*+$",
    re.MULTILINE | re.IGNORECASE,
)
_ABSENT = frozenset(("nan", "none", "nat", "<na>"))


def _printed(text: str) -> Iterator[Value]:
    """Yield the rows that count from 0 below a head that has a column of actions; what they lack is left out."""
    head = _NAMES.search(text)
    if head is None:
        return
    names = head["names"].lower().split()
    place = head.end() + 1
    for number, line in enumerate(text[place:].split("\n")):
        cells = line.split()
        if len(cells) != len(names) + 1 or cells[0] != str(number):
            return
        span = (place, place + len(line))
        pairs = zip(names, cells[1:], strict=True)
        yield _mapping([(name, _cell(cell, span)) for name, cell in pairs if cell.lower() not in _ABSENT], span)
        place = span[1] + 1


# --- protobuf ------------------------------------------------------------------------------------

_MESSAGE = re.compile(
    r"^[^\S\n]*+(?P<name>[a-z]\w*+)[^\S\n]*+:?[^\S\n]*+\{(?=[^\S\n]*+(?:\n|\w++[^\S\n]*+[:{]))", re.MULTILINE
)
_SIGN = re.compile(
    r"\s*+(?:#[^\n]*+\n\s*+)*+(?:\"(?P<text>(?:[^\"\\\n]|\\.)*+)\"|'(?P<other>(?:[^'\\\n]|\\.)*+)'|"
    r"(?P<word>[\w.+-]++)|(?P<sign>[{}:<>\[\],;]))"
)
_DEEPEST = 20


def _messages(text: str) -> Iterator[Value]:
    """Yield the outermost messages of protobuf's text format; of one that holds others of one name, these."""
    place = 0
    while (opening := _MESSAGE.search(text, place)) is not None:
        read = _message(text, opening.end(), 1)
        if read is None:
            place = opening.end()
            continue
        pairs, place = read
        span = (opening.start("name"), place)
        inner = [value for _, value in pairs if value.pairs() or any(item.pairs() for item in value.items())]
        is_around = len(inner) == 1 and not _names_an_action(pairs)
        yield from (inner[0].items() or inner) if is_around else (_mapping(pairs, span),)


def _mapping(pairs: Sequence[tuple[str, Value]], span: Span) -> Value:
    return Value(tuple(pairs), "mapping", span)


def _message(text: str, place: int, depth: int) -> tuple[list[tuple[str, Value]], int] | None:
    """Return the fields of a message and where it ends; those that are repeated are lists. None for anything else."""
    fields: dict[str, list[Value]] = {}
    while (sign := _SIGN.match(text, place)) is not None:
        place = sign.end()
        if sign["sign"] == "}":
            return [(key, _repeated(key, values)) for key, values in fields.items()], place
        if sign["sign"] in (",", ";"):
            continue
        if sign["word"] is None or (behind := _SIGN.match(text, place)) is None:
            return None
        if behind["sign"] == ":":
            value = _SIGN.match(text, behind.end())
            if value is None:
                return None
            behind = value
        if behind["sign"] == "{":
            inner = _message(text, behind.end(), depth + 1) if depth < _DEEPEST else None
            if inner is None:
                return None
            found, end = _mapping(inner[0], (sign.start("word"), inner[1])), inner[1]
        else:
            group = next((name for name in ("text", "other", "word") if behind[name] is not None), None)
            if group is None:
                return None
            found, end = _text(behind[group], behind.span(group)), behind.end()
        fields.setdefault(sign["word"], []).append(found)
        place = end
    return None


def _repeated(key: str, values: list[Value]) -> Value:
    """Return the values of a field as one; ``parameters { symbol: "a" }`` is as good as ``parameters: "a"``."""
    if spelled(key) in PLAN_ARGUMENTS:
        values = [value.pairs()[0][1] if len(value.pairs()) == 1 else value for value in values]
    if len(values) == 1:
        return values[0]
    return Value(tuple(values), "list", (values[0].span[0], values[-1].span[1]))


# --- HTTP ----------------------------------------------------------------------------------------

_REQUEST = re.compile(
    r"(?<![\w/])(?P<method>GET|POST|PUT|PATCH|DELETE)[^\S\n]++[\"']?(?:https?://[^\s/\"'?]++)?"
    r"(?P<path>/[^\s?\"']*+)(?:\?(?P<query>[^\s\"']++))?"
)
_BODY = re.compile(r"[^{}\[\]]{0,600}?(?=\{)")
_REFUSED = re.compile(r"\b(?:HTTP/[\d.]{1,4}[ ]|status(?:[ _]code)?\W{1,4}|(?:->|=>|→)[ ]*)[45]\d\d\b", re.IGNORECASE)


def _requests(text: str, is_action: Callable[[str], object]) -> Iterator[Value]:
    """Yield the requests whose paths end with an action; nothing where others change something, or one is refused."""
    requests = list(_REQUEST.finditer(text))
    if not requests or _REFUSED.search(text) is not None:
        return
    ends = [*(request.start() for request in requests[1:]), len(text)]
    found: list[Value] = []
    for request, end in zip(requests, ends, strict=True):
        name = request["path"].rstrip("/").rpartition("/")[2]
        if is_action(name):
            given = _body(text, request, end)
            last = request.end() if given is None else max(given.span[1], request.end())
            pairs = [("action", _text(name, request.span("path")))]
            found.append(
                Value((*pairs, *(() if given is None else (("args", given),))), "mapping", (request.start(), last))
            )
        elif request["method"] != "GET":
            return
    yield from found


def _body(text: str, request: re.Match[str], end: int) -> Value | None:
    """Return what is sent with a request: the first object behind it, or what stands in its address."""
    if request["query"]:
        span = request.span("query")
        return Value(tuple((key, _text(value, span)) for key, value in parse_qsl(request["query"])), "mapping", span)
    opening = _BODY.match(text, request.end(), end)
    if opening is None:
        return None
    body = json_value(text, opening.end(), end)
    if body is None:
        return None
    return next((value for key, value in body.pairs() if spelled(key) in PLAN_ARGUMENTS), body)
