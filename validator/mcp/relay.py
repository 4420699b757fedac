"""A guard before any MCP server: every message is handed on as it is, but calls of tools that are denied are answered.

Client and server are each a stream to read and one to write, as the SDK has them. ``Gate`` decides the calls among the
messages, JSON-RPC's parts as they stand on the wire, so that no version of the protocol needs another reader.
"""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import anyio
import httpx2
from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
    mcp_param_headers,
    x_mcp_header_map,
)
from mcp.shared.message import ClientMessageMetadata, ServerMessageMetadata, SessionMessage
from mcp_types import (
    PROTOCOL_VERSION_META_KEY,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from validator.guard import NotUnderstood, UnknownNames

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectSendStream

    from validator.guard import Decision, PlanGuard


_GRACE = 2.0  # seconds for answers that are under way when the client has said all


async def guarded(guard: PlanGuard, *server: str) -> None:
    """Answer on standard output what comes on standard input, until that ends; ``server`` is a URL or a command."""
    async with _connected(server) as (upstream, headers), stdio_server() as client:
        await relay(guard, client, upstream, headers, stays=True)


@asynccontextmanager
async def _connected(server: tuple[str, ...]) -> AsyncIterator[Any]:
    """Yield the streams of a server, and the headers of its messages if it is spoken to over HTTP."""
    if server[0].startswith(("http://", "https://")):
        timeout = httpx2.Timeout(30.0, read=None)
        async with (
            httpx2.AsyncClient(timeout=timeout) as client,
            streamable_http_client(server[0], http_client=client) as streams,
        ):
            yield streams, Headers()
    else:
        parameters = StdioServerParameters(command=server[0], args=list(server[1:]), env=dict(os.environ))
        async with stdio_client(parameters) as streams:
            yield streams, None


async def relay(
    guard: PlanGuard, client: Any, server: Any, headers: Headers | None = None, *, stays: bool = False
) -> None:
    """Hand on what each side says until either ends. ``headers`` are for a server that is spoken to over HTTP.

    What is open when the server ends is answered with an error; who ``stays`` answers what follows so as well, until
    the client ends: behind standard input, which is read until then, nothing else tells it.
    """
    await _Relay(guard, client, server, headers, stays).run()


class _Relay:
    def __init__(self, guard: PlanGuard, client: Any, server: Any, headers: Headers | None, stays: bool) -> None:
        self._gate, self._stays, self._has_ended = Gate(guard), stays, False
        self._from_client, self._to_client = client
        self._from_server, self._to_server = server
        self._headers = headers
        self._answers: dict[object, MemoryObjectSendStream[Any]] = {}  # of requests of its own
        self._open: dict[object, object] = {}  # requests of the client without an answer: id, progress token
        self._none_open = anyio.Event()

    async def run(self) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(self._down, group.cancel_scope)
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the server hung up
                async for message in self._from_client:
                    if isinstance(message, SessionMessage):  # what cannot be read is no message, to a server either
                        await self._up(message)
            with anyio.move_on_after(_GRACE):
                while self._open:
                    self._none_open = anyio.Event()
                    await self._none_open.wait()
            group.cancel_scope.cancel()
        await self._to_client.aclose()  # what writes to the client ends only then

    async def _up(self, given: SessionMessage) -> None:
        message = given.message
        if self._has_ended:
            if isinstance(message, JSONRPCRequest):
                await self._fail(message.id)
            return
        if isinstance(message, JSONRPCRequest) and message.method == "tools/call":
            if self._gate.is_stale:
                await self._learn(message.params)
            denied = self._gate.ask(message.id, message.params)
            if denied is not None:
                answer = JSONRPCResponse(jsonrpc="2.0", id=message.id, result=denied)
                await self._to_client.send(SessionMessage(answer))
                return
        elif isinstance(message, JSONRPCNotification) and message.method == "tools/call":
            return  # a call without an id, which nobody could answer
        self._gate.passed(getattr(message, "method", None))
        if isinstance(message, JSONRPCRequest):
            meta = (message.params or {}).get("_meta") or {}
            self._open[message.id] = meta.get("progressToken")
        await self._hand(message)

    async def _hand(self, message: Any) -> None:
        try:
            await self._to_server.send(SessionMessage(message, self._headers.of(message) if self._headers else None))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            if not self._stays:
                raise
            await self._end()

    async def _end(self) -> None:
        """Answer what is open: the server ended."""
        self._has_ended = True
        for own in self._answers.values():
            own.close()
        while self._open:
            await self._fail(self._open.popitem()[0])
        self._none_open.set()

    async def _fail(self, number: Any) -> None:
        error = ErrorData(code=-32000, message="the server ended")
        await self._to_client.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=number, error=error)))

    async def _learn(self, params: object) -> None:
        """Ask the server which tools it has, page by page."""
        tools: list[object] = []
        cursor: object = None
        with anyio.move_on_after(LISTING):
            while True:
                asked = JSONRPCRequest.model_validate(list_request(params, cursor))
                send, receive = anyio.create_memory_object_stream[Any](1)
                self._answers[asked.id] = send
                with send, receive:
                    await self._hand(asked)
                    try:
                        answer = await receive.receive()
                    except anyio.EndOfStream:
                        self._gate.listed(None, "it ended")
                        return
                result = answer.result if isinstance(answer, JSONRPCResponse) else {}
                page = result.get("tools")
                if not isinstance(page, list):
                    self._gate.listed(None, "it was answered with no list")
                    return
                tools += page
                cursor = result.get("nextCursor")
                if cursor is None:
                    self._gate.listed(tools)
                    return
        self._gate.listed(None, f"no answer in {LISTING:g} s")

    async def _down(self, whole: anyio.CancelScope) -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the client hung up
            async for given in self._from_server:
                if isinstance(given, SessionMessage):
                    if (own := self._answers.pop(getattr(given.message, "id", None), None)) is not None:
                        own.send_nowait(given.message)
                        continue
                    self._gate.passed(getattr(given.message, "method", None))
                    self._note(given.message)
                    await self._to_client.send(SessionMessage(given.message, self._belongs(given.message)))
            await self._end()
            if self._stays:
                return
        whole.cancel()

    def _note(self, message: Any) -> None:
        if isinstance(message, JSONRPCResponse):
            if self._headers is not None:
                self._headers.learn(message.result)
            self._gate.answered(message.id, result=message.result)
        elif isinstance(message, JSONRPCError):
            self._gate.answered(message.id, error={"message": message.error.message})
        else:
            return
        self._open.pop(message.id, None)
        if not self._open:
            self._none_open.set()

    def _belongs(self, message: Any) -> ServerMessageMetadata | None:
        """Return the request that a message of the server is about: by its progress token, else the newest."""
        if isinstance(message, JSONRPCResponse | JSONRPCError) or not self._open:
            return None
        token = (message.params or {}).get("progressToken")
        known = [number for number, own in self._open.items() if token is not None and own == token]
        return ServerMessageMetadata(related_request_id=(known or list(self._open))[-1])  # type: ignore[arg-type]


