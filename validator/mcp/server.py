"""The server: tools of ``validator.mcp.tools`` with their schemas, over standard input and output or over HTTP."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from validator import __version__
from validator.errors import did_you_mean
from validator.mcp.results import short
from validator.mcp.tools import Tool, definition
from validator.mcp.workers import Calls, RefusedError

if TYPE_CHECKING:
    from mcp.server import Server
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from validator.service.settings import Settings


_INSTRUCTIONS = """Tools that decide whether a plan is right, say what is wrong with it, and repair it.
A model is a PDDL domain and problem, or a flow. All answers are computed, none is guessed; 'proven' says what is
certain. Steps are counted from 0 in structured results and from 1 in their 'feedback'. Models and plans are given as
texts, never as names of files; where a list is taken, a text is taken too, and the other way round. Long answers are
cut: 'cut' says how many lines or items the whole has."""


def make_server(calls: Calls, tools: Mapping[str, Tool]) -> Server[Any]:
    """Return a server that offers tools."""
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
                raise RefusedError(f"there is no tool '{name}'{did_you_mean(name, tools)}")
            client = "" if context.request is None else context.request.state.client  # over HTTP, whom the gate let in
            value = short(await calls.answer(name, arguments, client))
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


async def serve_stdio(calls: Calls, tools: Mapping[str, Tool]) -> None:
    """Answer on standard output what comes on standard input, until that ends."""
    from mcp.server.stdio import stdio_server

    server = make_server(calls, tools)
    try:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        await calls.close()


def http_app(calls: Calls, tools: Mapping[str, Tool], settings: Settings) -> ASGIApp:
    """Return what answers at ``/mcp`` what the service's gate lets in.

    Each request stands for itself: nothing is kept between two of them.
    """
    from mcp.server.transport_security import TransportSecuritySettings

    from validator.service.http.middleware import Gate

    app: ASGIApp = make_server(calls, tools).streamable_http_app(
        host=settings.host,
        json_response=True,
        stateless_http=True,
        max_request_body_size=settings.max_body,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the gate does that
    )

    async def answered(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await until_disconnect(app, scope, receive, send)
        else:
            await app(scope, receive, send)

    return Gate(answered, settings)


async def serve_http(calls: Calls, tools: Mapping[str, Tool], settings: Settings) -> None:
    """Answer at ``http://HOST:PORT/mcp``, until the process is told to end."""
    import uvicorn

    from validator.service.http.access import listen_at

    app = http_app(calls, tools, settings)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=5)
    try:
        with listen_at(settings.host, settings.port) as listening:
            await uvicorn.Server(config).serve([listening])
    finally:
        await calls.close()


# --- requests that somebody waits for --------------------------------------------------------------

_STOPPED = b"the server was stopped before this was answered"


async def until_disconnect(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Let an application answer a request, and end that when the client hangs up.

    A server that is stopped cancels what has not been answered; that is said to the client, with 503.
    """
    has_begun = False

    async def begun(message: Message) -> None:
        nonlocal has_begun
        has_begun = True
        await send(message)

    try:
        await _until_hung_up(app, scope, receive, begun)
    except CancelledError:
        if not has_begun:
            headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(_STOPPED)).encode())]
            await send({"type": "http.response.start", "status": 503, "headers": headers})
            await send({"type": "http.response.body", "body": _STOPPED})


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
