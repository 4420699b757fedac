"""The plan of a chat that is given as values: what the model calls, or says where it calls nothing.

{"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": "{}"}}]}     OpenAI
{"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]}        Anthropic
{"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}                             Gemini
{"type": "ai", "data": {"content": "", "tool_calls": [{"name": "f", "args": {}, "id": "c1"}]}}        LangChain

What users, tools and the system say is no step. A call whose result is an error changed nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from validator.reading.calls.keys import spelled
from validator.reading.plan import Step, Token, Unparsed
from validator.reading.reading import Candidate
from validator.reading.tokens.around.marks import blanked
from validator.reading.tokens.around.transcripts import refuses
from validator.reading.tokens.candidates.candidate import candidate_of
from validator.reading.tokens.candidates.notation import by_notation
from validator.reading.tokens.candidates.values import of_values
from validator.reading.tokens.notations.records import Found, called
from validator.reading.tokens.notations.values.value import Value, json_values
from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["by_chat"]

_MAY_BE = re.compile(
    r"[\"']role[\"']\s*+:|[\"']type[\"']\s*+:\s*+[\"'](?:human|ai|system|tool)[\"']|[\"']kwargs[\"']\s*+:"
)
_MODEL = frozenset(("assistant", "model", "ai", "aimessage", "aimessagechunk", "agent"))
_OTHERS = frozenset(
    (
        *("user", "human", "system", "developer", "tool", "function", "humanmessage", "systemmessage", "toolmessage"),
        *("functionmessage", "environment", "observation"),
    )
)
_CALLS = ("tool_calls", "function_call", "tool_call")
_PARTS = ("content", "parts", "data", "kwargs")
_USED = ("tool_use", "function_call", "tool_call")
_IDENTITIES = ("tool_call_id", "tool_use_id", "call_id", "id")


def by_chat(text: str, known: Vocabulary) -> tuple[list[Candidate], tuple[str, ...]] | None:
    """Return the plans that a chat may mean, and what was passed over; None for a text that is none."""
    if not known.actions or _MAY_BE.search(text) is None:
        return None
    messages = _messages(tuple(json_values(text)))
    if not messages:
        return None
    refused = 0
    found: list[tuple[str, Token]] = []
    for message in messages:
        if _role(message) in _MODEL:
            found += _asked(message, known)
        else:
            for identity, is_error in _results(message):
                place = next((n for n, (own, _) in enumerate(found) if own == identity and own), len(found) - 1)
                if is_error and found and (not identity or found[place][0] in ("", identity)):
                    del found[place]
                    refused += 1
    if found:
        tokens = tuple(token for _, token in found)
        said = ["what is said in the chat beside its calls"]
        if refused:
            said.append(f"{refused} call{'s' * (refused > 1)} answered by an error: no change comes of that")
        span = (messages[0].span[0], messages[-1].span[1])
        return [candidate_of(of_values(Found(tokens=tokens, span=span), text))], tuple(said)
    return _as_said(text, messages, known)


def _as_said(text: str, messages: Sequence[Value], known: Vocabulary) -> tuple[list[Candidate], tuple[str, ...]] | None:
    """Return the plans of what a model says that calls nothing, the last first: each answer may have one."""
    spans = [
        one.span for message in messages if _role(message) in _MODEL for one in _texts(message) if one.text.strip()
    ]
    found: list[Candidate] = []
    for start, end in reversed(spans):
        inner = (start + 1, end - 1) if text[start] in "\"'" else (start, end)
        read = by_notation(text, blanked(text, [(0, inner[0]), (inner[1], len(text))]), known, None)
        found += (one for one in read if one.plan.steps and one.plan.tokens not in [each.plan.tokens for each in found])
    return (found, ("what others say in the chat",)) if found else None


def _messages(values: Sequence[Value]) -> tuple[Value, ...]:
    """Return the messages of a chat: the values themselves, or the first list of such inside of one."""
    if any(_role(value) in _MODEL for value in values) and all(_is_message(value) for value in values):
        return tuple(values)
    for value in values:
        inner = value.items() or tuple(one for _, one in value.pairs() if one.kind != "text")
        if inner and (found := _messages(inner if value.kind == "list" else ())):
            return found
        for one in inner if value.kind == "mapping" else ():
            if found := _messages((one,)):
                return found
    return ()


def _is_message(value: Value) -> bool:
    return _role(value) in _MODEL | _OTHERS or _own(value, "type") in (*_USED, "function_call_output", "reasoning")


def _own(value: Value, key: str) -> str:
    return next((inner.text for name, inner in value.pairs() if spelled(name) == key), "")


def _role(value: Value) -> str:
    """Return who speaks in a message; a call by itself is the model's."""
    names = [name for name, _ in value.pairs()]
    kind = _own(value, "type").lower()
    if kind == "constructor":  # as LangChain saves its objects
        listed = next((inner.items() for name, inner in value.pairs() if name == "id"), ())
        return listed[-1].text.lower() if listed else ""
    if kind in _USED:
        return "assistant"
    return (_own(value, "role") or (kind if {"content", "data"} & {*names} else "")).lower()


def _asked(value: Value, known: Vocabulary) -> Iterator[tuple[str, Token]]:
    """Yield the calls of a message in order, each with its identity."""
    if _own(value, "type") in _USED or any(spelled(name) == "function_call" for name, _ in value.pairs()):
        yield from ((_identity(value), _known(token, known)) for token in called(value, known))
        return
    for name, inner in value.pairs():
        if spelled(name) in _CALLS:
            for one in inner.items() or (inner,):
                yield from ((_identity(one), _known(token, known)) for token in called(one, known))
        elif spelled(name) in _PARTS and inner.kind != "text":
            for one in inner.items() or (inner,):
                yield from _asked(one, known)


def _known(token: Token, known: Vocabulary) -> Token:
    """Return a call; one that is no action of the model may as well look at the world, and is not understood."""
    if isinstance(token, Step) and token.name.lower() not in known.actions:
        return Unparsed(text=str(token), reason=f"the model has no action '{token.name}'", span=token.span)
    return token


def _identity(value: Value) -> str:
    return next((found for key in _IDENTITIES if (found := _own(value, key))), "")


def _results(value: Value) -> Iterator[tuple[str, bool]]:
    """Yield the results in a message: of which call each is, and whether it is an error."""
    kind = _own(value, "type")
    inner = next((one for name, one in value.pairs() if spelled(name) in ("data", "kwargs") and one.pairs()), value)
    if _role(value) in ("tool", "function", "toolmessage", "functionmessage") or kind in _RESULTS:
        said = " ".join(one.text for one in _texts(inner)) or _own(inner, "output")
        is_error = _own(inner, "is_error").lower() == "true" or _own(inner, "status").lower() == "error"
        yield _identity(inner), is_error or refuses(said)
        return
    for name, one in value.pairs():
        if spelled(name) in _PARTS and one.kind != "text":
            for part in one.items() or (one,):
                yield from _results(part)


_RESULTS = ("tool_result", "function_call_output")


def _texts(value: Value) -> Iterator[Value]:
    """Yield the texts that a message says."""
    for name, inner in value.pairs():
        if spelled(name) in ("content", "text") and inner.kind == "text":
            yield inner
        elif spelled(name) in _PARTS:
            for one in inner.items() or (inner,):
                yield from _texts(one)