# --- headers of HTTP -------------------------------------------------------------------------------


class Headers:
    """What the answers so far say of the headers of the next messages of a client that does not speak HTTP."""

    def __init__(self) -> None:
        self._version: str | None = None
        self._arguments: dict[str, Any] = {}

    def learn(self, result: Mapping[str, Any]) -> None:
        """Take the version that was agreed on, and which arguments of which tool are told in headers."""
        if isinstance(version := result.get("protocolVersion"), str):
            self._version = version
        for tool in result.get("tools") or ():
            self._arguments[tool["name"]] = x_mcp_header_map(tool.get("inputSchema"))

    def of(self, message: Any) -> ClientMessageMetadata | None:
        """Return the headers of a message of the client, as the SDK's own client has them."""
        params = getattr(message, "params", None) or {}
        version = (params.get("_meta") or {}).get(PROTOCOL_VERSION_META_KEY)
        if not isinstance(message, JSONRPCRequest) or not isinstance(version, str):
            known = {} if self._version is None else {MCP_PROTOCOL_VERSION_HEADER: self._version}
            return ClientMessageMetadata(headers=known) if known else None
        headers = {MCP_PROTOCOL_VERSION_HEADER: version, MCP_METHOD_HEADER: message.method}
        if isinstance(name := params.get(NAME_BEARING_METHODS.get(message.method, "")), str):
            headers[MCP_NAME_HEADER] = encode_header_value(name)
            if message.method == "tools/call":
                headers |= mcp_param_headers(self._arguments.get(name, {}), params.get("arguments") or {})
        return ClientMessageMetadata(headers=headers)


