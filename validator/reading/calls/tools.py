"""Which names mean the same tool: the one rule for policies, guards and proxies.

1. Neither case, nor joints (``-``, ``_``, blank), nor camel case tell two names apart: ``get_user``, ``Get-User``,
   ``getUser``.
2. What stands before ``.``, ``__``, ``/`` or ``:`` is a server: ``mcp__shop__pay``, ``shop.pay`` and ``shop:pay`` are
   the tool ``pay`` of the server ``shop``. A name without a server means this tool of every server.
3. A name that only looks like another one *resembles* it: by invisible or look-alike letters, by brackets or other
   signs, without its joints, without the server that the other one has, or by one letter more, less or else.
4. A name with another sign than letters, digits, ``_``, ``-``, ``.``, ``/``, ``:`` is none that a host lets a tool
   have: ``pay%00``, ``pay now``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from fnmatch import translate
from functools import cache, cached_property, lru_cache
from pathlib import Path

from validator.reading.calls.objects import spelled
from validator.resources import Recent

MOST_CHARACTERS = 128
"""A longer text is no name of a tool (as MCP has it) or an argument."""

_SERVER = re.compile(r"__+|[./:]+")
_HOSTS = frozenset(("mcp", "functions", "tools", "default_api"))
"""words with which hosts begin the name of any tool"""

_Parts = tuple[str, ...]


@lru_cache(maxsize=4096)
def _forms(name: str) -> frozenset[_Parts]:
    """Return a name as it is compared, with its servers: by its case alone, and by its humps."""
    return frozenset(tuple(map(_joined, _parts(each))) for each in (name.strip().lower(), name.strip()))


@lru_cache(maxsize=4096)
def _rule_forms(rule: str) -> frozenset[_Parts]:
    """Return the same of a name in a rule, without the word of a host."""
    forms = _forms(rule)
    return frozenset(form[1:] if len(form) > 1 and form[0] in _HOSTS and form[1] != "*" else form for form in forms)


def _parts(name: str) -> list[str]:
    return [part for part in _SERVER.split(name) if part.strip("-_ ")] or [name]


def _joined(part: str) -> str:
    return re.sub(r"[-_\s]+", "_", spelled(part)).strip("_")


@lru_cache(maxsize=4096)
def _family(rule: str) -> re.Pattern[str]:
    return re.compile("|".join(translate("/".join(form)) for form in sorted(_rule_forms(rule))))


def same_tool(rule: str, name: str) -> bool:
    """Return whether a name is that of a tool which a rule names; ``*`` in a rule stands for any characters."""
    return len(name) <= MOST_CHARACTERS and _same_tool(rule, name)


@lru_cache(maxsize=16_384)
def _same_tool(rule: str, name: str) -> bool:
    if "*" in rule:
        match = _family(rule).match
        return any(match("/".join(form[place:])) for form in _forms(name) for place in range(len(form)))
    return any(form[-len(end) :] == end for end in _rule_forms(rule) for form in _forms(name))


def own_name(name: str) -> str:
    """Return a tool's name without its server."""
    return _parts(name)[-1]


# --- names that resemble another ------------------------------------------------------------------

_ALIKE = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l"})
"""signs of ASCII that look alike"""
_LATIN = re.compile(r"LATIN [A-Z ]*LETTER (?:[A-Z]+ )*([A-Z])(?: WITH .*)?")
"""what Unicode calls a Latin letter with a stroke, a hook, in small capitals"""
_SIGNS = re.compile(r"[^\w\-./:]")


def suspicious(name: str) -> str:
    """Say which letters of a name are invisible or look like others; empty where none is."""
    found = [letter for letter in name[:MOST_CHARACTERS] if not letter.isascii() and _plain(letter) != letter.lower()]
    return ", ".join(dict.fromkeys(f"U+{ord(letter):04X} {unicodedata.name(letter, '')}".strip() for letter in found))


def signs(name: str) -> str:
    """Return the signs of a name that no host lets a tool's name have, blanks among them, as they are written."""
    found = dict.fromkeys(_SIGNS.findall(name[:MOST_CHARACTERS].strip()))
    return " ".join(repr(sign) if sign.isspace() or not sign.isprintable() else sign for sign in found)


@lru_cache(maxsize=4096)
def look(name: str) -> str:
    """Return what names of arguments that look alike have in common: letters without case, joints and disguise."""
    return "" if len(name) > MOST_CHARACTERS else _alike("".join(_parts(_plain(name))))


