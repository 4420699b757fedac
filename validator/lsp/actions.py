"""What an editor can do about a faulty plan: code actions, and the commands after those that take a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from lsprotocol import types

from validator.errors import ValidatorError
from validator.lsp.changes import Change, nearest_plan, other_readings, repaired_domain
from validator.lsp.documents import Document, Kind
from validator.lsp.editor import Editor

NEAREST, REPAIR = "plan-validator.nearestPlan", "plan-validator.repairModel"


def actions(editor: Editor, asked: types.CodeActionParams) -> list[types.CodeAction]:
    """Offer what makes a faulty plan right: the nearest valid plan, a repair of the domain, another reading."""
    document = editor.document(asked.text_document.uri)
    model = None if document is None or document.kind is not Kind.PLAN else editor.model_of(document)
    if document is None or model is None:
        return []
    mine = [one for one in asked.context.diagnostics if one.source == "plan-validator"]
    uri = asked.text_document.uri
    offered = []
    if any(one.severity == types.DiagnosticSeverity.Error for one in mine):
        offered = [_command("Apply the nearest valid plan", NEAREST, uri)]
        offered.append(_command("Apply the model repair (the plan is right, the domain is wrong)", REPAIR, uri))
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


async def apply_nearest(editor: Editor, uri: str) -> None:
    """Change a plan into the nearest valid one."""
    await _apply(editor, uri, nearest_plan, changes_domain=False)


async def apply_repair(editor: Editor, uri: str) -> None:
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
