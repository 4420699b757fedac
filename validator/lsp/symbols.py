"""What a file declares, where a name stands in the files of a domain, and another name in all of these places."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from validator.lsp.documents import Document, Kind
from validator.lsp.editor import Editor, uri_of
from validator.lsp.names import declared, name_at, named

__all__ = ["prepared", "references", "renamed", "symbols"]

_KINDS = {
    "action": types.SymbolKind.Function,
    "predicate": types.SymbolKind.Boolean,
    "function": types.SymbolKind.Number,
    "type": types.SymbolKind.Class,
    "object": types.SymbolKind.Constant,
}
_NAME = re.compile(r"[A-Za-z][\w-]*")


def symbols(editor: Editor, asked: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    """Return what a domain or problem declares, in the order of its text."""
    document = editor.document(asked.text_document.uri)
    if document is None or document.kind is Kind.PLAN:
        return []
    places = ((one, editor.span(document, one.span)) for one in declared(document.text))
    return [
        types.DocumentSymbol(name=one.name, detail=one.kind, kind=_KINDS[one.kind], range=place, selection_range=place)
        for one, place in places
    ]


def references(editor: Editor, asked: types.ReferenceParams) -> list[types.Location]:
    """Return where a name of the model stands: in the domain, its problems and their plans."""
    found = _at(editor, asked)
    return [] if found is None else [location for _, location in _places(editor, *found, asked.context)]


def prepared(editor: Editor, asked: types.PrepareRenameParams) -> types.Range | None:
    """Return the name that would get another one; None where there is none."""
    found = _at(editor, asked)
    if found is None or len(_kinds(editor, *found)) != 1:
        return None
    document, _ = found
    place = name_at(document.text, editor.offset(document, asked.position))
    return None if place is None else editor.span(document, place[1])


def renamed(editor: Editor, asked: types.RenameParams) -> types.WorkspaceEdit | None:
    """Return the edits that give a name another one wherever it stands. Raises JsonRpcInvalidParams with the reason."""
    found = _at(editor, asked)
    if found is None:
        return None
    document, name = found
    kinds, new = _kinds(editor, document, name), asked.new_name
    if len(kinds) > 1:
        raise JsonRpcInvalidParams(f"'{name}' names several things here: {' and '.join(sorted(kinds))}")
    if _NAME.fullmatch(new) is None:
        raise JsonRpcInvalidParams(f"'{new}' is no name of PDDL: a letter, then letters, digits, - and _")
    if new.lower() != name and _kinds(editor, document, new.lower()):
        raise JsonRpcInvalidParams(f"'{new}' is declared already")
    changes: dict[str, list[types.TextEdit]] = {}
    for _, location in _places(editor, document, name, None):
        changes.setdefault(location.uri, []).append(types.TextEdit(range=location.range, new_text=new))
    return types.WorkspaceEdit(changes=changes)


def _at(
    editor: Editor, asked: types.ReferenceParams | types.RenameParams | types.PrepareRenameParams
) -> tuple[Document, str] | None:
    """Return the document of a question and the name at its place, if that is declared anywhere."""
    document = editor.document(asked.text_document.uri)
    found = None if document is None else name_at(document.text, editor.offset(document, asked.position))
    if document is None or found is None or not _kinds(editor, document, found[0]):
        return None
    return document, found[0]


def _kinds(editor: Editor, document: Document, name: str) -> set[str]:
    """Return which kinds of things have a name, in the domain of a document and its problems."""
    model = (each for each in editor.files.family(document) if each.kind is not Kind.PLAN)
    return {one.kind for each in model for one in declared(each.text) if one.name == name}


def _places(
    editor: Editor, document: Document, name: str, context: types.ReferenceContext | None
) -> Iterator[tuple[Document, types.Location]]:
    for each in editor.files.family(document):
        own = {one.span for one in declared(each.text)} if each.kind is not Kind.PLAN else set()
        for span in named(each.text, name, is_plan=each.kind is Kind.PLAN):
            if context is None or context.include_declaration or span not in own:
                yield each, types.Location(uri=uri_of(each.path), range=editor.span(each, span))
