"""References to the results of other calls inside arguments: ``$var1.lat$``, ``$var1.temps[0].max``, ``<node-0>``.

A text that is one reference stands for the result itself, one that holds references is a text in any case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping

from validator.flow.tools.schema import Path, shown
from validator.records import dataclass

__all__ = ["ASKED", "Reference", "asked", "references", "replaced", "within", "written"]

ASKED = "ask"
"""The label of what the user has to say: ``$ask.city$``."""

_LABEL = r"[A-Za-z_]\w*(?:-\w+)*"
_PATH = r"(?:\.[^\s$.\[\]]+|\[\d+\])*"
_BLANKS = r"(?:\.[^$.\[\]\n]+|\[\d+\])+"
_REFERENCE = re.compile(
    rf"\$\{{(?P<braced>{_LABEL})(?P<inside>{_PATH})\}}"
    rf"|\$(?P<closed>{_LABEL})(?P<path>{_PATH})\$"
    rf"|\$(?P<wide>{_LABEL})(?P<blanks>{_BLANKS})\$(?![A-Za-z_])"
    rf"|\$(?P<open>{_LABEL})(?P<rest>(?:\.[A-Za-z_]\w*|\[\d+\])*)"
    r"|<node-(?P<node>\d+)>"
)
_PART = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_CUT = re.compile(rf"(?P<label>{_LABEL})(?P<path>\.[^\s$]+)\$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What a text refers to. ``text`` is how it is written, ``is_whole`` whether nothing else stands in the text."""

    label: str
    path: Path
    text: str
    is_whole: bool = True
    is_broken: bool = False
    """written without the sign at its beginning"""

    def written(self, label: str, path: Path) -> str:
        """Return a reference to something else, in the same writing."""
        if self.text.startswith("<node-") and not path:
            return f"<{label}>"
        if self.text.startswith("${"):
            return f"${{{label}{_tail(path)}}}"
        closes = self.text.endswith("$") or self.text.startswith("<") or any(" " in str(part) for part in path)
        return f"${label}{_tail(path)}{'$' if closes else ''}"

    def to(self, label: str) -> str:
        """Return a reference to the same field of another call, in the same writing."""
        return self.written(label, self.path)

    @property
    def field(self) -> str:
        return shown(self.path)


def _tail(path: Path) -> str:
    tail = shown(path)
    return tail if tail.startswith("[") or not tail else f".{tail}"


def written(label: str, path: Path) -> str:
    """Return a reference to a field of a call."""
    return Reference(label=label, path=path, text="$$").written(label, path)


def asked(name: str) -> str:
    """Return what stands for a value that the user has to say."""
    return f"${ASKED}.{name}$"


def references(text: str, labels: Collection[str]) -> Iterator[Reference]:
    """Yield the references in a text.

    What only looks like one is none: ``$5``, ``$HOME`` and the formula ``$x$``, unless a call has that label, or labels
    of the list are numbered in the same way.
    """
    bare = text.strip()
    if "$" not in text and "<node-" not in text:
        return
    for match in _REFERENCE.finditer(text):
        found = _reference(match, is_whole=match[0] == bare)
        if found.label in labels or (_is_meant(match, found) or _is_numbered(found.label, labels)):
            yield found
    if (cut := _CUT.fullmatch(bare)) and cut["label"] in labels:
        yield Reference(label=cut["label"], path=_path(cut["path"]), text=bare, is_broken=True)


def _reference(match: re.Match[str], *, is_whole: bool) -> Reference:
    groups = match.groupdict()
    if groups["node"] is not None:
        return Reference(label=f"node-{groups['node']}", path=(), text=match[0], is_whole=is_whole)
    pairs = (("braced", "inside"), ("closed", "path"), ("wide", "blanks"), ("open", "rest"))
    label, path = next((groups[one], groups[two]) for one, two in pairs if groups[one] is not None)
    return Reference(label=label, path=_path(path), text=match[0], is_whole=is_whole)


def _path(text: str) -> Path:
    return tuple(int(match[2]) if match[2] is not None else match[1] for match in _PART.finditer(text))


def _is_meant(match: re.Match[str], found: Reference) -> bool:
    """Return whether the form alone says that something is a reference: a sign at each end, and a field."""
    is_closed = any(match[group] is not None for group in ("braced", "closed", "wide", "node"))
    return (is_closed and (bool(found.path) or match["node"] is not None)) or (found.is_whole and bool(found.path))


_DIGITS = re.compile(r"_?\d+$")


def _is_numbered(label: str, labels: Collection[str]) -> bool:
    """Return whether a label is made as those of the list are: ``var9`` beside ``var1``."""
    stem = _DIGITS.sub("", label)
    return stem != label and any(stem == _DIGITS.sub("", each) != each for each in labels)


def replaced(value: object, change: Callable[[str], object]) -> object:
    """Return a JSON value with each text changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: replaced(each, change) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [replaced(each, change) for each in value]
    return value


def within(value: object, labels: Collection[str]) -> Iterator[Reference]:
    """Yield the references inside a JSON value."""
    if isinstance(value, str):
        yield from references(value, labels)
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from within(each, labels)