@cache
def _look_alike() -> dict[int, str]:
    """Return for letters the one of ASCII that they look like, beside Latin ones and what NFKD makes the same.

    They are Unicode's confusables; a line has the letter of ASCII and those that look like it.
    """
    lines = Path(__file__).with_name("look_alike.txt").read_text(encoding="utf-8").split("\n")
    return str.maketrans({letter: line[0] for line in lines for letter in line[2:]})


def _plain(name: str) -> str:
    """Return a name without invisible signs, each letter that looks like one of ASCII as this one."""
    if name.isascii():
        return name.lower()
    whole = unicodedata.normalize("NFKD", name).casefold().translate(_look_alike())
    return "".join(_latin(each) for each in whole if unicodedata.category(each)[0] not in "CM")


def _latin(letter: str) -> str:
    found = None if letter.isascii() else _LATIN.fullmatch(unicodedata.name(letter, ""))
    return letter if found is None else found[1].lower()


def _signless(part: str) -> str:
    return re.sub(r"[^\w*]|_", "", part)


def _alike(letters: str) -> str:
    return _signless(letters).translate(_ALIKE).replace("rn", "m").replace("vv", "w")


def _shorter(letters: str) -> Iterator[str]:
    """Yield a text without one of its letters; names that differ in a digit are two names."""
    for place, letter in enumerate(letters):
        if not letter.isdigit():
            yield letters[:place] + letters[place + 1 :]


_SHORTEST = 4
"""letters of the longer of two names of which one letter more, less or else makes one resemble the other"""
_MOST_SERVERS = 5
"""parts of a name, from its end, behind each of which it may resemble another"""


class Known:
    """Names of tools that are known, and which of them another name means or resembles."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(dict.fromkeys(names))
        self._exact = frozenset(self.names)
        self._kept = Recent[str, str | None](10_000)

    def __contains__(self, name: object) -> bool:
        return name in self._exact

    def same(self, name: str) -> str | None:
        """Return the known tool that a name means; None where there is none, or it may be one of several."""
        if name in self._exact:
            return name
        found = [each for each in self.names if same_tool(each, name)]
        return found[0] if len(found) == 1 else None

    def has_same(self, name: str) -> bool:
        """Return whether a name is that of a known tool, or of several."""
        return any(same_tool(each, name) for each in self.names)

    def resembles(self, name: str) -> str | None:
        """Return the known name that another one resembles; None where there is none, and where one is the same."""
        if name not in self._kept:
            self._kept[name] = None if self.has_same(name) else self._resembles(name)
        return self._kept[name]

    def _resembles(self, name: str) -> str | None:
        parts = [_signless(part) for part in _parts(_plain(name))]
        for place in (0, *range(max(1, len(parts) - _MOST_SERVERS), len(parts))):
            letters = "".join(parts[place:])
            has_server = place < len(parts) - 1
            for head, family, of_server in self._heads:
                if has_server == of_server and _alike(letters).startswith(head):
                    return family
            keys = [f"={_alike(letters)}", *([f".{_alike(letters)}"] if len(parts) == 1 else ())]
            keys += (letters, *_shorter(letters)) if len(letters) <= self._longest else ()
            for known, length in (each for key in keys for each in self._looks.get(key, ())):
                if max(len(letters), length) >= _SHORTEST:
                    return known
        return None

    @cached_property
    def _spelled(self) -> list[tuple[str, list[str]]]:
        """Each name with its parts, without signs."""
        found = ((name, next(iter(_rule_forms(name)))) for name in self.names)
        return [(name, [_signless(_plain(part)) for part in parts]) for name, parts in found]

    @cached_property
    def _longest(self) -> int:
        return 1 + max((len("".join(parts)) for _, parts in self._spelled), default=0)

    @cached_property
    def _looks(self) -> dict[str, list[tuple[str, int]]]:
        """The names, each with its length, by their letters, and by these without one.

        Behind ``=`` they stand by what they look like, behind ``.`` without their server.
        """
        found: dict[str, list[tuple[str, int]]] = {}
        for name, parts in self._spelled:
            if "*" not in name:
                letters = "".join(parts)
                keys = dict.fromkeys((letters, *_shorter(letters)), len(letters)) | {f"={_alike(letters)}": _SHORTEST}
                keys |= {f".{_alike(parts[-1])}": _SHORTEST} if len(parts) > 1 else {}
                for key, length in keys.items():
                    found.setdefault(key, []).append((name, length))
        return found

    @cached_property
    def _heads(self) -> list[tuple[str, str, bool]]:
        """What families begin with, and whether that is a server."""
        heads = [(_alike("".join(parts)), name, len(parts) > 1) for name, parts in self._spelled if "*" in name]
        return [(head[:-1], name, of) for head, name, of in heads if head.find("*") == len(head) - 1 > 2]
