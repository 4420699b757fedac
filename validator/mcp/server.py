"""The server: every tool of ``validator.mcp.tools`` with its schemas, over standard input and output or over HTTP."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

from validator import __version__
from validator.mcp.shapes import Bounds
from validator.mcp.tools import TOOLS
from validator.mcp.workers import RefusedError, Workers

if TYPE_CHECKING:
    from mcp.server import MCPServer
    from mcp.server.mcpserver.tools import Tool
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["make_server", "serve_http", "serve_stdio"]

MAX_BODY = 16 * 2**20
_INSTRUCTIONS = """Tools that decide whether a plan is right, say what is wrong with it, and repair it.
A model is a PDDL domain and problem, or a flow. All answers are computed, none is guessed; 'proven' says what is
certain. Steps are counted from 0 in structured results and from 1 in their 'feedback'."""


def make_server(workers: Workers) -> MCPServer[Any]:
    """Return a server whose calls are answered by workers."""
    from mcp.server import MCPServer

    return MCPServer(
        "plan-validator",
        title="Plan validator",
        version=__version__,
        instructions=_INSTRUCTIONS,
        log_level="WARNING",
        tools=[_tool(name, function, workers) for name, function in TOOLS.items()],
    )


def _tool(name: str, function: Callable[..., Mapping[str, Any]], workers: Workers) -> Tool:
    """Return a tool as the SDK knows it; arguments that it does not have are refused."""
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.mcpserver.tools import Tool
    from mcp_types import CallToolResult, TextContent, ToolAnnotations
    from pydantic import BaseModel, ConfigDict

    async def call(**arguments: Any) -> CallToolResult:
        try:
            value = await workers.call(name, arguments)
        except RefusedError as error:
            raise ToolError(str(error)) from None
        return CallToolResult(
            content=[TextContent(type="text", text=value["feedback"])], structured_content=dict(value)
        )

    hints = get_type_hints(function, include_extras=True)
    parameters = [
        parameter.replace(annotation=_described(hints[parameter.name]), kind=Parameter.KEYWORD_ONLY)
        for parameter in list(signature(function).parameters.values())[1:]
    ]
    answer = Annotated[CallToolResult, hints["return"]]
    call.__signature__ = Signature(parameters, return_annotation=answer)  # type: ignore[attr-defined]
    call.__annotations__ = {}
    tool = Tool.from_function(
        call,
        name=name,
        description=function.__doc__,
        annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
    )
    loose = tool.fn_metadata.arg_model
    strict: type[BaseModel] = type(name, (loose,), {"model_config": ConfigDict(extra="forbid")})
    tool.fn_metadata.arg_model = strict  # type: ignore[assignment]
    tool.parameters = strict.model_json_schema(by_alias=True)
    return tool


def _described(hint: Any) -> Any:
    """Return a parameter's type with its description in the form that pydantic reads."""
    from pydantic import Field

    kind, about = get_args(hint)
    return Annotated[kind, Field(description=about)]


# --- transports ----------------------------------------------------------------------------------


def serve_stdio(bounds: Bounds, workers: int) -> None:
    """Answer on standard output what comes on standard input, until that ends."""
    processes = Workers(workers, bounds)
    try:
        make_server(processes).run("stdio")
    finally:
        processes.close()


def serve_http(bounds: Bounds, workers: int, host: str, port: int, token: str | None) -> None:
    """Answer at ``http://HOST:PORT/mcp``, until the process is told to end; a token is demanded if there is one.

    Each request stands for itself: nothing is kept between two of them.
    """
    import uvicorn

    processes = Workers(workers, bounds)
    app: ASGIApp = make_server(processes).streamable_http_app(
        host=host, json_response=True, stateless_http=True, max_request_body_size=MAX_BODY
    )
    if token is not None:
        app = _Guarded(app, token)
    config = uvicorn.Config(app, host=host, port=port, log_level="warning", timeout_graceful_shutdown=5)
    try:
        uvicorn.Server(config).run()
    finally:
        processes.close()


class _Guarded:
    """An application that answers those only who show the token (RFC 6750)."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            shown = dict(scope["headers"]).get(b"authorization", b"")
            if not secrets.compare_digest(shown, self._expected):
                challenge = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
                await send({"type": "http.response.start", "status": 401, "headers": challenge})
                await send({"type": "http.response.body", "body": b""})
                return
        await self._app(scope, receive, send)
