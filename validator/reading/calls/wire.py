"""Tool calls as models write them before a server reads them, and as frameworks print them.

Models, each with signs of its own around a name and a JSON object:
  <tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>                             Hermes, Qwen
  <tool_call><function=f><parameter=x>1</parameter></function></tool_call>                Qwen Coder
  <tool_call>f<arg_key>x</arg_key><arg_value>1</arg_value></tool_call>                    GLM
  <function=f>{"x": 1}</function>, <|python_tag|>{"name": "f", "parameters": {"x": 1}}    Llama
  [TOOL_CALLS][{"name": "f", "arguments": {"x": 1}}], [TOOL_CALLS]f[ARGS]{"x": 1}         Mistral
  <｜tool▁call▁begin｜>f<｜tool▁sep｜>{"x": 1}<｜tool▁call▁end｜>                             DeepSeek
  <|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"x": 1}<|tool_call_end|>   Kimi
  <|channel|>commentary to=functions.f <|message|>{"x": 1}<|call|>                        Harmony of gpt-oss
  <invoke name="f"><parameter name="x">1</parameter></invoke>                             Anthropic

Frameworks, which print what is answered behind each call:
  Invoking: `f` with `{'x': 1}`                                                           LangChain
  Calling function: f with args: {"x": 1}                                                 LlamaIndex, smolagents, MCP
  Action: ```json {"action": "f", "action_input": {"x": 1}}```                            LangChain's structured chat
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape

from validator.reading.arguments import Untyped
from validator.reading.calls.objects import CallRequest, read_object
from validator.reading.plan import Span
from validator.reading.values import value_at
from validator.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class WireCall:
    """A call of a text, where it stands, and ``answer``, where what it returned stands, if the text has that.

    ``call`` is None for what begins as a call does and could not be read.
    """

    span: Span
    call: CallRequest | None
    answer: Span | None = None


def wire_calls(text: str) -> tuple[WireCall, ...]:
    """Return the calls of a text, in its order; none where no call in one of these forms can be read."""
    if _BEGINS.search(text) is None:
        return ()
    blocks = _apart(text)
    if not any(block.calls for block in blocks):
        return ()
    ends = [*(block.span[0] for block in blocks[1:]), len(text)]
    return tuple(
        WireCall(span=block.span, call=call, answer=_answer(text, block, end))
        for block, end in zip(blocks, ends, strict=True)
        for call in block.calls or (None,)
        if call is None or call.name.lower() not in ANSWERS
    )


ANSWERS = frozenset(("finish", "final answer"))
"""what Yao et al. (2023) and LangChain call the action that answers, and calls no tool"""


def begins_call(text: str) -> bool:
    """Return whether something in a text begins as one of these forms does."""
    return _BEGINS.search(text) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """What one form tells: its calls, none of which is there where they cannot be read."""

    span: Span
    calls: tuple[CallRequest, ...]
    is_printed: bool = False
    """whether a framework printed it, so that all behind it is its answer"""


_BEGINS = re.compile(
    r"<(?:(?:[\w-]+:)?(?:tool_call>|invoke\b)|function=|\|(?:tool_call(?:_begin)?|python_tag)\|>|｜tool▁call▁begin｜>)"
    r"|\[TOOL_CALLS\]|Suggested[ ](?:tool|function)[ ][Cc]all|Using[ ]tool:"
    r"|^(?:>>>[\w.-]+$|Action:\s*+```json|[# ]++[\w.-]++[ ]\([^()\n]++\)\n[# ]*+Call[ ]ID:)"
    r"|\b(?=[tFTICER])(?:to=functions\b|Function\(arguments=|ToolUseBlock\("
    r"|(?:Invoking|(?:Call|Execut|Runn)ing[ ](?:function|tool|action)):?[ ]*+[`'\"]?[\w.-]++[`'\"]?[ ]++with\b)",
    re.MULTILINE,
)
"""what begins a call, which is missed where none was read of it"""


def _blocks(text: str) -> Iterator[_Block]:
    values = _Values(text)
    for pattern, read in _FORMS:
        for match in pattern.finditer(text):
            block = read(values, match)
            if block is not None:
                yield block
    for match in _BEGINS.finditer(text):
        yield _Block(span=match.span(), calls=())


def _apart(text: str) -> list[_Block]:
    """Return the blocks of a text in its order, each once; a sign that begins a call is missed where none follows."""
    found: list[_Block] = []
    for block in sorted(_blocks(text), key=lambda block: (block.span[0], not block.calls, -block.span[1])):
        if found and block.span[0] < found[-1].span[1]:
            continue
        if found and not found[-1].calls and not text[found[-1].span[1] : block.span[0]].strip():
            found.pop()
        found.append(block)
    return found


_ANSWERS = re.compile(
    r"(?:<(?:[\w-]+:)?(?:tool_response|function_results?|tool_results?|result)>|\[TOOL_RESULTS\]|<\|tool_response\|>"
    r"|<｜tool▁output▁begin｜>|<\|start\|>functions\.[^\n]{0,80}<\|message\|>|^observation:)\s*+",
    re.MULTILINE | re.IGNORECASE,
)
_CLOSES_LINE = re.compile(r"[`\]]?+[ \t]*+│?+")
_ANSWERED = re.compile(r"</|\[/TOOL|<｜tool▁output▁end|<\||\Z")
_OBSERVED = re.compile(r"^(?:Thought|Action|Final Answer):|\Z", re.MULTILINE)


def _answer(text: str, block: _Block, end: int) -> Span | None:
    start = block.span[1]
    if block.is_printed:
        return (_CLOSES_LINE.match(text, start, end).end(), end)  # type: ignore[union-attr]  # it matches everywhere
    begins = _ANSWERS.search(text, start, end)
    if begins is None:
        return None
    ends = (_OBSERVED if begins[0].rstrip().endswith(":") else _ANSWERED).search(text, begins.end(), end)
    return (begins.end(), end if ends is None else ends.start())


# --- values --------------------------------------------------------------------------------------

_FENCE = re.compile(r"[\s`]*+(?:json\b)?\s*+")
_MOST_BROKEN = 20
"""values that cannot be read, after which no more are looked at"""


class _Values:
    """A text and its values."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._broken = 0
        self._absent = set[str]()

    def find(self, sign: str, place: int) -> int | None:
        """Return where a sign comes next; one that does not come is not looked for again."""
        found = -1 if sign in self._absent else self.text.find(sign, place)
        if found < 0:
            self._absent.add(sign)
        return None if found < 0 else found

    def at(self, place: int) -> tuple[object, int] | None:
        """Return the object, list or text behind a place and a fence there, and where it ends."""
        start = _FENCE.match(self.text, place).end()  # type: ignore[union-attr]  # it matches everywhere
        if self.text[start : start + 1] not in ("{", "[", '"') or self._broken > _MOST_BROKEN:
            return None
        value = value_at(self.text, start)
        if value is None or "│" in self.text[slice(*value.span)]:  # it goes on in the next line of a box
            self._broken += 1
            return None
        return value.plain, value.span[1]


