"""The language server as an editor meets it: a real client, over standard input and output."""

from __future__ import annotations

import ast
import asyncio
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="needs the extra lsp")

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from tests.support.places import ROOT
from validator import check
from validator.lsp.documents import Document, Files, Kind

# pygls 2.1 asks a function of asyncio that Python 3.14 warns of.
pytestmark = pytest.mark.filterwarnings("ignore:'asyncio.iscoroutinefunction':DeprecationWarning")

BLOCKS = ROOT / "domains" / "blocks"
SERVER = "import sys; from validator.cli import main; sys.exit(main(['lsp']))"
PATIENCE = 60.0


class Editor(LanguageClient):
    """An editor: documents that are open, what it was told of them, and edits that it applied."""

    def __init__(self) -> None:
        super().__init__("editor", "1")
        self.told: dict[str, asyncio.Queue[list[types.Diagnostic]]] = {}
        self.texts: dict[str, str] = {}
        self.said: asyncio.Queue[str] = asyncio.Queue()
        self.edits: asyncio.Queue[types.WorkspaceEdit] = asyncio.Queue()
        self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda told: self._published(told))
        self.feature(types.WORKSPACE_APPLY_EDIT)(lambda asked: self._applied(asked))
        self.feature(types.WINDOW_SHOW_MESSAGE)(lambda shown: self.said.put_nowait(shown.message))

    def _published(self, told: types.PublishDiagnosticsParams) -> None:
        self.told.setdefault(told.uri, asyncio.Queue()).put_nowait(list(told.diagnostics))

    def _applied(self, asked: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        self.edits.put_nowait(asked.edit)
        return types.ApplyWorkspaceEditResult(applied=True)

    async def open(self, path: Path) -> list[types.Diagnostic]:
        uri, text = path.as_uri(), path.read_text()
        self.texts[uri] = text
        item = types.TextDocumentItem(uri=uri, language_id="pddl", version=1, text=text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.next(path)

    async def type(self, path: Path, text: str) -> None:
        self.texts[path.as_uri()] = text
        change = types.TextDocumentContentChangeWholeDocument(text=text)
        document = types.VersionedTextDocumentIdentifier(version=2, uri=path.as_uri())
        self.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    async def next(self, path: Path) -> list[types.Diagnostic]:
        found = self.told.setdefault(path.as_uri(), asyncio.Queue())
        return await asyncio.wait_for(found.get(), PATIENCE)

    def edited(self, edit: types.WorkspaceEdit) -> tuple[str, str]:
        """Return the document that an edit changes, and its text afterwards."""
        ((uri, edits),) = (edit.changes or {}).items()
        text = self.texts[uri]
        for one in edits:
            start, end = _offset(text, one.range.start), _offset(text, one.range.end)
            text = text[:start] + one.new_text + text[end:]
        return uri, text


def _offset(text: str, position: types.Position) -> int:
    line = text.split("\n")[position.line].encode("utf-16-le")[: 2 * position.character].decode("utf-16-le")
    return sum(len(each) + 1 for each in text.split("\n")[: position.line]) + len(line)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for file in BLOCKS.iterdir():
        shutil.copy(file, tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def run() -> Iterator[Callable[[Callable[[Editor], Awaitable[None]]], None]]:
    """One server for all tests; each opens files of its own."""
    editor = Editor()

    async def start() -> None:
        await editor.start_io(sys.executable, "-W", "ignore", "-c", SERVER)
        await editor.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
        editor.initialized(types.InitializedParams())

    async def stop() -> None:
        await editor.shutdown_async(None)
        editor.exit(None)
        await editor.stop()

    with asyncio.Runner() as runner:
        runner.run(start())
        yield lambda test: runner.run(asyncio.wait_for(test(editor), PATIENCE))
        runner.run(stop())


Run = Callable[[Callable[[Editor], Awaitable[None]]], None]


def at(path: Path, text: str, word: str) -> dict[str, Any]:
    """Return the place of a word in a text, as the parameters of a request."""
    offset = text.index(word)
    line = text.count("\n", 0, offset)
    position = types.Position(line, offset - text.rfind("\n", 0, offset) - 1 + 1)
    return {"text_document": types.TextDocumentIdentifier(path.as_uri()), "position": position}


# --- what is wrong -------------------------------------------------------------------------------


def test_faults_of_a_plan_are_marked_as_one_types(run: Run, folder: Path) -> None:
    async def test(editor: Editor) -> None:
        plan = folder / "broken-order.plan"
        found = await editor.open(plan)
        report = check(BLOCKS / "domain.pddl", BLOCKS / "problem.pddl", plan.read_text(), repair=False)
        assert [one.code for one in found] == [fault.kind.value for fault in report.failures]
        line = plan.read_text().splitlines()[found[0].range.start.line]
        assert line == "(lift b)" and "(clear b) is false" in found[0].message
        assert found[0].related_information
        await editor.type(plan, (folder / "good.plan").read_text())
        assert await editor.next(plan) == []

    run(test)


def test_models_are_checked_and_what_depends_on_them_again(run: Run, folder: Path) -> None:
    async def test(editor: Editor) -> None:
        domain, problem, plan = (folder / name for name in ("domain.pddl", "problem.pddl", "good.plan"))
        assert await editor.open(plan) == await editor.open(problem) == await editor.open(domain) == []
        assert await editor.next(problem) == await editor.next(plan) == []
        text = domain.read_text()
        await editor.type(domain, text.replace("(clear ?", "(clean ?", 1) + "; é𝄞")
        found = await editor.next(domain)
        assert [one.severity for one in found] == [types.DiagnosticSeverity.Error]  # the first use of what is gone
        assert "did you mean" in found[0].message
        await editor.type(domain, text)
        assert await editor.next(domain) == []
        await editor.type(problem, problem.read_text().replace("(clear c)", "(clear\n nobody)"))
        while not (wrong := await editor.next(problem)):
            pass
        assert "nobody" in wrong[0].message
        assert (wrong[0].range.start.line, wrong[0].range.start.character) == _place(
            editor.texts[problem.as_uri()], "nobody"
        )

    run(test)


def _place(text: str, word: str) -> tuple[int, int]:
    offset = text.index(word)
    return text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1


def test_columns_are_in_the_units_of_the_editor(run: Run, folder: Path) -> None:
    async def test(editor: Editor) -> None:
        plan = folder / "𝄞.plan"
        plan.write_text("(take b d) (fly 𝄞 b) (take b d)\n")
        found = await editor.open(plan)
        wrong = next(one for one in found if one.code == "unknown_action")
        assert editor.texts[plan.as_uri()].index("(fly") == wrong.range.start.character == 11
        assert wrong.range.end.character == len("(take b d) (fly 𝄞 b)".encode("utf-16-le")) // 2

    run(test)


def test_a_problem_without_its_domain_says_so(run: Run, tmp_path: Path) -> None:
    async def test(editor: Editor) -> None:
        shutil.copy(BLOCKS / "problem.pddl", tmp_path)
        (found,) = await editor.open(tmp_path / "problem.pddl")
        assert "no domain" in found.message and found.severity == types.DiagnosticSeverity.Information

    run(test)


# --- what is there -------------------------------------------------------------------------------


def test_hover_says_what_a_step_needs_and_does_and_who_made_it_true(run: Run, folder: Path) -> None:
    async def test(editor: Editor) -> None:
        plan = folder / "broken-order.plan"
        await editor.open(plan)

        async def shown(word: str) -> str:
            found = await editor.text_document_hover_async(types.HoverParams(**at(plan, plan.read_text(), word)))
            return str(found.contents.value) if found else ""  # type: ignore[union-attr]

        said = await shown("place a b")
        assert "`(held a)`: step 5 made it true" in said and "- `+` `(on a b)`" in said
        said = await shown("lift b")
        assert "✗ `(clear b)`: step 6 made it false" in said and "changes nothing here" in said

    run(test)


# --- what can be done ----------------------------------------------------------------------------


async def _actions(editor: Editor, plan: Path, found: list[types.Diagnostic]) -> dict[str, types.CodeAction]:
    """Return what is offered at the first of some findings, by its title."""
    asked = types.CodeActionParams(
        types.TextDocumentIdentifier(plan.as_uri()), found[0].range, types.CodeActionContext(diagnostics=found)
    )
    actions = await editor.text_document_code_action_async(asked)
    return {one.title: _action(one) for one in actions or ()}


def _action(found: types.CodeAction | types.Command) -> types.CodeAction:
    """Return an action; of one with a command, this client makes a command whose name is the text of that command."""
    if isinstance(found, types.CodeAction):
        return found
    return types.CodeAction(title=found.title, command=types.Command(**ast.literal_eval(found.command)))


@pytest.mark.planner
def test_the_nearest_valid_plan_is_applied(run: Run, folder: Path) -> None:
    async def test(editor: Editor) -> None:
        plan = folder / "broken-too-short.plan"
        found = await editor.open(plan)
        actions = await _actions(editor, plan, found)
        command = actions["Apply the nearest valid plan"].command
        assert command is not None
        await editor.workspace_execute_command_async(types.ExecuteCommandParams(command.command, command.arguments))
        uri, text = editor.edited(await asyncio.wait_for(editor.edits.get(), PATIENCE))
        assert uri == plan.as_uri()
        assert check(folder / "domain.pddl", folder / "problem.pddl", text, repair=False).determination is True
        assert text.splitlines()[0] == plan.read_text().splitlines()[0]  # the comment stays
        await editor.type(plan, text)
        assert await editor.next(plan) == []

    run(test)


@pytest.mark.planner
def test_the_model_repair_is_applied_to_the_domain(run: Run, folder: Path) -> None:
    pytest.importorskip("pysat")

    async def test(editor: Editor) -> None:
        domain, plan = folder / "domain.pddl", folder / "good.plan"
        wrong = domain.read_text().replace("(and (hand-empty) (on-table", "(and (held ?b) (on-table")
        domain.write_text(wrong)
        editor.texts[domain.as_uri()] = wrong
        found = await editor.open(plan)
        assert found
        (command,) = [one.command for title, one in (await _actions(editor, plan, found)).items() if "repair" in title]
        assert command is not None
        await editor.workspace_execute_command_async(types.ExecuteCommandParams(command.command, command.arguments))
        uri, text = editor.edited(await asyncio.wait_for(editor.edits.get(), PATIENCE))
        assert uri == domain.as_uri() and text != wrong
        assert check(text, folder / "problem.pddl", plan.read_text(), repair=False).determination is True

    run(test)


def test_what_names_nothing_is_read_as_what_it_may_mean(run: Run, folder: Path) -> None:
    async def test(editor: Editor) -> None:
        plan = folder / "typo.plan"
        plan.write_text((folder / "good.plan").read_text().replace("(lower b)", "(lowr b)"))
        found = await editor.open(plan)
        actions = await _actions(editor, plan, [one for one in found if one.code == "unknown_action"])
        edit = actions["Read as lower"].edit
        assert edit is not None
        _, text = editor.edited(edit)
        assert text == (folder / "good.plan").read_text()

    run(test)


# --- which files belong together -----------------------------------------------------------------


def test_a_plan_finds_its_problem_and_a_problem_its_domain(tmp_path: Path) -> None:
    texts = {
        "a/domain.pddl": "(define (domain d))",
        "a/other.pddl": "(define (domain e))",
        "a/p01.pddl": "; first\n(define (problem one) (:domain d))",
        "a/p02.pddl": "(define (problem two) (:domain E))",
        "a/p02.plan": "(go)",
        "a/x.plan": ";;!problem: one\n(go)",
        "a/tasks/p03.pddl": "(define (problem three) (:domain d))",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    files = Files(lambda path: path.read_text() if path.is_file() else None)

    def problem(name: str) -> str:
        plan = files.document(tmp_path / name)
        assert plan is not None and plan.kind is Kind.PLAN
        found = files.problem_of(plan)
        return found.name if found else ""

    def domain(name: str) -> str:
        document = files.document(tmp_path / name)
        found = files.domain_of(document) if document else None
        return found.name if found else ""

    assert (problem("a/p02.plan"), problem("a/x.plan")) == ("two", "one")
    assert (domain("a/p01.pddl"), domain("a/p02.pddl"), domain("a/tasks/p03.pddl")) == ("d", "e", "d")
    assert Document.of(Path("x"), "nothing").kind is Kind.PLAN


# --- how it ends -----------------------------------------------------------------------------------


def _begun() -> subprocess.Popen[bytes]:
    """Start the command, and return it when it has answered the first request."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-m", "validator", "lsp"], **pipes)
    _ask(process, id=1, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})
    assert process.stdout is not None and process.stdout.readline().startswith(b"Content-Length")
    return process


def _ask(process: subprocess.Popen[bytes], **message: Any) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    assert process.stdin is not None
    process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    process.stdin.flush()


def test_a_server_that_is_told_to_exit_ends_well() -> None:
    """It ended with 1 and a traceback: what all commands write to was closed."""
    with _begun() as process:
        _ask(process, id=2, method="shutdown")
        _ask(process, method="exit")
        assert process.wait(PATIENCE) == 0
        assert process.stderr is not None and process.stderr.read() == b""


@pytest.mark.deep
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_though_its_editor_stays(number: int) -> None:
    with _begun() as process:
        process.send_signal(number)
        assert process.wait(PATIENCE) == 0
        assert process.stderr is not None and process.stderr.read() == b""
