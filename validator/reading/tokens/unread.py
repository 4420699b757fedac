"""The gate: parts of a text in notations that are recognised and not read, each with its reason.

A fenced block is known by its language, other text by its shape. What is found is never a step and never dropped: it is
a piece that was not understood, so that nothing is said of a plan which has one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from validator.reading.plan import Span, Unparsed
from validator.reading.tokens.blocks.marks import FENCE
from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["computed", "not_read", "program"]

_LANGUAGES = {
    "mermaid": "a Mermaid diagram",
    **dict.fromkeys(("dot", "graphviz", "gv"), "a Graphviz drawing"),
    "sql": "SQL",
    "toml": "TOML",
    **dict.fromkeys(("ini", "cfg", "conf"), "an INI file"),
    **dict.fromkeys(("csv", "tsv"), "a CSV file"),
    **dict.fromkeys(("http", "rest"), "an HTTP request"),
    **dict.fromkeys(("protobuf", "textproto", "proto", "pbtxt"), "a protobuf message"),
    **dict.fromkeys(("turtle", "ttl", "ntriples", "rdf"), "RDF"),
    **dict.fromkeys(("diff", "patch"), "a diff"),
}
_TERM = r"(?:<[^<>\s]++>|_?:\w[\w.-]*+|[A-Za-z][\w-]*+:\w[\w.-]*+)"
_ASSIGNED = (
    r"(?:[^\n\[=]{1,80}=[^\n]*+\n){0,9}?[^\S\n]*+(?:action|action_name|name|operator|step|command|type|skill)[^\S\n]*+="
)
"""pairs of a key and a value, one of which names an action"""
_CELLS = r"(?:[\w \"]{1,40}[,;\t]){0,9}?"
_COLUMN = (
    r"\"?(?:args?|arguments?|param(?:eter)?s?|objects?|arg_?\d|time|t|start(?:_time)?|end|timestep|step(?:_number)?|"
    r"index|order|no|id)\"?(?:[,;\t][\w \"]{1,40}){0,9}$"
)
_FLAGS = re.MULTILINE | re.IGNORECASE
_SHAPES = (
    (
        "a Mermaid diagram",
        re.compile(
            r"^[^\S\n]*+(?:(?:flowchart|graph)[^\S\n]++(?:TD|TB|BT|LR|RL)\b|(?:sequence|state)Diagram\b)", re.MULTILINE
        ),
    ),
    ("a Graphviz drawing", re.compile(r"\bdigraph\b[^\n{;]{0,80}\{", re.IGNORECASE)),
    ("SQL", re.compile(r"\bINSERT\s++INTO\s++[\w.`\"\[\]]++\s*+[(V]", re.IGNORECASE)),
    ("TOML", re.compile(r"^[^\S\n]*+\[\[[\w.\- ]{1,80}\]\][^\n]*+\n" + _ASSIGNED, re.MULTILINE | re.IGNORECASE)),
    ("an INI file", re.compile(r"^[^\S\n]*+\[[\w.\- ]{1,80}\][^\S\n]*+\n" + _ASSIGNED, re.MULTILINE | re.IGNORECASE)),
    (
        "a CSV file",
        re.compile(rf"^(?=[^\n]*[,;\t])(?={_CELLS}\"?action(?:[_ ]name)?\"?(?:[,;\t]|$)){_CELLS}{_COLUMN}", _FLAGS),
    ),
    (
        "a printed data frame",
        re.compile(
            r"^[^\S\n]++(?:\w++[^\S\n]++){0,9}?action(?:_name)?+(?:[^\S\n]++\w++){0,9}+[^\S\n]*+\n[^\S\n]*+0[^\S\n]",
            _FLAGS,
        ),
    ),
    (
        "an HTTP request",
        re.compile(r"^[^\S\n]*+(?:curl\b[^\n]{0,80}?)?(?:POST|PUT|PATCH)[ ]++[\"']?(?:/|https?://)", re.MULTILINE),
    ),
    ("a protobuf message", re.compile(r"^[^\S\n]*+[a-z]\w*+[^\S\n]*+\{[^\S\n]*+\n\s*+\w++[^\S\n]*+[:{]", re.MULTILINE)),
    (
        "RDF",
        re.compile(
            rf"^[^\S\n]*+(?:@?(?:prefix|base)[^\S\n][^\n]*+|{_TERM}[^\S\n]++(?:a|{_TERM})[^\S\n]++[^\n]*(?<=[.;,]))$"
            rf"(?=\s*+(?:@?(?:prefix|base)\b|{_TERM}[^\S\n]++(?:a|{_TERM})[^\S\n]))",
            re.MULTILINE | re.IGNORECASE,
        ),
    ),
    (
        "an answer set, or a situation",
        re.compile(
            r"\b(?:occurs?|occ|happens)\s*+\(\s*+(?:[^\W\d][\w.-]*+\(|\d)|^Answer:[^\S\n]\d|\baction\(\(\s*+\""
            r"|\b(?:do|does|result|res|exec)\s*+\((?:\s*+\d++\s*+,|\s*+[^\W\d][\w.-]*+\([^()]*+\)\s*+,\s*+(?:\d|s_?0|do\b))",
            _FLAGS,
        ),
    ),
    ("a graph of steps", re.compile(r"-{1,9}\[[^\[\]\n]{0,200}\]-{1,9}>(?=[^\S\n]*+\()")),
    (
        "a recorded trajectory",
        re.compile(
            r"\(\s*+\(\s*+:init\b|\(\s*+:(?:trajectory|transition_status|observations?|states?)\b"
            r"|\(\s*+operators?:\s*+\(",
            re.IGNORECASE,
        ),
    ),
    (
        "the output of a planner that renames actions",
        re.compile(
            r"^SOLUTION SEQUENCE|SHOP_method[\w-]*_precondition|__method_precondition_|_{2,4}(?:DIS|CON)JUNCT|"
            r"_{2,4}(?:ANTECED|CONSEQU)ENT|_DETDUP_\d|\|instance_\d",
            _FLAGS,
        ),
    ),
    (
        "a plan that branches on what is seen",
        re.compile(
            r"^[^\S\n]*+\)*+\s*+(?:(?:branch(?:ing|es)?|else|otherwise)[^\w\n]*+$|connect\s++to\s++\d)|\b(?:TRUE|FALSE)SON\b",
            _FLAGS,
        ),
    ),
    ("a task in SAS+", re.compile(r"^begin_(?:operator|state)$", re.MULTILINE)),
    ("Julia's print", re.compile(r"\bvar\"[^\W\d][\w.-]*+\"\(")),
    (
        "XML",
        re.compile(
            r"<(?:step|action|task|operator)(?:\s++(?:id|n|no|number|index)\s*+=\s*+[\"'][^\"'<>]*+[\"'])?\s*+>\s*+<[A-Za-z]"
            r"|<BehaviorTree\b",
            re.IGNORECASE,
        ),
    ),
    ("the output of Contingent-FF", re.compile(r"^[^\S\n]*+\d{1,9}\|\|-?\d{1,9}[^\S\n]*+---(?=[^\S\n])", re.MULTILINE)),
    (
        "a diff",
        re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@", re.MULTILINE),
    ),
)
_ELEMENT = re.compile(r"<(?P<tag>[A-Za-z][\w-]*+)>(?=[^<>]*+</(?P=tag)>)")
_CALL = re.compile(r"(?<![\w.-])(?P<name>[^\W\d][\w.-]*+)\((?P<given>[^()]*+)\)")
_STRUCK = re.compile(r"~~(?!\s)[^~\n]{1,400}~~|<(del|s|strike)>[^<\n]{1,400}</\1>", re.IGNORECASE)
_SAID = {
    "a diff": "it is a change of a plan, and no plan: 'apply' makes one of both",
    "what is struck out": "whether what is struck out is meant is not known",
}


def not_read(text: str, known: Vocabulary) -> list[Unparsed]:
    """Return the fenced blocks in notations that are not read, or else the text from the first sign of one on."""
    found = list(_fenced(text)) if "```" in text else []
    starts = [(match.start(), name) for name, shape in _SHAPES if (match := shape.search(text))]
    if known.actions and "</" in text:
        starts += [(match.start(), "XML") for match in _ELEMENT.finditer(text) if known.written(match["tag"])]
    if known.actions and (place := _timed_calls(text, known)) is not None:
        starts.append((place, "an answer set"))
    if not found and starts:
        start, name = min(starts)
        start = text.rfind("\n", 0, start) + 1
        found.append(_unread(text, (start, len(text)), name))
    if not found and ("~~" in text or "</" in text):
        found += (_unread(text, match.span(), "what is struck out") for match in _STRUCK.finditer(text))
    return found


def _timed_calls(text: str, known: Vocabulary) -> int | None:
    """Return the first call of steps whose last argument, or first, is one too many and counts them."""
    calls = [match for match in _CALL.finditer(text) if known.written(match["name"])] if "(" in text else []
    for place in (-1, 0):
        arguments = [match["given"].split(",") for match in calls]
        said = {given[place].strip() for given in arguments}
        are_more = all(
            len(given) == known.actions[known.written(match["name"]) or ""] + 1
            for match, given in zip(calls, arguments, strict=True)
        )
        if calls and are_more and all(map(str.isdecimal, said)) and said.isdisjoint(known.objects):
            counted = sorted(map(int, said))
            if counted[0] in (0, 1) and counted == list(range(counted[0], counted[0] + len(counted))):
                return calls[0].start()
    return None


def _fenced(text: str) -> Iterator[Unparsed]:
    for block in FENCE.finditer(text):
        name = _LANGUAGES.get(block["language"].lower())
        if name is not None and block["inside"].strip():
            yield _unread(text, block.span("inside"), name)


def _unread(text: str, span: Span, name: str) -> Unparsed:
    said = _SAID.get(name, f"{name} is no plan notation that is read")
    first = text[slice(*span)].strip().split("\n", 1)[0]
    return Unparsed(text=first, reason=f"not understood: {said}", is_of_structure=True, span=span)


_PROGRAM = re.compile(
    r"^[^\S\n]*(?:(?:async[ ]+)?def[ ]+\w+[ ]*\([^)\n]*\)[^:\n]*:"
    r"|(?:async[ ]+)?for[ ]+\w+(?:[ ]*,[ ]*\w+)*[ ]+in\b[^\n]*?:|(?:while|if|elif|else|try|except)\b[^\n]*?:)"
    r"[^\S\n]*(?:(?:#[^\n]*)?(?:\n[^\S\n]*(?:#[^\n]*)?)*\n[^\S\n]+(?=\S)|(?=[^\s#]))",
    re.MULTILINE,
)
"""a line of a program that says whether, or how often, what follows on it or is indented below is done"""
_COMPUTES = re.compile(
    r"\[[^\[\]\n]{1,400}[)\]}\"']\s+for\s+\w+(?:\s*,\s*\w+)*\s+in\s+[^\n\]]{1,200}\]|\[[^\[\]\n]{1,400}\]\s*\*(?!\*)\s*\d"
    r"|\b\w[\w.]*(?:\s*\+=|\.(?:append|extend|push|push_back|add)\s*\()[^\n]{1,400}",
    re.IGNORECASE,
)
_NAME = re.compile(r"[^\W\d][\w-]*")


def program(text: str) -> list[Unparsed]:
    """Return the lines of a program that define, repeat or choose steps."""
    return [_of_program(match) for match in _PROGRAM.finditer(text)] if ":" in text else []


def computed(text: str, is_action: Callable[[str], object]) -> list[Unparsed]:
    """Return the lists of steps that a program computes: ``[take(x, y) for x, y in pairs]``, ``plan.append(...)``."""
    found = _COMPUTES.finditer(text) if "[" in text or "+=" in text or "(" in text else ()
    return [_of_program(match) for match in found if any(map(is_action, _NAME.findall(match[0])))]


def _of_program(match: re.Match[str]) -> Unparsed:
    said = match[0].strip().split("\n", 1)[0]
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    reason = "not understood: a program is no plan"
    return Unparsed(text=said, reason=reason, is_of_structure=True, span=(start, start + len(said)))
