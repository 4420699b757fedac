"""The server: every tool of ``validator.mcp.tools`` with its schemas, over standard input and output or over HTTP."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypedDict, get_args, get_type_hints

from validator import __version__
from validator.mcp.answers import Answers
from validator.mcp.attended import answer, attended
from validator.mcp.refusals import refusal
from validator.mcp.shapes import Page
from validator.mcp.tools import TOOLS
from validator.mcp.workers import RefusedError, Workers
from validator.questions.job import Bounds

if TYPE_CHECKING:
    from mcp.server import MCPServer
    from mcp.server.mcpserver.tools import Tool
    from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from validator.service.http.border import Border

__all__ = ["make_server", "serve_http", "serve_stdio"]

MAX_BODY = 16 * 2**20
_INSTRUCTIONS = """Tools that decide whether a plan is right, say what is wrong with it, and repair it.
A model is a PDDL domain and problem, or a flow. All answers are computed, none is guessed; 'proven' says what is
certain. Steps are counted from 0 in structured results and from 1 in their 'feedback'. Models and plans are given as
texts, never as names of files. Long answers are cut: their 'more' has a handle, with which the tool 'more' returns the
rest."""
_REFUSED = "refused"
"""the argument that stands for all of them where they are wrong"""


Answering: TypeAlias = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]


def make_server(workers: Workers) -> MCPServer[Any]:
    """Return a server whose calls are answered by workers."""
    from mcp.server import MCPServer

    answers = Answers()

    async def answered(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return answers.short(await workers.call(name, arguments))

    async def more(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return dict(answers.more(**arguments))

    tools = [_tool(name, function, answered) for name, function in TOOLS.items()]
    return MCPServer(
        "plan-validator",
        title="Plan validator",
        version=__version__,
        instructions=_INSTRUCTIONS,
        log_level="WARNING",
        tools=[*tools, _tool("more", Answers.more, more)],
    )


def _tool(name: str, function: Callable[..., Mapping[str, Any]], answer: Answering) -> Tool:
    """Return a tool as the SDK knows it; arguments that it does not have are refused, in sentences."""
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.mcpserver.tools import Tool
    from mcp_types import CallToolResult, TextContent, ToolAnnotations
    from pydantic import BaseModel, ConfigDict

    async def call(**arguments: Any) -> CallToolResult:
        if _REFUSED in arguments:
            raise ToolError(arguments[_REFUSED])
        try:
            value = await answer(name, arguments)
        except RefusedError as error:
            raise ToolError(str(error)) from None
        return CallToolResult(content=[TextContent(type="text", text=value["feedback"])], structured_content=value)

    hints = get_type_hints(function, include_extras=True)
    parameters = [
        parameter.replace(annotation=_described(hints[parameter.name]), kind=Parameter.KEYWORD_ONLY)
        for parameter in list(signature(function).parameters.values())[1:]
    ]
    returned = Annotated[CallToolResult, _cuttable(hints["return"])]
    call.__signature__ = Signature(parameters, return_annotation=returned)  # type: ignore[attr-defined]
    call.__annotations__ = {}
    tool = Tool.from_function(
        call,
        name=name,
        description=function.__doc__,
        annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
    )
    loose = tool.fn_metadata.arg_model
    strict: type[BaseModel] = type(name, (loose,), {"model_config": ConfigDict(extra="forbid")})
    tool.parameters = strict.model_json_schema(by_alias=True)
    known = tool.fn_metadata
    tool.fn_metadata = _told(tool.parameters["properties"])(
        arg_model=strict,  # type: ignore[arg-type]
        output_schema=known.output_schema,
        output_model=known.output_model,
        wrap_output=known.wrap_output,
    )
    return tool


def _told(properties: Mapping[str, Any]) -> type[FuncMetadata]:
    """Return what reads arguments so that what is wrong with them reaches the tool, which alone can say it in words."""
    from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
    from pydantic import ValidationError

    class Told(FuncMetadata):
        def validate_arguments(self, arguments_to_validate: dict[str, Any]) -> dict[str, Any]:
            try:
                return super().validate_arguments(arguments_to_validate)
            except ValidationError as error:
                faults = error.errors(include_url=False, include_context=False)
                return {_REFUSED: refusal(faults, properties)}

    return Told


def _cuttable(shape: type) -> type:
    """Return the shape of an answer that may be cut."""
    fields = get_type_hints(shape)
    return shape if shape is Page else TypedDict(shape.__name__, {**fields, "more": dict[str, Any] | None})  # type: ignore


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


def serve_http(bounds: Bounds, workers: int, address: tuple[str, int], border: Border, token: str | None) -> None:
    """Answer at ``http://HOST:PORT/mcp`` of an address what the border lets in, until the process is told to end.

    A token is demanded if there is one.

    Each request stands for itself: nothing is kept between two of them.
    """
    import uvicorn
    from mcp.server.transport_security import TransportSecuritySettings

    host, port = address
    processes = Workers(workers, bounds)
    app: ASGIApp = make_server(processes).streamable_http_app(
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