# --- forms ---------------------------------------------------------------------------------------

_NAME = r"(?P<name>[A-Za-z_][\w.-]*+)"


def _named(values: _Values, match: re.Match[str]) -> _Block | None:
    """Read a name behind which its arguments stand."""
    found = values.at(match.end())
    if found is None:
        return None
    given, end = found
    call = CallRequest(name=match["name"].strip(" *"), given=given)
    return _Block(span=(match.start(), end), calls=(call,))


def _printed(values: _Values, match: re.Match[str]) -> _Block | None:
    """Read the same as a framework prints it: of LangChain, a text in signs of code may be the arguments."""
    read = _named(values, match)
    if read is None and (quoted := _QUOTED.match(values.text, match.end())) is not None:
        call = CallRequest(name=match["name"], given=quoted["content"])
        read = _Block(span=(match.start(), quoted.end()), calls=(call,))
    return None if read is None else _Block(span=read.span, calls=read.calls, is_printed=True)


_QUOTED = re.compile(r"`(?P<content>[^`\n]*+)`[ \t]*+$", re.MULTILINE)


def _whole(values: _Values, match: re.Match[str]) -> _Block | None:
    """Read an object that is a call, or a list of them."""
    found = values.at(match.end())
    if found is None:
        return None
    value, end = found
    asked = [read_object(each) for each in (value if isinstance(value, list) else [value])]
    calls = tuple(call for call in asked if isinstance(call, CallRequest))
    return _Block(span=(match.start(), end), calls=calls) if len(calls) == len(asked) else None


