"""The documents of an editor, and their places in its units."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from validator.checking.prepared import Prepared, prepare
from validator.errors import InputError
from validator.lsp.changes import Change
from validator.lsp.documents import Document, Files, Kind
from validator.render.tools.findings import Place, Source
from validator.texts import no_path

_MOMENT = 0.2


class Editor:
    """What is open in an editor, and what of it belongs together; ``server`` is the connection."""

    def __init__(self, server: LanguageServer) -> None:
        self.server = server
        self.files = Files(self._text)
        self._waiting: dict[str, asyncio.TimerHandle] = {}

    def soon(self, uri: str, do: Callable[[Editor, str], None]) -> None:
        """Do something about a document when nobody has typed in it for a moment."""
        if uri in self._waiting:
            self._waiting.pop(uri).cancel()
        self._waiting[uri] = asyncio.get_running_loop().call_later(_MOMENT, do, self, uri)

    def _text(self, path: Path) -> str | None:
        known = self.server.workspace.text_documents.get(uri_of(path))
        if known is not None:
            return str(known.source)
        try:
            return path.read_bytes().decode("utf-8-sig", "replace")
        except OSError:
            return None

    def document(self, uri: str) -> Document | None:
        path = to_fs_path(uri)
        return None if path is None else self.files.document(Path(path))

    def model_of(self, document: Document) -> tuple[Document, Document] | None:
        """Return domain and problem of a problem or a plan, where both are there."""
        problem = self.files.problem_of(document) if document.kind is Kind.PLAN else document
        if problem is None or problem.kind is not Kind.PROBLEM:
            return None
        domain = self.files.domain_of(problem)
        return None if domain is None else (domain, problem)

    def prepared(self, plan: Document) -> Prepared | None:
        """Return the model of a plan; None without one, or with one that cannot be read now."""
        model = self.model_of(plan)
        try:
            return None if model is None else prepare(no_path(model[0].text), no_path(model[1].text))
        except InputError:
            return None

    def offset(self, document: Document, position: types.Position) -> int:
        return int(self.server.workspace.get_text_document(uri_of(document.path)).offset_at_position(position))

    def range(self, document: Document, place: Place) -> types.Range:
        """Return a place, whose columns are characters, in the units of the editor."""
        lines = document.text.split("\n")
        line = min(max((place.line or 1) - 1, 0), len(lines) - 1)
        end_line = min((place.end_line or line + 1) - 1, len(lines) - 1)
        start = _position(lines, line, (place.column or 1) - 1)
        width = len(lines[line]) if place.end_column is None else place.end_column - 1
        return types.Range(start, _position(lines, end_line, width))

    def span(self, document: Document, span: tuple[int, int]) -> types.Range:
        return self.range(document, Source(name="", text=document.text).place(span))

    def edit(self, document: Document, change: Change) -> types.WorkspaceEdit:
        edit = types.TextEdit(range=self.span(document, change.span), new_text=change.text)
        return types.WorkspaceEdit(changes={uri_of(document.path): [edit]})


def _position(lines: Sequence[str], line: int, column: int) -> types.Position:
    """Return a place in UTF-16 code units, which is what editors count in."""
    return types.Position(line=line, character=len(lines[line][:column].encode("utf-16-le")) // 2)


def source_of(document: Document) -> Source:
    return Source(name=str(document.path), text=document.text)


def uri_of(path: Path) -> str:
    return str(from_fs_path(str(path)))
