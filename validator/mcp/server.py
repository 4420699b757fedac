"""The server: tools of ``validator.mcp.tools`` with their schemas, over standard input and output or over HTTP."""

from __future__ import annotations

import secrets
from asyncio import CancelledError
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from validator import __version__
from validator.mcp.results import short
from validator.mcp.tools import Tool, definition
from validator.mcp.workers import RefusedError, Workers
from validator.questions.job import Bounds

if TYPE_CHECKING:
    from mcp.server import Server
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from validator.service.http.access import Border

__all__ = ["attended", "make_server", "serve_http", "serve_stdio"]

MAX_BODY = 16 * 2**20
_INSTRUCTIONS = """Tools that decide whether a plan is right, say what is wrong with it, and repair it.
A model is a PDDL domain and problem, or a flow. All answers are computed, none is guessed; 'proven' says what is
certain. Steps are counted from 0 in structured results and from 1 in their 'feedback'. Models and plans are given as
texts, never as names of files; where a list is taken, a text is taken too, and the other way round. Long answers are
cut: 'cut' says how many lines or items the whole has."""


def make_server(workers: Workers, tools: Mapping[str, Tool]) -> Server[Any]:
    """Return a server that offers tools, whose calls are answered by workers."""
    from mcp.server import Server
    from mcp_types import CallToolResult, ListToolsResult, TextContent, ToolAnnotations
    from mcp_types import Tool as Offered

    hints = ToolAnnotations(read_only_hint=True)
    offered = [
        Offered(name=name, description=tool.about, input_schema=definition(tool), annotations=hints)
        for name, tool in tools.items()
    ]

    async def listed(context: Any, asked: Any) -> ListToolsResult:
        return ListToolsResult(tools=offered)

    async def called(context: Any, asked: Any) -> CallToolResult:
        name, arguments = asked.name, asked.arguments or {}
        try:
            if name not in tools:
                raise RefusedError(f"there is no tool '{name}'")
            value = short(await workers.call(name, arguments))
        except RefusedError as error:
            return CallToolResult(content=[TextContent(type="text", text=str(error))], is_error=True)
        return CallToolResult(content=[TextContent(type="text", text=value["feedback"])], structured_content=value)

    return Server(
        "plan-validator",
        title="Plan validator",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=listed,
        on_call_tool=called,
    )


# --- transports ----------------------------------------------------------------------------------


def serve_stdio(bounds: Bounds, workers: int, tools: Mapping[str, Tool]) -> None:
    """Answer on standard output what comes on standard input, until that ends."""
    import anyio

    processes = Workers(workers, bounds)
    try:
        anyio.run(_serve_stdio, make_server(processes, tools))
    finally:
        processes.close()


async def _serve_stdio(server: Server[Any]) -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def serve_http(
    bounds: Bounds,
    workers: int,
    tools: Mapping[str, Tool],
    address: tuple[str, int],
    border: Border,
    token: str | None,
) -> None:
    """Answer at ``http://HOST:PORT/mcp`` of an address what the border lets in, until the process is told to end.

    A token is demanded if there is one.

    Each request stands for itself: nothing is kept between two of them.
    """
    import uvicorn
    from mcp.server.transport_security import TransportSecuritySettings

    host, port = address
    processes = Workers(workers, bounds)
    app: ASGIApp = make_server(processes, tools).streamable_http_app(
        host=host,
        json_response=True,
        stateless_http=True,
        max_request_body_size=MAX_BODY,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the border does that
    )
    config = uvicorn.Config(
        _Guarded(app, border, token), host=host, port=port, log_level="warning", timeout_graceful_shutdown=5
    )
    try:
        uvicorn.Server(config).run()
    finally:
        processes.close()


class _Guarded:
    """An application that answers what the border lets in, and those only who show the token (RFC 6750)."""

    def __init__(self, app: ASGIApp, border: Border, token: str | None) -> None:
        self._app = app
        self._border = border
        self._expected = None if token is None else f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        cors = self._border.cors(headers)
        if self._border.is_preflight(scope["method"], headers):
            await answer(send, 204, cors)
            return
        problem = self._border.problem(scope["method"], scope["path"], headers, has_body=scope["method"] == "POST")
        if problem is not None:
            await answer(send, problem.status, [(b"content-type", b"text/plain")], problem.detail or problem.title)
            return
        shown = headers.get(b"authorization", b"")
        if self._expected is not None and not secrets.compare_digest(shown, self._expected):
            await answer(send, 401, [(b"www-authenticate", b"Bearer"), *cors])
            return
        await attended(self._app, scope, receive, _with(send, cors))


def _with(send: Send, more: list[tuple[bytes, bytes]]) -> Send:
    async def give(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *more]
        await send(message)

    return give


# --- requests that somebody waits for --------------------------------------------------------------

_STOPPED = "the server was stopped before this was answered"


async def attended(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Let an application answer a request, and end that when the client hangs up.

    A server that is stopped cancels what has not been answered; that is said to the client, with 503.
    """
    has_begun = False

    async def told(message: Message) -> None:
        nonlocal has_begun
        has_begun = True
        await send(message)

    try:
        await _until_hung_up(app, scope, receive, told)
    except CancelledError:
        if not has_begun:
            await answer(send, 503, [(b"content-type", b"text/plain")], _STOPPED)


async def _until_hung_up(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    import anyio

    give, take = anyio.create_memory_object_stream[Any]()

    async def listen() -> None:
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                whole.cancel_scope.cancel()
            await give.send(message)

    with give, take:
        async with anyio.create_task_group() as whole:
            whole.start_soon(listen)
            await app(scope, take.receive, send)
            whole.cancel_scope.cancel()


async def answer(send: Send, status: int, headers: list[tuple[bytes, bytes]], text: str = "") -> None:
    """Answer a request with a text."""
    body = text.encode()
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [length, *headers]})
    await send({"type": "http.response.body", "body": body})
