"""Initial facts written into the text of a problem, or taken out of it, and objects written into it."""

from __future__ import annotations

from collections.abc import Iterable

from validator.model_repair.edits import Edit, Kind
from validator.model_repair.source.tree import Item, parse

__all__ = ["with_facts", "with_object"]


def with_facts(text: str, edits: Iterable[Edit]) -> str:
    """Return the text of a problem with edits of its initial facts made."""
    for edit in edits:
        words = edit.literal.strip("()").split()
        init = next((item for item in parse(text).children if item.head == ":init"), None)
        if edit.kind is Kind.REMOVE_FACT:
            assert init is not None
            for fact in reversed([item for item in init.children if _is(item, words)]):
                text = f"{text[: fact.start].rstrip(' ')}{text[fact.end :]}"
        elif init is None:
            end = parse(text).end - 1
            text = f"{text[:end]} (:init {edit.literal}){text[end:]}"
        else:
            last = init.children[-1].end
            text = f"{text[:last]} {edit.literal}{text[last:]}"
    return text


def with_object(text: str, name: str, kind: str) -> str:
    """Return the text of a problem with an object more, after the others."""
    define = parse(text)
    objects = next((item for item in define.children if item.head == ":objects"), None)
    if objects is None:
        place = next((item.start for item in define.children if item.head in (":init", ":goal")), define.end - 1)
        return f"{text[:place]}(:objects {name} - {kind})\n  {text[place:]}"
    typed = any(child.word == "-" for child in objects.children)
    last = objects.children[-1].end
    is_closed = not typed or objects.children[-2].word == "-"
    behind = f"{'' if is_closed else ' - object'} {name}{f' - {kind}' if typed or kind != 'object' else ''}"
    if not typed and kind != "object" and len(objects.children) > 1:
        behind = f" - object{behind}"
    return f"{text[:last]}{behind}{text[last:]}"


def _is(item: Item, words: list[str]) -> bool:
    return [child.word for child in item.children] == words
