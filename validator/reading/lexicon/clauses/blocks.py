"""Cut a text into sentences, each with how it stands there: in an item, below a heading, behind a label."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from validator.reading.lexicon.english import COUNTED, DENIAL, OMISSIONS
from validator.reading.lexicon.line_words import words_of
from validator.reading.plan import Span
from validator.records import dataclass

ASIDE = re.compile(r"(?!(?<=\s)\s)(?:\s*+\([^()]*\)|\s++\[[^\[\]]*\]|\s++[—–]\s+(?:(?!\bthen\b)[^—–→>])*\s[—–](?=\s))")
CONDITIONS = r"(?:pre|post)-?conditions?|prerequisites?|effects?"
_END = re.compile(
    r"""\n|\\n
      | (?<=[.;!?])(?<!\)\s;)(?<!\b(?:Mr|Ms|Dr|St)\.)(?<!\bMrs\.)(?<!\b[Nn]o\.(?=\s*\d))(?=[\s"*_]|$)
      | ["“”](?=\s*[,\]}:]|\s*$)
      | (?<=:)(?=[\s*_]|$)""",
    re.MULTILINE | re.VERBOSE,
)
"""where a sentence ends; a semicolon behind a step begins a comment"""
_WRAPPED = re.compile(r"^(?=[^\n]{50})(?=[^\n]*?[.,;]\s)[^\n]*[\w,)]\n(?=[a-z])", re.MULTILINE)
"""a line of a paragraph whose sentence goes on in the next one"""
_COLONS = re.compile(r"\([^()\n]*[:;]\s")
"""in an aside no sentence ends at a colon or semicolon: "(precondition: the arm is empty)\""""
_LINE_END = re.compile(r"[*_` \t]*(?:\n|\Z)")
_TITLE = re.compile(r"\s*(?:#+\s.*|(?:[^\w\s*]+\s+)?\*\*[^*]+\*\*|__[^_]+__)\s*", re.DOTALL)
_DENIES = DENIAL - {"t"} | OMISSIONS | {"without", "wrong", "incorrect", "bad", "flawed", "reverse", "opposite"}
_DENIES |= {"backlog", "wish", "postponed", "forbidden", "dream", "optional"}
"""in a label or heading: what stands behind it may not be meant"""
_PURPOSE = re.compile(r"\W*(?:in order )?to (?!be\b|not\b)[^,:]*,", re.IGNORECASE)
"""what the steps below are for: "to reverse the tower, do the following:\""""
_EXPLAINS = re.compile(
    rf"\W*(?:(?:{CONDITIONS}|conditions)(?: met)?|results?|outcome|purpose|reason|why|rationale|justification|"
    r"explanation|adds|deletes|removes|requires|(?:\w+ )?(?:configuration|state))\W*",
    re.IGNORECASE,
)
"""a heading below which a step is explained"""
_OTHER = re.compile(
    r"\W*(?:(?:the|my|our|your)\s+)?(?:goal|task|objective|aim|mission|problem|question|example|undo|see also|plan b|"
    r"summary|explanation|assumptions?|expected(?: result)?|errors?|"
    r"alternative|fallback|backup plan)\W*",
    re.IGNORECASE,
)
"""a label of what is not the plan, unless it stands there more than once"""
_TABLE = re.compile(r"^[^\n]*\|[^\n]*\n[\s|:-]*--[\s|:-]*\n(?:[^\n]*\|[^\n]*(?:\n|\Z))+", re.MULTILINE)
"""its head, its rule, its rows"""
_NUMBER = re.compile(r"[\s#*_>]*\(?(?:\d{1,4}|[a-z])[.):][\s*_]*")
_NOTHING = re.compile(rf"{_NUMBER.pattern}|\s*(?:```|~~~)[\w-]*\s*")
"""a line that only has the number of an item, or opens a fence"""
_TAG = re.compile(
    r"<(?:(?P<item>li|step|action|command)|(?P<line>br)|/?(?:li|step|action|command|[ou]l|p|b|i|em|strong|div|span))\s*/?>",
    re.IGNORECASE,
)
"""what lays out a text in HTML, and tags around steps"""
_ITEM = re.compile(
    r"""[\s>#*_]*
    (?: (?P<mark>[-*+•])\s
      | \(?(?:(?:step|action|move)\s*)?(?P<number>\d{1,4})(?:[.):][\s*_]|[.)][^\W\d_])
      | \(?(?P<part>\d{1,4}(?:\.\d{1,3})+|[a-z](?=[.)])|[ivx]{2,4}(?=\)))[.):]?\s
      | \|\s*(?P<row>\d{1,4})\s*\|
      | \|)""",
    re.IGNORECASE | re.VERBOSE,
)
"""the beginning of a line that is an item of a list, or a row of a table"""
_INLINE = re.compile(r"(?<!\S)(\d{1,3})\.[ \t]*$")
"""the number of the next step at the end of a sentence on its line"""
_COUNT = re.compile(r"[\s>#*_]*(?:step|action|move)\s*(\d{1,4})[\s*_.:]*", re.IGNORECASE)
"""a heading that counts the step below it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence, the part of one up to its colon, or a line, which begins at an offset of its text.

    ``is_first`` says that no letter stands before it on its line, whose item is ``item``, and which is indented by
    ``indent``.
    """

    text: str
    start: int
    end: int
    is_first: bool
    item: str
    indent: int
    begins_item: bool
    is_heading: bool
    """whether it ends with a colon"""
    is_label: bool
    """whether it is a label, whose line goes on behind the colon, or stands behind the latest one"""
    is_title: bool
    names_list: bool
    """whether it is a title above an item"""
    is_above: bool
    """whether it is a heading, a title, or an item above others of its own"""
    denied_by: str
    """the label or heading by which it may not be meant: "Avoid this:\""""
    explains: bool
    """whether it only explains a step, or tells something else than the plan"""


def sentences_of(text: str, is_named: Callable[[str], bool]) -> Iterator[Sentence]:
    """Yield the sentences of a text that have a word; ``is_named`` says whether one ends with the name of an object."""
    text = _TAG.sub(_untagged, text) if "<" in text else text
    text = _TABLE.sub(_without_effects, text) if "--" in text and "|" in text else text
    is_label = False
    counted = ""
    """the number of the step that a heading counts"""
    explains: int | None = None
    """how far a heading is indented below which steps are explained"""
    denied_by = ""
    line = seen = apart = 0
    is_first = True
    row = 0, 0
    """where a line begins, and the latest number on it: "1. grab p1 2. go to the hall\""""
    for start, end in _pieces(text):
        piece = text[start:end]
        line = text.rfind("\n", seen, start) + 1 or line
        number = _next_number(piece, row[1] if row[0] == line else 0)
        if number is not None and not is_named(piece):
            row, piece = (line, int(number[1])), piece[: number.start()]
        is_first = (is_first or line >= seen) and not any(map(str.isalpha, text[max(line, seen) : start]))
        seen = start
        if not any(map(str.isalnum, piece)) or (is_first and _NOTHING.fullmatch(piece)):
            continue
        item, indent = counted or item_of(text, line), indent_of(text, line)
        begins_item = bool(counted) or (is_first and bool(item))
        heading = _COUNT.fullmatch(piece)
        counted = "" if heading is None or item.isdigit() else heading[1]
        if is_first:
            denied_by = "" if is_label else denied_by
            explains = None if explains is not None and indent <= explains else explains
        is_heading = piece.rstrip(" \t\r\n*_`").endswith(":") or heading is not None
        if is_heading:
            said = words_of(_PURPOSE.sub(" ", ASIDE.sub(" ", piece))).texts
            denied_by = "" if _DENIES.isdisjoint(said) else " ".join(piece.split())
            is_label = not piece.endswith("\n") and _LINE_END.match(text, end) is None
        if is_heading and not (begins_item and item.isdigit()) and _EXPLAINS.fullmatch(piece):
            explains = indent
        elif is_heading and _OTHER.fullmatch(piece) and text.count(piece.strip()) == 1:
            apart = end_of_paragraph(text, end)
        elif is_heading and not is_first and not COUNTED.isdisjoint(words_of(piece).texts):
            explains = None  # "Precondition: the oven is hot. Action: bake the rye."
        is_value = text[line:start].rstrip().endswith('":')  # in JSON
        is_title = _TITLE.fullmatch(text[line:end]) is not None
        is_last = begins_item or (is_label and not (item or is_first))  # "Phase 2: Transport c1"
        yield Sentence(
            text=piece,
            start=start,
            end=end,
            is_first=is_first,
            item=item,
            indent=indent,
            begins_item=begins_item,
            is_heading=is_heading,
            is_label=is_label,
            is_title=is_title or is_value,
            names_list=is_title and item_of(text, end) != "",
            is_above=is_heading or is_title or (is_last and _is_above(text, indent, end)),
            denied_by=denied_by,
            explains=explains is not None or (start < apart and not item and not (is_first and is_label)),
        )


def _pieces(text: str) -> Iterator[Span]:
    wrapped = {match.end() for match in _WRAPPED.finditer(text)}
    within = {at for match in ASIDE.finditer(text) for at in range(*match.span())} if _COLONS.search(text) else ()
    ends = (match.end() for match in _END.finditer(text))
    ends = (end for end in ends if end not in wrapped and (end not in within or text[end - 1] not in ":;"))
    yield from ((one, other) for one, other in pairwise((0, *ends, len(text))) if one < other)


def _next_number(piece: str, latest: int) -> re.Match[str] | None:
    """Return the number at the end of a piece that counts the next step of a row."""
    number = _INLINE.search(piece) if piece.rstrip()[-2:-1].isdigit() else None
    if number is None or int(number[1]) != latest + 1 or not (latest or _NUMBER.fullmatch(piece)):
        return None
    return number


def item_of(text: str, line: int) -> str:
    """Return the number or the mark of the item that begins with a line; nothing where none does."""
    found = _ITEM.match(text, line)
    if found is None:
        return ""
    return found[found.lastgroup] if found.lastgroup else "|"


def indent_of(text: str, line: int) -> int:
    """Return how far the line that begins at an offset is indented."""
    end = line
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    return end - line


def _is_above(text: str, indent: int, end: int) -> bool:
    """Return whether an item with a deeper indent begins at the end of a line."""
    return text[end - 1] == "\n" and item_of(text, end) != "" and indent_of(text, end) > indent


def end_of_paragraph(text: str, start: int) -> int:
    end = text.find("\n\n", start)
    return len(text) if end < 0 else end


def _untagged(tag: re.Match[str]) -> str:
    """Return the sign of an item for a tag that begins one, and blanks for another, as many as it is long."""
    return ("\n- " if tag["item"] else "\n" if tag["line"] else "").ljust(len(tag[0]))


def _without_effects(table: re.Match[str]) -> str:
    """Return a table with blanks for the columns that explain its steps."""
    rows = table[0].split("\n")
    names = rows[0].split("|")
    explains = [place for place, name in enumerate(names) if _EXPLAINS.fullmatch(name.strip())]
    for number, row in enumerate(rows if explains else ()):
        cells = row.split("|")
        if len(cells) == len(names):
            cells = [" " * len(cell) if place in explains else cell for place, cell in enumerate(cells)]
            rows[number] = "|".join(cells)
    return "\n".join(rows)
