"""Hand requests on to a server over HTTP, and its answers back as they come: a proxy that reads what is a call.

A body that cannot be read cannot be judged, so it is refused: a server may be more lenient than this reader.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import anyio
import httpx2
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from validator.mcp.proxy.gate import LISTING, Gate, list_request
from validator.mcp.proxy.messages import UnreadableError, messages_of, read_body

if TYPE_CHECKING:
    from validator.guard import PlanGuard

__all__ = ["Forward", "forwarding"]

_HOPS = {
    *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "upgrade"),
    *("transfer-encoding", "content-length", "content-encoding", "accept-encoding", "host"),
}
_LARGEST = 64 << 20  # bytes of a request


@asynccontextmanager
async def forwarding(guard: PlanGuard, url: str) -> AsyncIterator[Forward]:
    """Yield the ASGI application before a server at a URL."""
    async with httpx2.AsyncClient(timeout=httpx2.Timeout(30.0, read=None)) as client:
        yield Forward(guard, url, client)


class Forward:
    """An ASGI application: paths are those of the server, and ``/mcp`` is its endpoint as well."""

    def __init__(self, guard: PlanGuard, url: str, client: httpx2.AsyncClient) -> None:
        self._gate, self._client = Gate(guard), client
        parts = urlsplit(url)
        self._origin, self._endpoint = f"{parts.scheme}://{parts.netloc}", parts.path or "/"
        self._sessions: set[str] = set()  # that began behind this proxy

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        body = await _body(request)
        session = _session(request)
        calls: list[object] = []
        answer: Response | None = None
        if body is None:
            answer = Response("Payload too large", 413)
        elif _is_resumed(request) and session not in self._sessions:
            answer = _error(404, -32600, "Session not found: it began before this guard")
        elif request.method != "POST" and body:
            answer = _error(400, -32600, "Invalid Request: only POST has a body")
        elif request.method == "POST" and not (_is_form(request) and self._path(request) != self._endpoint):
            answer = await self._ask(request, session, body, calls)
        if answer is not None:
            await answer(scope, receive, send)
            return
        await self._exchange(request, body or b"", session, calls, send)

    def _path(self, request: Request) -> str:
        return self._endpoint if request.url.path == "/mcp" else request.url.path

    def _request(self, request: Request, body: bytes, headers: Sequence[tuple[str, str]]) -> httpx2.Request:
        query = f"?{request.url.query}" if request.url.query else ""
        kept = [pair for pair in headers if pair[0] not in _HOPS]
        kept.append(("accept-encoding", "identity"))
        return self._client.build_request(
            request.method, self._origin + self._path(request) + query, headers=kept, content=body
        )

    async def _learn(self, request: Request, params: object) -> None:
        """Ask the server which tools it has, page by page, in the session of a call."""
        headers = [pair for pair in request.headers.items() if not pair[0].startswith(("mcp-name", "mcp-param-"))]
        headers = [(name, "tools/list" if name == "mcp-method" else value) for name, value in headers]
        tools: list[object] = []
        cursor: object = None
        with anyio.move_on_after(LISTING):
            while True:
                asked = list_request(params, cursor)
                try:
                    result = await self._answer(
                        self._request(request, json.dumps(asked).encode(), headers), asked["id"]
                    )
                except httpx2.HTTPError as error:
                    return self._gate.listed(None, str(error))
                if result is None:  # the older transport answers elsewhere: what the client lists is known
                    return None
                page = result.get("tools")
                if not isinstance(page, list):
                    return self._gate.listed(None, "it was answered with no list")
                tools += page
                cursor = result.get("nextCursor")
                if cursor is None:
                    return self._gate.listed(tools)
        return self._gate.listed(None, f"no answer in {LISTING:g} s")

    async def _answer(self, asked: httpx2.Request, number: object) -> Mapping[str, Any] | None:
        """Return the result of a request of its own; None where the server answers on another stream."""
        response = await self._client.send(asked, stream=True)
        try:
            if response.status_code == 202:
                return None
            messages = messages_of(response.headers.get("content-type", ""))
            async for chunk in response.aiter_bytes():
                for message in messages.feed(chunk):
                    if isinstance(message, dict) and message.get("id") == number:
                        return _table(message.get("result"))
            found = (each for each in messages.end() if isinstance(each, dict) and each.get("id") == number)
            return _table(next((each.get("result") for each in found), None))
        finally:
            await response.aclose()

    async def _ask(self, request: Request, session: str, body: bytes, calls: list[object]) -> Response | None:
        """Return the answer to what is not handed on; ``calls`` gets the ids of calls that are."""
        try:
            message = read_body(body)
        except UnreadableError as error:
            return _error(400, -32700, str(error))
        many = message if isinstance(message, list) else [message]
        for each in many:
            self._gate.passed(each.get("method") if isinstance(each, dict) else None)
        if not any(isinstance(each, dict) and each.get("method") == "tools/call" for each in many):
            return None
        if isinstance(message, list) or "id" not in message:
            return _error(400, -32600, "Invalid Request: a call is one request with an id")
        if self._gate.is_stale:
            await self._learn(request, message.get("params"))
        denied = self._gate.ask(session, message["id"], message.get("params"))
        if denied is None:
            calls.append(message["id"])
            return None
        return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "result": denied})

    async def _exchange(self, request: Request, body: bytes, session: str, calls: list[object], send: Any) -> None:
        """Send a request on and its response back, until either end hangs up."""
        asked = self._request(request, body, request.headers.items())
        async with anyio.create_task_group() as group:
            group.start_soon(_watch, request.receive, group.cancel_scope)
            try:
                response = await self._client.send(asked, stream=True)
            except httpx2.ConnectError as error:
                for call in calls:
                    self._gate.refused(session, call)
                answer = _error(502, -32603, f"the server cannot be reached: {error}")
                await answer(request.scope, request.receive, send)
            else:
                await self._back(response, session, calls, send)
            group.cancel_scope.cancel()

    async def _back(self, response: httpx2.Response, session: str, calls: list[object], send: Any) -> None:
        try:
            if 400 <= response.status_code < 500:
                for call in calls:
                    self._gate.refused(session, call)
            if (begun := response.headers.get("mcp-session-id")) is not None:
                self._sessions.add(begun)
            kept = [(k.encode(), v.encode("latin-1")) for k, v in response.headers.multi_items() if k not in _HOPS]
            await send({"type": "http.response.start", "status": response.status_code, "headers": kept})
            messages = messages_of(response.headers.get("content-type", ""))
            async for chunk in response.aiter_bytes():
                for message in messages.feed(chunk):
                    session = self._note(session, message)
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            for message in messages.end():
                self._note(session, message)
            await send({"type": "http.response.body", "body": b""})
        finally:
            with anyio.CancelScope(shield=True):
                await response.aclose()

    def _note(self, session: str, message: Any) -> str:
        """Take down an answer; return the session, which a stream of the older transport tells in its first event."""
        if isinstance(message, str):
            session = (parse_qs(urlsplit(message).query).get("session_id") or [session])[0]
            self._sessions.add(session)
            return session
        for each in message if isinstance(message, list) else [message]:
            if not isinstance(each, dict):
                continue
            self._gate.passed(each.get("method"))
            tools = _table(each.get("result")).get("tools")
            if self._gate.is_stale and isinstance(tools, list) and "nextCursor" not in each["result"]:
                self._gate.listed(tools)
            if "method" not in each and ("result" in each or "error" in each):
                self._gate.answered(session, each.get("id"), each.get("result"), each.get("error"))
        return session


async def _body(request: Request) -> bytes | None:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LARGEST:
            return None
    return bytes(body)


def _session(request: Request) -> str:
    return request.headers.get("mcp-session-id") or request.query_params.get("session_id") or uuid4().hex


def _is_resumed(request: Request) -> bool:
    return "mcp-session-id" in request.headers or "session_id" in request.query_params


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _is_form(request: Request) -> bool:
    return request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")


def _error(status: int, code: int, said: str) -> Response:
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": said}}, status)


async def _watch(receive: Any, whole: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    whole.cancel()