# --- the calls among the messages ----------------------------------------------------------------


LISTING = 30.0
"""seconds that a server has to say which tools it has"""


def list_request(params: object, cursor: object = None) -> dict[str, Any]:
    """Return a request for the tools of a server, with what a call says of the protocol."""
    meta = params.get("_meta") if isinstance(params, Mapping) else None
    kept = {key: value for key, value in meta.items() if key != "progressToken"} if isinstance(meta, Mapping) else {}
    asked = ({"_meta": kept} if kept else {}) | ({} if cursor is None else {"cursor": cursor})
    number = f"plan-validator-{uuid4().hex}"
    return {"jsonrpc": "2.0", "id": number, "method": "tools/list", "params": asked}


_VERSION = "io.modelcontextprotocol/protocolVersion"


@dataclass
class Gate:
    """The calls of tools that were handed on and are not answered yet, by the id of the request."""

    guard: PlanGuard
    waiting: dict[object, Decision] = field(default_factory=dict)
    is_stale: bool = True
    """whether the server is to be asked for its tools before the next call"""

    def __post_init__(self) -> None:
        allowed = self.guard.not_understood, self.guard.unknown_names
        self.is_stale = self._asks = allowed != (NotUnderstood.ALLOW, UnknownNames.ALLOW)

    def passed(self, method: object) -> None:
        """Take down a request or notification: behind some of them the tools may be others."""
        if method in ("notifications/tools/list_changed", "tools/list"):
            self.is_stale = self._asks

    def listed(self, tools: list[object] | None, why: str = "") -> None:
        """Take the tools that the server has; None where it did not say, and why: then every call is denied."""
        if tools is None:
            self.guard.stop(f"the server did not say which tools it has: {why}")
        else:
            self.guard.know(tools)
            self.is_stale = False
        if self.guard.fault:
            sys.stderr.write(f"plan-validator guard: every call is denied: {self.guard.fault}\n")

    def ask(self, number: object, params: object) -> dict[str, Any] | None:
        """Return the result of a call that is denied; None where the call is to be handed on."""
        given = params if isinstance(params, Mapping) else {}
        name, arguments = given.get("name"), given.get("arguments")
        if number in self.waiting:
            return _denied("Denied: another call with this id is not answered yet.", given.get("_meta"))
        if isinstance(name, str) and isinstance(arguments, Mapping | None):
            decision = self.guard.before(name, arguments or {})
        else:
            decision = self.guard.before({"params": given})
        if not decision:
            return _denied(decision.message, given.get("_meta"))
        self.waiting[number] = decision
        return None

    def answered(self, number: object, result: object = None, error: object = None) -> None:
        """Take down what a server answered to a request, if that was a call."""
        decision = self.waiting.pop(number, None)
        if decision is None:
            return
        if error is not None:
            said = error.get("message") if isinstance(error, Mapping) else error
            self.guard.after(decision, error=said or "failed")
            return
        found = result if isinstance(result, Mapping) else {}
        if found.get("resultType") == "input_required":  # the same call is asked for again, with what is missing
            self.guard.withdraw(decision)
            return
        said = "\n".join(_said(found.get("content")))
        self.guard.after(decision, said, error=said or "failed" if found.get("isError") else None)


def _denied(message: str, meta: object) -> dict[str, Any]:
    result: dict[str, Any] = {"content": [{"type": "text", "text": message}], "isError": True}
    return result | ({"resultType": "complete"} if isinstance(meta, Mapping) and _VERSION in meta else {})


def _said(content: object) -> list[str]:
    parts = content if isinstance(content, list) else []
    return [str(part.get("text") or part.get("type")) for part in parts if isinstance(part, Mapping)]
