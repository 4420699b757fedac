"""One part of a message, by its structure: a text, a call that is asked for, an answer to one, or something else.

Models without an interface for tools write calls into their texts, which are read here as well: ReAct's form, and those
of ``calls.wire``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from validator.reading.arguments import Argument
from validator.reading.calls.objects import (
    RESULTS,
    CallRequest,
    by_spelling,
    failure,
    first_text,
    first_value,
    is_object,
    read_object,
    spelled,
)
from validator.reading.calls.wire import ANSWERS, begins_call, wire_calls
from validator.reading.calls.written import read_call
from validator.reading.traces.formats import formats, unwrapped
from validator.records import dataclass, field, replace
from validator.texts import shortened


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of a call; ``error`` is True, or what went wrong."""

    call_id: str | None = None
    name: str | None = None
    value: object = None
    error: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a part says: a text, or of one call that it is asked for, what came of it, or both.

    It is false where nothing was understood. ``raw`` is the part as it stands.
    """

    text: str | None = None
    call: CallRequest | None = None
    answer: Answer | None = None
    raw: object = field(default=None, repr=False)

    def __bool__(self) -> bool:
        return self.text is not None or self.is_of_call

    @property
    def is_of_call(self) -> bool:
        return self.call is not None or self.answer is not None


_TEXT = re.compile(r"(?:\w+_)?(?:text|thinking|reasoning|thought|refusal|summary)(?:_content)?|user_prompt")
_TEXT_KEYS = ("text", "thinking", "reasoning", "content", "summary", "refusal")
_ANSWER = re.compile(
    r"(?:\w+_)?(?:tool|function|mcp|shell|search|computer|execution|code)\w*_"
    r"(?:result|results|return|output|response|answer)s?(?:_content)?|observation|tool|retry_prompt|tool_execution"
)
_CALL = re.compile(
    r"(?:\w+_)?(?:tool|function|mcp|shell|computer|code_interpreter|web_search|file_search)_(?:call|use|request)s?"
    r"(?:_content)?"
    r"|function|dynamic_tool|tool_invocation"
)
_ANSWERED = ("tool_call_id", "tool_use_id", "call_id", "tool_call_ids", "source_call_id")
_IDENTITIES = frozenset(_ANSWERED)
_HOLDS = frozenset(("content", "result", "output"))
_ASKING = ("function_call", "tool_use", "tool_call")
_GIVEN = ("arguments", "input", "action", "queries", "code", "operation", "prompt")
_YIELDED = (*RESULTS, "results", "outputs")
_SAYS_KIND = ("type", "$type", "part_kind", "kind", "block_type", "content_type")


def read_part(part: object, *, is_call: bool = False) -> Part:
    """Return what a part of a message is; ``is_call`` says that it stands in a list of calls."""
    if isinstance(part, str):
        return Part(text=part)
    if not is_object(part):
        return Part()
    part, _ = unwrapped(part, "parts")
    written = str(next(filter(None, map(part.get, _SAYS_KIND)), ""))
    kind = spelled(written).replace(".", "_")  # as Mistral's conversations write it
    own = by_spelling(part)
    is_bare_answer = not kind and not is_call and not _IDENTITIES.isdisjoint(own) and "arguments" not in own
    if (not is_call and _ANSWER.fullmatch(kind)) or (is_bare_answer and not _HOLDS.isdisjoint(own)):
        return Part(answer=read_answer(part))
    asks = is_call or any(isinstance(own.get(key), Mapping) for key in _ASKING)
    if asks or kind in formats()["served"] or _CALL.fullmatch(kind):
        return _call(part, kind)
    if written.startswith("tool-") and "tool_call_id" in own:  # it names the tool, as a message for people shows it
        return _call({**part, "tool_name": written.removeprefix("tool-")}, "")
    return Part(text=first_text(own, _TEXT_KEYS) if not kind or _TEXT.fullmatch(kind) else None)


def _call(part: Mapping[str, object], kind: str) -> Part:
    call: CallRequest | str
    if kind in formats()["served"]:
        name, identity = part.get("name") or kind.removesuffix("_call"), first_value(part, ("call_id", "id"))
        identity = None if identity is None else str(identity)
        call = CallRequest(name=str(name), given=first_value(part, _GIVEN), call_id=identity)
    else:
        call = read_object({key: value for key, value in part.items() if key != "index"})  # its place in a stream
    if isinstance(call, str):
        return Part()
    own, inner = by_spelling(part), part.get("function")
    if first_value(own, _YIELDED) is None and isinstance(inner, Mapping):
        own = {**own, **by_spelling(inner)}
    value, failed = first_value(own, _YIELDED), failure(own)
    is_answered = value is not None or failed is not None or own.get("state") == "output-available"
    return Part(call=call, answer=Answer(value=value, error=failed) if is_answered else None)


def read_answer(part: Mapping[str, object]) -> Answer:
    """Return the answer that an object is which is known to be one."""
    own = by_spelling(part)
    identity = next((own[key] for key in (*_ANSWERED, "id") if own.get(key) not in (None, "", [])), None)
    if isinstance(identity, list):
        identity = identity[0] if identity else None
    return Answer(
        call_id=None if identity is None else str(identity),
        name=first_text(own, ("tool_name", "name")),
        value=as_text(first_value(own, ("content", *RESULTS))),
        error=own.get("part_kind") == "retry-prompt" or failure(own),
    )


def as_text(value: object) -> object:
    """Return the text that a list of parts is, ``[{"type": "text", "text": "sunny"}]``, or what is in an output."""
    if isinstance(value, Mapping) and set(value) == {"type", "value"}:
        return value["value"]
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping):
        text = value[0].get("text")
        if isinstance(text, str) and len(value[0]) <= 3:
            return text
    return value


def written_call(text: str) -> CallRequest | None:
    """Return the call that a text is as a whole: ``search(to="JFK")``."""
    written = read_call(text)
    if written is None:
        return None
    name, arguments = written[0], written[1] or ()
    named = {each.name: _plain(each) for each in arguments if each.name is not None}
    return CallRequest(name=name, given=named if len(named) == len(arguments) else list(map(_plain, arguments)))


def _plain(argument: Argument) -> object:
    """Return the value of an argument that is written without quotes: a number, a constant, else a text."""
    return argument.value if argument.is_string else replace(argument, is_string=False).value


def _label(words: str) -> str:
    return rf"[ \t*]{{0,9}}(?:{words})[ *]{{0,9}}(?:\d{{1,9}}[ *]{{0,9}})?:"


_REACT = re.compile(
    rf"^{_label('Action')}[ *]{{0,9}}(?P<does>[^\n]{{1,2000}})"
    rf"(?:\n{_label('Action[ _]Input')}(?P<given>.*?)(?=\n{_label('Observation|Thought|Action|Final Answer')}|\Z))?"
    rf"(?:\n{_label('Observation')}(?P<seen>.*?)(?=\n{_label('Thought|Action|Final Answer')}|\Z))?",
    re.DOTALL | re.MULTILINE,
)
_TURN = re.compile(rf"^{_label('Thought|Observation')}", re.MULTILINE)
_BRACKETS = re.compile(r"(?P<name>[^\W\d][\w.-]*)[ ]?\[(?P<given>[^\n\]]*)\]")
"""an action as Yao et al. (2023) write it, with one argument, or with names or numbers between commas"""
_LISTED = re.compile(
    r"(?!\d{1,3}(?:,\d{3})+\Z)(?:[^\s,\"']+|\"[^\"]*\"|'[^']*')(?:,\s*(?:[^\s,\"']+|\"[^\"]*\"|'[^']*'))+"
)
_NAMED = re.compile(r"\w+=[\"']")
_AROUND = " \t\n\r`*"
_MOST_CHARACTERS = 100_000
"""characters of a text in which calls are looked for"""


def _asked(does: str, given: str | None, *, may_be_written: bool) -> CallRequest | None:
    """Return the call of an action: a name with its input on the next line, or written as one."""
    if given is not None:
        return None if "(" in does or "[" in does else CallRequest(name=does, given=given.strip(_AROUND))
    if not may_be_written:
        return None
    match = _BRACKETS.fullmatch(does)
    if match is None or _LISTED.fullmatch(match["given"]) or _NAMED.match(match["given"]):
        return written_call(does if match is None else f"{match['name']}({match['given']})")
    return CallRequest(name=match["name"], given=match["given"])


def spoken(text: str) -> tuple[list[Part], list[str]]:
    """Return the calls that a text asks for, with answers that stand there too, and what begins one and is not read."""
    if len(text) > _MOST_CHARACTERS:
        return [], []
    found, missed = list[Part](), list[str]()
    is_react = _TURN.search(text) is not None  # elsewhere, actions written as calls may be a plan
    for match in _REACT.finditer(text):
        seen = (match["seen"] or "").strip()
        is_answered = seen or (match["seen"] is not None and match.end() < len(text.rstrip()))
        call = _asked(match["does"].strip(_AROUND), match["given"], may_be_written=is_react)
        if call is None:
            missed.append(f"the action {_short(match['does'])} was not understood")
        elif call.name.lower() not in ANSWERS:
            found.append(Part(call=call, answer=Answer(value=seen) if is_answered else None))
    missed = missed if found else []  # a text without calls may have actions that are none of tools
    told = wire_calls(text)
    unread = (each for each in told if each.call is None)
    missed += (f"a call that is said, {_short(text[slice(*each.span)])}, was not understood" for each in unread)
    if not told and not found and begins_call(text):
        missed.append(f"what begins a call in {_short(text)} was not understood")
    for each in told:
        answer = None if each.answer is None else Answer(value=text[slice(*each.answer)].strip())
        found += [Part(call=each.call, answer=answer)] if each.call is not None else []
    return found, missed


def _short(text: str) -> str:
    return repr(shortened(" ".join(text.split()), 60))


def answer_in(text: str) -> Answer | None:
    """Return the answer that a text of the user or of a tool is, or None."""
    said = text.strip()
    if said.startswith("<tool_response>") and said.endswith("</tool_response>"):
        return Answer(value=said.removeprefix("<tool_response>").removesuffix("</tool_response>").strip())
    head, sign, rest = said.partition(":")
    return Answer(value=rest.strip()) if sign and head.strip(_AROUND) == "Observation" else None
