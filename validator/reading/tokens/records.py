"""Steps out of values: the shapes in which agents and programs write a step, and lists of them.

A step is ``{"name": ..., "arguments": ...}`` under any of the usual keys, ``["stack", "a", "b"]``,
``{"stack": ["a", "b"]}``, or a text that is a step by itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from validator.reading.plan import Span, Step, Token, Unparsed
from validator.reading.tokens.lines import read_lines
from validator.reading.tokens.values import Value, json_values, rows_of_table, tags, yaml_values
from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["Found", "found_steps"]

_NAMES = (
    *("action", "name", "tool", "function", "tool_name", "action_name", "operator", "command", "op", "predicate"),
    "act",
)
_ARGUMENTS = (
    *("arguments", "args", "parameters", "params", "kwargs", "input", "inputs", "action_input", "tool_input"),
    *("objects", "object", "operands", "argument", "parameter"),
)
_WRAPPERS = ("function", "function_call", "functioncall", "call", "tool_call", "action", "step")
_LISTS = (
    "plan",
    "actions",
    "steps",
    "solution",
    "final_plan",
    "answer",
    "sequence",
    "tool_calls",
    "calls",
    "action_sequence",
)
_LIST_KEYS = re.compile(r"final|plan|actions|steps|solution|answer|sequence|calls", re.IGNORECASE)
_FORMAL = re.compile(r"\s*(?:\([^()]+\)|[\w-]+\([^()]*\))\s*")
_WORDS = re.compile(r"[\s,;]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A list of steps: its tokens in order, the span that it takes, and under which key it stands."""

    tokens: tuple[Token, ...]
    span: Span
    key: str = ""

    @property
    def steps(self) -> int:
        return sum(isinstance(token, Step) for token in self.tokens)


def found_steps(text: str, vocabulary: Vocabulary) -> list[Found]:
    """Return the lists of steps in the values of a text, in order; each names at least one action of the model."""
    return [one for one in _found(text, vocabulary) if not vocabulary.actions or _is_known(one, vocabulary)]


def _is_known(found: Found, vocabulary: Vocabulary) -> bool:
    return any(isinstance(token, Step) and token.name.lower() in vocabulary.actions for token in found.tokens)


def _found(text: str, vocabulary: Vocabulary) -> list[Found]:
    found: list[Found] = []
    for value in json_values(text):
        found += _lists(value, vocabulary)
    singles = [one for one in found if one.key == "single"]
    found = [one for one in found if one.key != "single"]
    if len(singles) > (0 if not found else 10**9):
        found.append(_joined(singles))
    if not found:
        found += (one for value in yaml_values(text) for one in _lists(value, vocabulary))
    if not found:
        rows = tags(text)
        tokens = tuple(token for row in rows if (token := _step(row, vocabulary)) is not None)
        if tokens:
            found.append(Found(tokens=tokens, span=(rows[0].span[0], rows[-1].span[1])))
    if not found:
        for table in rows_of_table(text):
            if table and any(name in _ARGUMENTS for name, _ in table[0].pairs()):
                read = [_step(row, vocabulary) or _unread(row, text) for row in table]
                found.append(Found(tokens=tuple(read), span=(table[0].span[0], table[-1].span[1])))
    return found


def _joined(singles: Sequence[Found]) -> Found:
    """Put records that stand one by one, as in JSON a line, together."""
    tokens = tuple(token for one in singles for token in one.tokens)
    return Found(tokens=tokens, span=(singles[0].span[0], singles[-1].span[1]))


def _unread(row: Value, text: str) -> Unparsed:
    reason = "a row with an action and its arguments was expected"
    return Unparsed(text=text[slice(*row.span)], reason=reason, span=row.span)


def _lists(value: Value, vocabulary: Vocabulary, key: str = "") -> list[Found]:
    """Return the lists of steps in a value, the whole of it or some part."""
    own = _as_list(value, vocabulary, key)
    if own is not None:
        return [own]
    found: list[Found] = []
    if value.kind == "mapping":
        single = _step(value, vocabulary)
        if isinstance(single, Step):
            return [Found(tokens=(single,), span=value.span, key="single")]
        for name, inner in value.pairs():
            found += _lists(inner, vocabulary, name.lower())
    for inner in value.items():
        found += _lists(inner, vocabulary, key)
    named = [one for one in found if _LIST_KEYS.search(one.key)]
    return named if named and value.kind == "mapping" else found


def _as_list(value: Value, vocabulary: Vocabulary, key: str) -> Found | None:
    items = value.items()
    if not items:
        return None
    if all(item.kind == "text" for item in items):
        return _texts(items, value, vocabulary, key)
    tokens = [_step(item, vocabulary) for item in items]
    read = sum(isinstance(token, Step) for token in tokens)
    if 2 * read < len(items) or not read:
        return None
    reason = "a step with a name and arguments was expected"
    whole = tuple(
        token if token is not None else Unparsed(text=_shown(item), reason=reason, span=item.span)
        for token, item in zip(tokens, items, strict=True)
    )
    return Found(tokens=whole, span=value.span, key=key)