def _element(values: _Values, match: re.Match[str]) -> _Block | None:
    """Read an element whose parameters are elements too."""
    text, space = values.text, match.groupdict().get("space") or ""
    following = values.find(f"<{space}{match['tag']}", match.end())  # none of them stands in another one
    close = text.find(f"</{space}{_CLOSES[match['tag']]}>", match.end(), following)
    if close < 0:
        return None
    pairs = (
        (one["key"] or one["name"] or one["of"] or "", one["content"] or one["value"] or one["given"] or "")
        for one in _PARAMETERS.finditer(text, match.end(), close)
    )
    given = Untyped((key.strip(), unescape(content.strip())) for key, content in pairs)
    return _Block(span=(match.start(), close), calls=(CallRequest(name=match["name"].strip(), given=given),))


_CLOSES = {"invoke": "invoke", "function=": "function", "tool_call": "tool_call"}
_UNTIL = r"[^<]*+(?:<(?!/(?:[\w-]+:)?parameter>|(?:[\w-]+:)?parameter[\s=])[^<]*+)*+"
"""what a parameter is given, which may have elements of its own"""
_PARAMETERS = re.compile(
    rf"<(?:[\w-]+:)?parameter\s++name\s*+=\s*+[\"'](?P<key>[^\"'<>]*+)[\"'][^<>]*+>(?P<content>{_UNTIL})"
    rf"|<parameter=(?P<name>[\w.-]++)>(?P<value>{_UNTIL})"
    r"|<arg_key>(?P<of>[^<]*+)</arg_key>\s*+<arg_value>(?P<given>[^<]*+(?:<(?!/?arg_(?:value|key)>)[^<]*+)*+)"
)


_Read = Callable[[_Values, re.Match[str]], _Block | None]
_FORMS: tuple[tuple[re.Pattern[str], _Read], ...] = tuple(
    (re.compile(pattern, re.MULTILINE), read)
    for read, patterns in {
        _named: (
            rf"<function={_NAME}>(?=\s*+\{{)",
            rf"\[TOOL_CALLS\]\s*+{_NAME}\s*+(?:\[CALL_ID\]\s*+\w++\s*+)?\[ARGS\]",
            rf"<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?{_NAME}(?:<｜tool▁sep｜>|\s*+(?=```))",
            rf"<\|tool_call_begin\|>\s*+(?:functions\.)?{_NAME}(?::\d++)?\s*+<\|tool_call_argument_begin\|>",
            rf"\bto=(?:functions\.)?{_NAME}[^\n{{}}]{{0,80}}?<\|message\|>",
        ),
        _printed: (
            rf"(?:^[^\w\n]*+|(?<=[^\s`]))(?:Invoking|(?:Call|Execut|Runn)ing[ ](?:function|tool|action)):?[ ]*+[`'\"]?"
            rf"{_NAME}[`'\"]?[ ]++with(?:[ ](?:args|arguments|inputs?|parameters|params|kwargs))?:?[ ]*+(?=[`{{])",
        ),
        _whole: (
            r"^Action:[ ]*+(?:\n[ ]*+)?(?=```)",
            r"<tool_call>(?=\s*+[\[{])|<\|(?:python_tag|tool_call)\|>(?=\s*+[\[{])|\[TOOL_CALLS\](?=\s*+\[\s*+\{)",
        ),
        _element: (
            r"<(?P<space>[\w-]+:)?(?P<tag>invoke)\s++name\s*+=\s*+[\"'](?P<name>[^\"'<>]*+)[\"']\s*+>",
            rf"<(?P<tag>function=){_NAME}>(?=\s*+</?(?:parameter=|function>))",
            rf"<(?P<tag>tool_call)>\s*+{_NAME}(?=\s*+</?(?:arg_key|tool_call)>)",
        ),
    }.items()
    for pattern in patterns
)
