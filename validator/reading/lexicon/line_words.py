"""A line of text as words: without its markdown, with the place of each, and what is glued to what."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from validator.records import dataclass
from validator.resources import cached_if_short

if TYPE_CHECKING:
    from validator.model.values import Model

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value", bound=Hashable)

LONGEST_NAME = 4_000
"""characters of a name, a clause or an item that are looked at"""
LONGEST_SENTENCE = 400
"""characters of a sentence that is looked up"""
MOST_WORDS = 160
"""of one line that are looked at: steps are short, and a line of a megabyte must not take its time"""
_TOKEN = re.compile(
    r"""\b[Nn]o\.\s*(?=\d) | [A-Za-z]*[À-ÖØ-öø-ɏ][A-Za-zÀ-ÖØ-öø-ɏ]* | [A-Z]+(?![a-z]) | [A-Z]?[a-z]+ | [^\W\d_]+ | \d+
      | -> | => | [→⇒—–] | (?<=\s)-(?=\s) | [()\[\],;:!?=&]
      | (?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bMrs)\.(?=[\s*_`"')\]]|$)""",
    re.VERBOSE,
)
_CLOSING = frozenset("*`\"'”’_")
_GLUE = frozenset(("", "-", "_", "\\_", "_{", "__", ".", "'", "’"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words and signs of a line: in lower case, where each is, and whether it belongs to the one before it.

    ``pick-up``, ``pick_up`` and ``PickUp`` are two words, the second glued to the first; ``p0`` too.
    """

    texts: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    glued: tuple[bool, ...]
    line: str

    def __len__(self) -> int:
        return len(self.texts)

    def at(self, index: int) -> str:
        """Return a word or sign, and an empty text behind the last."""
        return self.texts[index] if index < len(self.texts) else ""

    def is_border(self, index: int) -> bool:
        """Return whether a word ends before an index."""
        return index >= len(self.texts) or not self.glued[index]

    def is_closed(self, index: int) -> bool:
        """Return whether a mark stands behind a word that closes what is set apart: `` `a` ``, **a**."""
        return self.line[self.ends[index] : self.ends[index] + 1] in _CLOSING

    def is_contracted_not(self, index: int) -> bool:
        """Return whether a word is the t of can't or don't."""
        return self.texts[index] == "t" and self.line[self.starts[index] - 1 : self.starts[index]] in ("'", "’")


@cached_if_short(5_000, characters=300)
def words_of(text: str) -> Words:
    """Return the first words of a line."""
    texts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    glued: list[bool] = []
    last = -1
    for match in islice(_TOKEN.finditer(text), MOST_WORDS):
        start, end = match.span()
        word = match.group()
        is_word = word[0].isalnum()
        is_sign = (start and text[start - 1] == "\\") or "." in word  # of LaTeX, such as \text; "hall no. 1"
        if is_word and is_sign:
            continue
        texts.append(word.lower())
        glued.append(is_word and last >= 0 and start - last < 3 and text[last:start] in _GLUE)
        starts.append(start)
        ends.append(end)
        last = end if is_word else -1
    return Words(texts=tuple(texts), starts=tuple(starts), ends=tuple(ends), glued=tuple(glued), line=text)


@lru_cache(maxsize=20_000)
def parts(name: str) -> tuple[str, ...]:
    """Return the words and numbers of a name: ``location_1_0`` is location, 1, 0."""
    return tuple(word for word in words_of(name).texts if word[0].isalnum())


def words_in(model: Model, name: str) -> tuple[str, ...]:
    """Return the words and numbers of a name of a model, whose text may begin words in it with capitals: pickUp."""
    return parts(model.written(name))


def grouped(pairs: Iterable[tuple[_Key, _Value]]) -> dict[_Key, tuple[_Value, ...]]:
    """Return the values of each key, each once, in their order."""
    found: dict[_Key, dict[_Value, None]] = {}
    for key, value in pairs:
        found.setdefault(key, {})[value] = None
    return {key: tuple(values) for key, values in found.items()}