def _texts(items: Sequence[Value], value: Value, vocabulary: Vocabulary, key: str) -> Found | None:
    """Read a list of texts, each of which is a step."""
    if not vocabulary.actions and not all(_FORMAL.fullmatch(item.text) for item in items):
        return None
    tokens: list[Token] = []
    for item in items:
        inner = read_lines(item.text, vocabulary, None).tokens
        start = item.span[0] + 1  # behind the quote
        if not inner or (len(inner) > 1 and item.span[1] - start <= len(item.text)):
            return None
        tokens += [_moved(token, _within(token, start) if len(inner) > 1 else item.span) for token in inner]
    names = {token.name.lower() for token in tokens if isinstance(token, Step)}
    if vocabulary.actions and names.isdisjoint(vocabulary.actions):
        return None
    return Found(tokens=tuple(tokens), span=value.span, key=key)


def _within(token: Token, start: int) -> Span:
    return (start + token.span[0], start + token.span[1])


def _moved(token: Token, span: Span) -> Token:
    return replace(token, span=span)


def _shown(value: Value) -> str:
    return value.text if value.kind == "text" else json.dumps(_plain(value))


def _plain(value: Value) -> object:
    if value.kind == "mapping":
        return {name: _plain(inner) for name, inner in value.pairs()}
    return [_plain(item) for item in value.items()] if value.kind == "list" else value.text


def _step(value: Value, vocabulary: Vocabulary) -> Step | Unparsed | None:
    """Return the step that a value is, or None."""
    if value.kind == "list":
        items = value.items()
        if items and all(item.kind == "text" for item in items) and vocabulary.action_of(items[0].text):
            return vocabulary.step(items[0].text, [item.text for item in items[1:]], value.span)
        return None
    if value.kind == "text":
        tokens = read_lines(value.text, vocabulary, None).tokens
        return _moved(tokens[0], value.span) if len(tokens) == 1 and isinstance(tokens[0], Step) else None  # type: ignore[return-value]
    pairs = {name.lower(): inner for name, inner in value.pairs()}
    return _named(pairs, value.span, vocabulary) or _keyed(value, vocabulary)


def _named(pairs: dict[str, Value], span: Span, vocabulary: Vocabulary) -> Step | Unparsed | None:
    for key in _WRAPPERS:
        if key in pairs and pairs[key].kind == "mapping":
            return _named({name.lower(): inner for name, inner in pairs[key].pairs()}, span, vocabulary)
    name = next((pairs[key] for key in _NAMES if key in pairs and pairs[key].kind == "text"), None)
    if name is None or not name.text.strip():
        return None
    arguments = next((pairs[key] for key in _ARGUMENTS if key in pairs), None)
    if arguments is None:
        action = vocabulary.action_of(name.text)
        if action is not None:
            wanted = vocabulary.parameters.get(action, ())
            given = {key: inner.text for key, inner in pairs.items() if key in wanted and inner.kind == "text"}
            return vocabulary.step(name.text, given, span)
        inner = read_lines(name.text, vocabulary, None).tokens
        return _moved(inner[0], span) if len(inner) == 1 and isinstance(inner[0], Step) else None  # type: ignore[return-value]
    return vocabulary.step(name.text, _arguments(arguments), span)


def _arguments(value: Value) -> list[str] | dict[str, str]:
    if value.kind == "mapping":
        pairs = value.pairs()
        if len(pairs) == 1 and pairs[0][0].lower() in _ARGUMENTS and pairs[0][1].kind == "list":
            return _arguments(pairs[0][1])
        return {name: _flat(inner) for name, inner in pairs}
    if value.kind == "list":
        items = value.items()
        if items and all(item.kind == "mapping" for item in items):
            named = [dict(item.pairs()) for item in items]
            if all("value" in one for one in named):
                return [_flat(one["value"]) for one in named]
        return [_flat(item) for item in items]
    text = value.text.strip()
    if text[:1] in ("{", "["):
        inner = next(json_values(text), None)
        if inner is not None:
            return _arguments(inner)
    return [word for word in _WORDS.split(text.strip("()")) if word]


def _flat(value: Value) -> str:
    return value.text.strip() if value.kind == "text" else " ".join(_flat(item) for item in value.items())


def _keyed(value: Value, vocabulary: Vocabulary) -> Step | Unparsed | None:
    """Read ``{"stack": ["a", "b"]}``, the key a known action."""
    pairs = value.pairs()
    if len(pairs) != 1 or not vocabulary.action_of(pairs[0][0]):
        return None
    return vocabulary.step(pairs[0][0], _arguments(pairs[0][1]), value.span)
