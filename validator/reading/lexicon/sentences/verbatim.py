"""Sentences that are a template word for word: what they say is settled by the templates alone, or open by them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from validator.model.values import Model
from validator.reading.lexicon.templates import HOLE, Templates
from validator.records import dataclass

__all__ = ["Filled", "Verbatim"]

_LONGEST = 400
"""characters of a sentence that is looked up"""

Filled: TypeAlias = tuple[str, tuple[str, ...]]
"""an action and the objects in the holes of its template, in the order of its parameters"""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A template of an action: what stands before, between and behind its holes, and which argument each hole is."""

    action: str
    pieces: tuple[str, ...]
    order: tuple[int, ...]


@dataclass(frozen=True)
class Verbatim:
    """The sentences that the templates of a model make, to be taken apart again."""

    model: Model
    templates: Templates

    def said(self, text: str) -> tuple[Filled, ...]:
        """Return all that a sentence can be by the templates, whatever the kinds of the objects are."""
        plain = _plain(text)
        if not 0 < len(plain) <= _LONGEST:
            return ()
        return tuple(dict.fromkeys(found for sentence in self._sentences for found in self._taken(sentence, plain)))

    def _taken(self, sentence: _Sentence, text: str) -> Iterator[Filled]:
        for names in self._holes(sentence.pieces, text):
            args = [""] * len(names)
            for place, name in zip(sentence.order, names, strict=True):
                args[place] = name
            yield sentence.action, tuple(args)

    def _holes(self, pieces: Sequence[str], text: str) -> Iterator[tuple[str, ...]]:
        """Yield the objects in the holes between pieces that make up a text, for every way to cut it."""
        first, *others = pieces
        if not others:
            if text == first:
                yield ()
            return
        if not text.startswith(first):
            return
        text, behind = text[len(first) :], others[0]
        end = text.find(behind, 1)
        while end > 0:
            if known := self._names.get(text[:end]):
                for rest in self._holes(others, text[end:]):
                    yield from ((name, *rest) for name in known)
            end = text.find(behind, end + 1) if end < len(text) else -1

    @cached_property
    def _sentences(self) -> tuple[_Sentence, ...]:
        sizes = {name.lower(): (name, len(action.parameters)) for name, action in self.model.domain.actions.items()}
        return tuple(
            _Sentence(
                action=sizes[name.lower()][0],
                pieces=_pieces(text),
                order=tuple(int(hole) - 1 if hole else place for place, hole in enumerate(HOLE.findall(text))),
            )
            for name, texts in self.templates.actions.items()
            for text in texts
            if len(HOLE.findall(text)) == sizes[name.lower()][1]  # without holes it is only the verb
        )

    @cached_property
    def _names(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = defaultdict(list)
        for name in self.model.problem.objects:
            for said in dict.fromkeys(map(_plain, (*self.templates.names(name), name))):
                found[said].append(name)
        return {said: tuple(names) for said, names in found.items()}


def _plain(text: str) -> str:
    """Return a text in lower case, with one space for several."""
    return " ".join(text.lower().split())


def _pieces(text: str) -> tuple[str, ...]:
    return tuple(HOLE.split(_plain(text))[::2])
