"""The server: which request of an editor is answered by what. Started by ``plan-validator lsp``.

Diagnostics come while the user types, code actions and their commands make a faulty plan right, and a step under the
cursor says what it needs and does in its state, and which step made each fact true or false.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from validator import __version__
from validator.checking.check import check
from validator.checking.prepared import Prepared, prepare
from validator.errors import InputError, ValidatorError
from validator.execution.links import causal_links
from validator.execution.simulator import Simulator
from validator.execution.trace import Origin
from validator.lsp.changes import Change, nearest_plan, other_readings, repaired_domain
from validator.lsp.documents import Document, Files, Kind
from validator.model.conditions import Binding, bound, conjuncts, holds
from validator.model.pddl.write import atom_text, formula_text
from validator.model.values import Formula
from validator.reading.plan import Plan, Step
from validator.reading.tokens import tokenize
from validator.render.tools.findings import Finding, Level, Place, Source, error_finding, findings, model_findings
from validator.texts import no_path


class _Server(LanguageServer):
    """Ends without the thread that reads standard input, which ends when the editor does."""

    def shutdown(self) -> None:
        self.thread_pool.shutdown(wait=False)


def make_server() -> LanguageServer:
    """Return a server that has yet to be started."""
    server = _Server("plan-validator", __version__)
    editor = Editor(server)
    for event in (types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_SAVE):
        server.feature(event)(lambda asked: _changed(editor, asked.text_document.uri))
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(lambda asked: editor.soon(asked.text_document.uri, _changed))
    server.feature(types.TEXT_DOCUMENT_HOVER)(lambda asked: _hover(editor, asked))
    _act(server, editor)
    return server


def _act(server: LanguageServer, editor: Editor) -> None:
    options = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(lambda asked: _actions(editor, asked))

    async def nearest(uri: str) -> None:
        await _apply_nearest(editor, uri)

    async def repair(uri: str) -> None:
        await _apply_repair(editor, uri)

    server.command(_NEAREST)(nearest)
    server.command(_REPAIR)(repair)


# --- code actions, and the commands after those that take a while -----------------------------------


_NEAREST, _REPAIR = "plan-validator.nearestPlan", "plan-validator.repairModel"


def _actions(editor: Editor, asked: types.CodeActionParams) -> list[types.CodeAction]:
    """Offer what makes a faulty plan right: the nearest valid plan, a repair of the domain, another reading."""
    document = editor.document(asked.text_document.uri)
    model = None if document is None or document.kind is not Kind.PLAN else editor.model_of(document)
    if document is None or model is None:
        return []
    mine = [one for one in asked.context.diagnostics if one.source == "plan-validator"]
    uri = asked.text_document.uri
    offered = []
    if any(one.severity == types.DiagnosticSeverity.Error for one in mine):
        offered = [_command("Apply the nearest valid plan", _NEAREST, uri)]
        offered.append(_command("Apply the model repair (the plan is right, the domain is wrong)", _REPAIR, uri))
    try:
        others = list(other_readings(*model, document))
    except ValidatorError:
        others = []
    first, last = editor.offset(document, asked.range.start), editor.offset(document, asked.range.end)
    return offered + [
        types.CodeAction(
            title=one.title, kind=types.CodeActionKind.QuickFix, edit=editor.edit(document, one), diagnostics=mine
        )
        for one in others
        if one.span[0] <= last and first <= one.span[1]
    ]


async def _apply_nearest(editor: Editor, uri: str) -> None:
    """Change a plan into the nearest valid one."""
    await _apply(editor, uri, nearest_plan, changes_domain=False)


async def _apply_repair(editor: Editor, uri: str) -> None:
    """Change the domain of a plan so that the plan is valid."""
    await _apply(editor, uri, repaired_domain, changes_domain=True)


async def _apply(
    editor: Editor, uri: str, make: Callable[[Document, Document, Document], Change | str], *, changes_domain: bool
) -> None:
    plan = editor.document(uri)
    model = None if plan is None else editor.model_of(plan)
    if plan is None or model is None:
        _say(editor, "There is no domain and problem beside the plan.")
        return
    try:
        change = await asyncio.to_thread(make, *model, plan)
    except ValidatorError as error:
        change = str(error)
    if isinstance(change, str):
        _say(editor, change)
        return
    edit = editor.edit(model[0] if changes_domain else plan, change)
    await editor.server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit=edit, label=change.title))


def _say(editor: Editor, text: str) -> None:
    editor.server.window_show_message(types.ShowMessageParams(type=types.MessageType.Info, message=text))


def _command(title: str, command: str, uri: str) -> types.CodeAction:
    call = types.Command(title=title, command=command, arguments=[uri])
    return types.CodeAction(title=title, kind=types.CodeActionKind.QuickFix, command=call)


# --- diagnostics, while the user types --------------------------------------------------------------


_LEVELS = {
    Level.ERROR: types.DiagnosticSeverity.Error,
    Level.WARNING: types.DiagnosticSeverity.Warning,
    Level.NOTE: types.DiagnosticSeverity.Information,
}
_MOST = 100
"""findings of a file that are shown"""
_SECONDS = 5.0
"""that a check may take while one types"""


def _changed(editor: Editor, uri: str) -> None:
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


# --- what a step under the cursor needs and does ----------------------------------------------------


def _hover(editor: Editor, asked: types.HoverParams) -> types.Hover | None:
    """Answer with the step of a plan of a classical model; None anywhere else."""
    document = editor.document(asked.text_document.uri)
    model = None if document is None or document.kind is not Kind.PLAN else editor.prepared(document)
    if document is None or model is None or model.model.features:
        return None
    offset = editor.offset(document, asked.position)
    plan = tokenize(no_path(document.text), model.vocabulary)
    for index, token in enumerate(plan.tokens):
        here = token.span[0] <= offset <= token.span[1]
        action = model.model.domain.actions.get(token.name) if isinstance(token, Step) else None
        if here and isinstance(token, Step) and action is not None and len(action.parameters) == len(token.args):
            lines = _course(model.simulator, plan, index, bound(action.parameters, token.args), action.precondition)
            return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n".join(lines)))
    return None


def _course(simulator: Simulator, plan: Plan, index: int, binding: Binding, needed: Formula) -> Iterator[str]:
    """Yield what the step of a place needs and does, as lines of Markdown."""
    tokens = simulator.resolved(plan.tokens)
    trace = simulator.run(plan, tokens)
    faults = (failure for failure in trace.failures if failure.step == plan.places[index])
    causes = {cause.literal: cause for failure in faults for cause in failure.causes}
    links = {each.condition: each for each in causal_links(simulator, tokens, trace) if each.consumer == index}

    def why(text: str) -> str:
        if (link := links.get(text)) is not None:
            made = "" if link.producer is None else f"step {plan.places[link.producer] + 1} made it true"
            return f": {made or 'from the beginning'}"
        cause = causes.get(text)
        if cause is not None and cause.step is not None:
            return f": step {cause.step + 1} made it false"
        return "" if cause is None else _NO_STEP.get(cause.origin, "")

    yield f"**{plan.tokens[index]}** is step {plan.places[index] + 1}\n"
    if needs := list(conjuncts(needed)):
        view = simulator.view(next(islice(trace.states(), index, None)))
        yield "needs"
        for part in needs:
            text, sign = formula_text(part, binding), "✓" if holds(simulator.model, part, binding, view) else "✗"
            yield f"- {sign} `{text}`{why(text)}"
        yield ""
    change = trace.changes[index]
    yield "does" if change.added or change.deleted else "changes nothing here"
    yield from (f"- `+` `{atom_text(atom)}`" for atom in sorted(change.added))
    yield from (f"- `-` `{atom_text(atom)}`" for atom in sorted(change.deleted))


_NO_STEP = {Origin.NEVER_ADDED: ": nothing made it true", Origin.INITIAL: ": from the beginning"}
"""why a literal is false that no step made false"""


# --- the documents of the editor, and their places in its units -----------------------------------


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
