"""What an editor asks about a place: what stands there, where it is declared, what fits."""

from __future__ import annotations

from lsprotocol import types

from validator.errors import InputError
from validator.lsp.documents import Document, Kind
from validator.lsp.editor import Editor, uri_of
from validator.lsp.names import declared, name_at
from validator.lsp.steps import about_action, about_predicate, about_step, proposals
from validator.model.pddl import read_domain, read_problem
from validator.reading.tokens import tokenize
from validator.texts import no_path

__all__ = ["completion", "definition", "hover"]


def hover(editor: Editor, asked: types.HoverParams) -> types.Hover | None:
    """Say what a step needs and does, what an action or a predicate is, of which type an object is."""
    document = editor.document(asked.text_document.uri)
    if document is None:
        return None
    offset = editor.offset(document, asked.position)
    said = _about_step(editor, document, offset) if document.kind is Kind.PLAN else ""
    said = said or _about_name(editor, document, offset)
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, said)) if said else None


def _about_step(editor: Editor, document: Document, offset: int) -> str:
    model = editor.prepared(document)
    plan = None if model is None else tokenize(no_path(document.text), model.vocabulary)
    if model is None or plan is None:
        return ""
    for index, token in enumerate(plan.tokens):
        if token.span[0] <= offset <= token.span[1]:
            return about_step(model, plan, index)
    return ""


def _about_name(editor: Editor, document: Document, offset: int) -> str:
    found, model = name_at(document.text, offset), editor.model_of(document)
    if found is None or (model is None and document.kind is not Kind.DOMAIN):
        return ""
    name = found[0]
    try:
        domain = read_domain(no_path((model[0] if model else document).text))
        objects = {} if model is None else read_problem(no_path(model[1].text), domain).objects
    except InputError:
        return ""
    if name in domain.actions:
        return about_action(domain, domain.actions[name])
    if name in domain.predicates:
        return about_predicate(domain, name)
    types_of = objects.get(name) or domain.constants.get(name)
    return f"`{name}` is of type {' or '.join(sorted(types_of))}" if types_of else ""


def definition(editor: Editor, asked: types.DefinitionParams) -> list[types.Location]:
    """Say where the name at a place is declared: in the domain, the problem or the file iteditor."""
    document = editor.document(asked.text_document.uri)
    found = None if document is None else name_at(document.text, editor.offset(document, asked.position))
    if document is None or found is None:
        return []
    model = editor.model_of(document) or (document if document.kind is Kind.DOMAIN else None, document)
    seen = {each.path: each for each in (document, *model) if each is not None and each.kind is not Kind.PLAN}
    return [
        types.Location(uri=uri_of(each.path), range=editor.span(each, one.span))
        for each in seen.values()
        for one in declared(each.text)
        if one.name == found[0]
    ]


def completion(editor: Editor, asked: types.CompletionParams) -> list[types.CompletionItem]:
    """Offer the actions and objects that fit after what is typed of a step; first those with which it can run."""
    document = editor.document(asked.text_document.uri)
    model = None if document is None or document.kind is not Kind.PLAN else editor.prepared(document)
    if document is None or model is None:
        return []
    offset = editor.offset(document, asked.position)
    start = document.text.rfind("\n", 0, offset) + 1
    line = document.text[start:offset]
    if ";" in line:
        return []
    words = line.rpartition("(")[2].split()
    words = words if not line or line[-1].isspace() or line[-1] == "(" else words[:-1]
    before = tokenize(no_path(document.text[:start]), model.vocabulary).tokens
    is_action = not words
    kind = types.CompletionItemKind.Function if is_action else types.CompletionItemKind.Value
    return [
        types.CompletionItem(label=one.text, kind=kind, detail=one.about, sort_text=f"{not one.can_run:d}{number:05}")
        for number, one in enumerate(proposals(model, before, words))
    ]
