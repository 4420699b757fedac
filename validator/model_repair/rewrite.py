"""Edits written into the text of a domain: comments, layout and names stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from validator.model_repair.edits import Edit, Kind, Path
from validator.records import dataclass, field

_REMOVALS = {
    Kind.REMOVE_PRECONDITION: ":precondition",
    Kind.REMOVE_CONDITION: ":effect",
    Kind.REMOVE_ADD: ":effect",
    Kind.REMOVE_DELETE: ":effect",
}
_ADDITIONS = {Kind.ADD_PRECONDITION: ":precondition", Kind.ADD_ADD: ":effect", Kind.ADD_DELETE: ":effect"}


def rewritten(text: str, edits: Iterable[Edit]) -> str:
    """Return the text of a domain with edits made; the places of the edits are those in this text."""
    by_action: dict[str, list[Edit]] = {}
    for edit in sorted(edits, key=lambda edit: (edit.kind, edit.literal, edit.scope)):
        by_action.setdefault(edit.action, []).append(edit)
    spans, written = _known(text)
    for start, end, name in sorted(((*spans[name], name) for name in by_action), reverse=True):
        blanks = len(text[:start]) - len(text[:start].rstrip(" \t"))  # by which new lines are indented
        action = _action(text[start - blanks : end], by_action[name], written)
        text = f"{text[: start - blanks]}{action}{text[end:]}"
    return text


@lru_cache(maxsize=4)
def _known(text: str) -> tuple[Mapping[str, tuple[int, int]], Mapping[str, str]]:
    """Return where each action stands, and how each word is written."""
    spans = {item.children[1].word: (item.start, item.end) for item in actions_of(groups(text)[0])}
    return spans, _spellings(text)


def _action(text: str, edits: Sequence[Edit], written: Mapping[str, str]) -> str:
    """Return the text of an action with edits made.

    What is new is put in before anything goes. Conditions of effects go first, since what they stand in may go as well;
    then what stands further behind, so that the places before it stay what they are.
    """
    joined = any(edit.kind is Kind.ADD_PRECONDITION for edit in edits) and _is_single(text)
    for edit in edits:
        if edit.kind in _ADDITIONS:
            text = _added(text, edit, _as_written(_literal(edit), written))
    removals = [
        (key, (0, *place) if joined and key == ":precondition" else place)
        for edit in edits
        if (key := _REMOVALS.get(edit.kind, ""))
        for place in edit.places
    ]
    for key, place in sorted(removals, key=lambda one: (one[0], -1 in one[1], one[1]), reverse=True):
        text = _removed(text, key, place)
    return text


def _is_single(text: str) -> bool:
    """Return whether a precondition is one condition, which stands in a conjunction once another is put in."""
    part = part_of(_action_in(text), ":precondition")
    return part is not None and bool(part.children) and part.head != "and"


def _action_in(text: str) -> Item:
    return next(item for item in groups(text) if item.head == ":action")


def _literal(edit: Edit) -> str:
    return f"(not {edit.literal})" if edit.kind is Kind.ADD_DELETE else edit.literal


def _as_written(literal: str, written: Mapping[str, str]) -> str:
    return re.sub(r"[^\s()]+", lambda match: written.get(match[0], match[0]), literal)


# --- where parts stand ---------------------------------------------------------------------------


def _condition(item: Item, place: Path) -> list[Item]:
    """Return the groups from a condition down to the one at a place, the outermost first."""
    way = [item]
    for number in place:
        way += (item.children[2],) if item.head in ("forall", "exists") else _chained(item)[number]
        item = way[-1]
    return way


def _chained(item: Item, way: tuple[Item, ...] = ()) -> list[tuple[Item, ...]]:
    """Return the parts of a condition as the reader counts them, a conjunction in a conjunction as its own parts.

    Each is told with the groups around it below the condition, the outermost first.
    """
    found: list[tuple[Item, ...]] = []
    for child in item.children[1:]:
        is_more = (
            item.head in ("and", "or") and child.head == item.head and any(not each.word for each in child.children)
        )
        found += _chained(child, (*way, child)) if is_more else [(*way, child)]
    return found


def _effects(item: Item, way: tuple[Item, ...] = ()) -> list[tuple[Item, ...]]:
    """Return the effects that conjunctions join, each with the groups around it, the outermost first."""
    if item.head == "and":
        return [found for child in item.children[1:] for found in _effects(child, (*way, item))]
    return [(*way, item)] if item.children else []


def _effect(item: Item, place: Path) -> list[Item]:
    """Return the groups from an effect down to the part at a place; -1 leads to the condition of a ``when``."""
    way: list[Item] = []
    for depth, number in enumerate(place):
        if number == -1:
            return way + _condition(item.children[1], place[depth + 1 :])
        way += _effects(item)[number]
        item = way[-1]
        if depth + 1 < len(place) and place[depth + 1] != -1:
            item = item.children[2]
    return way


# --- removing ------------------------------------------------------------------------------------


def _removed(text: str, key: str, place: Path) -> str:
    """Take a part out of an action, and what is empty without it."""
    part = part_of(_action_in(text), key)
    assert part is not None
    way = _condition(part, place) if key == ":precondition" else _effect(part, place)
    *around, item = way
    while around and _is_all(item, around):
        item = around.pop()
    if not around or around[-1].head != "and":
        return f"{text[: item.start]}(and){text[item.end :]}"
    return _without(text, item.start, item.end)


def _is_all(item: Item, around: list[Item]) -> bool:
    """Return whether the group around a part says nothing without it, and may go as well."""
    holder = around[-1]
    if holder.head == "and":
        return len(holder.children) == 2 and len(around) > 1 and around[-2].head not in ("or", "when", "not")
    return holder.head in ("forall", "exists", "when", "imply") and item is holder.children[-1]


def _without(text: str, start: int, end: int) -> str:
    """Cut a part out with the blanks before it; a line that only held it goes, a comment never."""
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    before, after = text[line_start:start], text[end:line_end]
    if before.strip():
        return text[:start].rstrip(" \t") + _joined(after) + text[line_end:]
    if not after.strip():
        return text[:line_start] + text[line_end + 1 :]
    above = text.rfind("\n", 0, max(0, line_start - 1)) + 1
    if after.lstrip()[0] == ")" and ";" not in text[above:line_start]:
        return text[:start].rstrip() + after.lstrip() + text[line_end:]
    return text[:start] + after.lstrip() + text[line_end:]


def _joined(after: str) -> str:
    """Return what follows a part that is gone, after what stood before it."""
    rest = after.lstrip(" \t")
    return rest if not rest or rest[0] in ")\r" else f" {rest}"


# --- adding --------------------------------------------------------------------------------------


def _added(text: str, edit: Edit, literal: str) -> str:
    action = _action_in(text)
    key = _ADDITIONS[edit.kind]
    part = part_of(action, key)
    if part is None:
        return _with_part(text, action, key, literal)
    if edit.scope:
        holder = _effect(part, edit.scope)[-1]
        part = holder.children[2]
    if not part.children:
        return f"{text[: part.start]}(and {literal}){text[part.end :]}"
    if part.head != "and":
        return f"{text[: part.start]}(and {text[part.start : part.end]} {literal}){text[part.end :]}"
    last = part.children[-1]
    gap = text[part.children[-2].end : last.start] if len(part.children) > 1 else " "
    indent = gap[gap.rfind("\n") :] if "\n" in gap else " "
    if "\n" in gap:
        indent = ("\r\n" if "\r\n" in gap else "\n") + indent[1:]
    at = _behind_comment(text, last.end) if "\n" in gap else last.end
    return f"{text[:at]}{indent}{literal}{text[at:]}"


def _behind_comment(text: str, end: int) -> int:
    """Return the end of a comment that follows on the same line, else ``end``."""
    match = re.compile(r"[ \t]*;[^\r\n]*").match(text, end)
    return match.end() if match else end


def _with_part(text: str, action: Item, key: str, literal: str) -> str:
    """Give an action the precondition or effect that it lacks."""
    words = [child.word for child in action.children]
    before = ":effect" if ":effect" in words else None
    if before is None:
        last = action.children[-1]
        at = _behind_comment(text, last.end)
        return f"{text[:at]}{_line_of(text, last.start)}{key} (and {literal}){text[at:]}"
    item = action.children[words.index(before)]
    return f"{text[: item.start]}{key} (and {literal}){_line_of(text, item.start)}{text[item.start :]}"


def _line_of(text: str, offset: int) -> str:
    """Return a line end and the blanks with which the line of an offset begins."""
    start = text.rfind("\n", 0, offset) + 1
    blanks = re.compile(r"[ \t]*").match(text, start)
    assert blanks is not None
    return ("\r\n" if "\r\n" in text else "\n") + blanks[0]


# --- the text as nested groups ---------------------------------------------------------------------

_TOKEN = re.compile(r";[^\n]*|[()]|\?[^\s();?]*|[^\s();?]+")
"""words as the reader of models takes them: a question mark begins one"""


@dataclass(slots=True)
class Item:
    """A word or a group: ``text[start:end]``; ``word`` is in lower case, and empty for a group."""

    start: int
    end: int
    word: str = ""
    children: list[Item] = field(default_factory=list)

    @property
    def head(self) -> str:
        """Return the first word of a group."""
        return self.children[0].word if self.children else ""


def groups(text: str) -> list[Item]:
    """Return the groups of a text that stand in no other; what is never closed is left out."""
    root = Item(0, len(text))
    open_groups = [root]
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == "(":
            group = Item(match.start(), -1)
            open_groups[-1].children.append(group)
            open_groups.append(group)
        elif token == ")" and len(open_groups) > 1:
            open_groups.pop().end = match.end()
        elif token[0] not in ";)":
            open_groups[-1].children.append(Item(match.start(), match.end(), token.lower()))
    return [item for item in root.children if not item.word and item.end >= 0]


def actions_of(define: Item) -> Iterator[Item]:
    """Yield the groups ``(:action ...)``."""
    return (item for item in define.children if item.head == ":action")


def part_of(action: Item, key: str) -> Item | None:
    """Return the value of a keyword such as ``:effect``; None where it is not there."""
    words = [child.word for child in action.children]
    return action.children[words.index(key) + 1] if key in words else None


def _spellings(text: str) -> dict[str, str]:
    """Return each word of a text in lower case with the way in which it is written first."""
    found: dict[str, str] = {}
    for match in _TOKEN.finditer(text):
        found.setdefault(match[0].lower(), match[0])
    return found
