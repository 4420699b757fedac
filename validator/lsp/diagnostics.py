"""Diagnostics of a file, for the editor, while its user types."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from validator.checking.check import check
from validator.errors import ValidatorError
from validator.lsp.documents import Document, Kind
from validator.lsp.editor import Editor, source_of, uri_of
from validator.render.tools.findings import Finding, Level, Place, Source, error_finding, findings, model_findings
from validator.texts import no_path

_LEVELS = {
    Level.ERROR: types.DiagnosticSeverity.Error,
    Level.WARNING: types.DiagnosticSeverity.Warning,
    Level.NOTE: types.DiagnosticSeverity.Information,
}
_MOST = 100
"""findings of a file that are shown"""
_SECONDS = 5.0
"""that a check may take while one types"""


def changed(editor: Editor, uri: str) -> None:
    """Tell what is wrong with a file that was opened or changed, and with the open files that depend on it."""
    document = editor.document(uri)
    if document is None:
        return
    _tell(editor, document)
    for name in list(editor.server.workspace.text_documents):
        other = editor.document(name)
        if other is not None and other.path != document.path and _depends(editor, other, document):
            _tell(editor, other)


def _depends(editor: Editor, other: Document, document: Document) -> bool:
    model = editor.model_of(other)
    return model is not None and document.path in (model[0].path, model[1].path)


def _tell(editor: Editor, document: Document) -> None:
    try:
        found: Sequence[Finding] = _findings(editor, document)
    except (ValidatorError, ValueError, RecursionError) as error:
        found = [error_finding(error, str(document.path))]
    here = [finding for finding in found if finding.place.source == str(document.path)]
    shown = [_diagnostic(editor, document, finding) for finding in here[:_MOST]]
    told = types.PublishDiagnosticsParams(uri=uri_of(document.path), diagnostics=shown)
    editor.server.text_document_publish_diagnostics(told)


def _findings(editor: Editor, document: Document) -> Sequence[Finding]:
    source = source_of(document)
    if document.kind is Kind.DOMAIN:
        return model_findings(source)
    if document.kind is Kind.PROBLEM:
        domain = editor.files.domain_of(document)
        return [_alone(source, document.domain)] if domain is None else model_findings(source_of(domain), [source])
    model = editor.prepared(document)
    if model is None:
        return ()
    report = check(model, None, no_path(document.text), repair=False, time_limit=_SECONDS)
    return findings(report, source)


def _diagnostic(editor: Editor, document: Document, finding: Finding) -> types.Diagnostic:
    related = [
        types.DiagnosticRelatedInformation(
            location=types.Location(uri=uri_of(document.path), range=editor.range(document, place)), message=said
        )
        for said, place in finding.related
    ]
    return types.Diagnostic(
        range=editor.range(document, finding.place),
        message=finding.message,
        severity=_LEVELS[finding.level],
        code=finding.rule,
        source="plan-validator",
        related_information=related or None,
    )


def _alone(source: Source, domain: str) -> Finding:
    said = f"no domain '{domain}' was found in the folder of the problem or in the one above it"
    return Finding(rule="warning", level=Level.NOTE, message=said, place=Place(source=source.name, line=1, column=1))
