"""What the files of an editor are, and which belong together: the domain of a problem, the problem of a plan."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from itertools import takewhile
from pathlib import Path

from validator.model.pddl.frame import head_of
from validator.records import dataclass

_ITS_DOMAIN = re.compile(r"\(\s*:domain\s+([^\s();]+)", re.IGNORECASE)
_NAMED = re.compile(r"^;+\s*!?(domain|problem)\s*:\s*(\S+)", re.IGNORECASE | re.MULTILINE)
"""A comment in a plan that names its model; VS Code's extension writes ``;;!problem: NAME``."""
_MODELS = (".pddl",)
_MOST_FILES = 2000


class Kind(StrEnum):
    DOMAIN = "domain"
    PROBLEM = "problem"
    PLAN = "plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text by its path; ``name`` is what it defines, ``domain`` the name of the domain that a problem is for."""

    path: Path
    text: str
    kind: Kind
    name: str = ""
    domain: str = ""

    @classmethod
    def of(cls, path: Path, text: str) -> Document:
        head = head_of(text)
        if head is None:
            return cls(path=path, text=text, kind=Kind.PLAN)
        kind = Kind(head[0])
        asked = _ITS_DOMAIN.search(text) if kind is Kind.PROBLEM else None
        return cls(path=path, text=text, kind=kind, name=head[1], domain=asked[1].lower() if asked else "")


class Files:
    """The files around one that is open; ``read`` gives the text of a path as the editor has it, or as it is kept."""

    def __init__(self, read: Callable[[Path], str | None]) -> None:
        self._read = read

    def document(self, path: Path) -> Document | None:
        text = self._read(path)
        return None if text is None else Document.of(path, text)

    def domain_of(self, problem: Document) -> Document | None:
        """Return the domain that a problem names, in its folder or above; the most similar by name of several."""
        for folder in problem.path.parents[:2]:
            near = [found for found in self._around(folder) if found.kind is Kind.DOMAIN]
            named = [found for found in near if found.name == problem.domain]
            if named or (len(near) == 1 and folder == problem.path.parent):
                return _likest(problem, named or near)
        return None

    def problem_of(self, plan: Document) -> Document | None:
        """Return the problem of a plan: the one that its comment names, else the most similar by name in the folder."""
        near = [found for found in self._around(plan.path.parent) if found.kind is Kind.PROBLEM]
        for kind, name in _NAMED.findall(plan.text):
            if kind.lower() == "problem":
                near = [found for found in near if name.lower() in (found.name, found.path.name.lower())]
        return _likest(plan, near) if near else None

    def _around(self, folder: Path) -> list[Document]:
        try:
            paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in _MODELS)[:_MOST_FILES]
        except OSError:
            return []
        return [found for path in paths if (found := self.document(path)) is not None]


def _likest(document: Document, near: list[Document]) -> Document:
    def likeness(found: Document) -> tuple[bool, int]:
        same = _stem(found.path) == _stem(document.path)
        pairs = takewhile(lambda pair: pair[0] == pair[1], zip(found.path.name, document.path.name, strict=False))
        return same, len(list(pairs))

    return max(near, key=likeness)


def _stem(path: Path) -> str:
    """Return the name of a file without what says which kind of file it is."""
    return re.sub(r"domain|problem|instance|plan|[-_.]", "", path.name.partition(".")[0].lower())
