"""What a file declares, where a name stands in the files of a domain, and another name in all of these places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

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
    return [] if found is None else list(_places(editor, found, asked.context))


def prepared(editor: Editor, asked: types.PrepareRenameParams) -> types.Range | None:
    """Return the name that would get another one; None where there is none."""
    found = _at(editor, asked)
    return None if found is None or len(found.kinds) != 1 else editor.span(found.document, found.span)


def renamed(editor: Editor, asked: types.RenameParams) -> types.WorkspaceEdit | None:
    """Return the edits that give a name another one wherever it stands. Raises JsonRpcInvalidParams with the reason."""
    found = _at(editor, asked)
    if found is None:
        return None
    new = asked.new_name
    if len(found.kinds) > 1:
        raise JsonRpcInvalidParams(f"'{found.name}' names several things here: {' and '.join(sorted(found.kinds))}")
    if _NAME.fullmatch(new) is None:
        raise JsonRpcInvalidParams(f"'{new}' is no name of PDDL: a letter, then letters, digits, - and _")
    if new.lower() != found.name and _kinds(found.family, new.lower()):
        raise JsonRpcInvalidParams(f"'{new}' is declared already")
    changes: dict[str, list[types.TextEdit]] = {}
    for location in _places(editor, found, None):
        changes.setdefault(location.uri, []).append(types.TextEdit(range=location.range, new_text=new))
    return types.WorkspaceEdit(changes=changes)


class _Found(NamedTuple):
    """A name at a place of a document, which some of the ``family`` declares as things of some ``kinds``."""

    document: Document
    name: str
    span: tuple[int, int]
    family: tuple[Document, ...]
    kinds: set[str]


def _at(editor: Editor, asked: types.ReferenceParams | types.RenameParams | types.PrepareRenameParams) -> _Found | None:
    """Return the name at the place of a question, if that is declared anywhere."""
    document = editor.document(asked.text_document.uri)
    place = None if document is None else name_at(document.text, editor.offset(document, asked.position))
    if document is None or place is None:
        return None
    family = editor.files.family(document)
    kinds = _kinds(family, place[0])
    return _Found(document, *place, family, kinds) if kinds else None


def _kinds(family: tuple[Document, ...], name: str) -> set[str]:
    """Return which kinds of things have a name, in a domain and its problems."""
    model = (each for each in family if each.kind is not Kind.PLAN)
    return {one.kind for each in model for one in declared(each.text) if one.name == name}


def _places(editor: Editor, found: _Found, context: types.ReferenceContext | None) -> Iterator[types.Location]:
    for each in found.family:
        own = {one.span for one in declared(each.text)} if each.kind is not Kind.PLAN else set()
        for span in named(each.text, found.name, is_plan=each.kind is Kind.PLAN):
            if context is None or context.include_declaration or span not in own:
                yield types.Location(uri=uri_of(each.path), range=editor.span(each, span))
