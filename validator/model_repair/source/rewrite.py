"""Edits written into the text of a domain: comments, layout and names stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable

from validator.model_repair.edits import Edit, Kind, Path
from validator.model_repair.source.tree import Item, action_of, parse, part_of, spellings

__all__ = ["rewritten"]

_REMOVALS = {
    Kind.REMOVE_PRECONDITION: ":precondition",
    Kind.REMOVE_CONDITION: ":effect",
    Kind.REMOVE_ADD: ":effect",
    Kind.REMOVE_DELETE: ":effect",
}
_ADDITIONS = {Kind.ADD_PRECONDITION: ":precondition", Kind.ADD_ADD: ":effect", Kind.ADD_DELETE: ":effect"}


def rewritten(text: str, edits: Iterable[Edit]) -> str:
    """Return the text of a domain with edits made; the places of the edits are those in this text.

    What stands further behind is removed first, so that the places before it stay what they are; what is new is put
    in before anything goes.
    """
    edits = sorted(edits, key=lambda edit: (edit.action, edit.kind, edit.literal, edit.scope))
    written = spellings(text)
    joined = {edit.action for edit in edits if edit.kind is Kind.ADD_PRECONDITION and _is_single(text, edit.action)}
    for edit in edits:
        if edit.kind in _ADDITIONS:
            text = _added(text, edit, _as_written(_literal(edit), written))
    removals = [
        (edit.action, key, (0, *place) if edit.action in joined and key == ":precondition" else place)
        for edit in edits
        if (key := _REMOVALS.get(edit.kind, ""))
        for place in edit.places
    ]
    for action, key, place in sorted(removals, reverse=True):
        text = _removed(text, action, key, place)
    return text


def _is_single(text: str, action: str) -> bool:
    """Return whether a precondition is one condition, which stands in a conjunction once another is put in."""
    part = part_of(action_of(parse(text), action), ":precondition")
    return part is not None and bool(part.children) and part.head != "and"


def _literal(edit: Edit) -> str:
    return f"(not {edit.literal})" if edit.kind is Kind.ADD_DELETE else edit.literal


def _as_written(literal: str, written: dict[str, str]) -> str:
    return re.sub(r"[^\s()]+", lambda match: written.get(match[0], match[0]), literal)


# --- where parts stand ---------------------------------------------------------------------------


def _condition(item: Item, place: Path) -> list[Item]:
    """Return the groups from a condition down to the one at a place, the outermost first."""
    way = [item]
    for number in place:
        item = item.children[2 if item.head in ("forall", "exists") else 1 + number]
        way.append(item)
    return way


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


def _removed(text: str, action: str, key: str, place: Path) -> str:
    """Take a part out of an action, and what is empty without it."""
    part = part_of(action_of(parse(text), action), key)
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
    """Return what follows a part that is gone, behind what stood before it."""
    rest = after.lstrip(" \t")
    return rest if not rest or rest[0] in ")\r" else f" {rest}"


# --- adding --------------------------------------------------------------------------------------


def _added(text: str, edit: Edit, literal: str) -> str:
    action = action_of(parse(text), edit.action)
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
