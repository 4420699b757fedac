"""The server: which request of an editor is answered by what. Started by ``plan-validator lsp``."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from validator import __version__
from validator.lsp import actions
from validator.lsp.diagnostics import changed
from validator.lsp.editor import Editor
from validator.lsp.hover import hover


class _Server(LanguageServer):
    """Ends without the thread that reads standard input, which ends when the editor does."""

    def shutdown(self) -> None:
        self.thread_pool.shutdown(wait=False)


def make_server() -> LanguageServer:
    """Return a server that has yet to be started."""
    server = _Server("plan-validator", __version__)
    editor = Editor(server)
    for event in (types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_SAVE):
        server.feature(event)(lambda asked: changed(editor, asked.text_document.uri))
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(lambda asked: editor.soon(asked.text_document.uri, changed))
    server.feature(types.TEXT_DOCUMENT_HOVER)(lambda asked: hover(editor, asked))
    _act(server, editor)
    return server


def _act(server: LanguageServer, editor: Editor) -> None:
    options = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(lambda asked: actions.actions(editor, asked))

    async def nearest(uri: str) -> None:
        await actions.apply_nearest(editor, uri)

    async def repair(uri: str) -> None:
        await actions.apply_repair(editor, uri)

    server.command(actions.NEAREST)(nearest)
    server.command(actions.REPAIR)(repair)
