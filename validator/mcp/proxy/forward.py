"""Hand requests on to a server over HTTP, and its answers back as they come: a proxy that reads what is a call.

A body that cannot be read cannot be judged, so it is refused: a server may be more lenient than this reader.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import anyio
import httpx2
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from validator.mcp.proxy.gate import Gate
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

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        body = await _body(request)
        session = _session(request)
        calls: list[object] = []
        if request.method == "POST" and not _is_form(request):
            answer = Response("Payload too large", 413) if body is None else self._ask(session, body, calls)
            if answer is not None:
                await answer(scope, receive, send)
                return
        await self._exchange(request, body or b"", session, calls, send)

    def _ask(self, session: str, body: bytes, calls: list[object]) -> Response | None:
        """Return the answer to what is not handed on; ``calls`` gets the ids of calls that are."""
        try:
            message = read_body(body)
        except UnreadableError as error:
            return _error(400, -32700, str(error))
        many = message if isinstance(message, list) else [message]
        if not any(isinstance(each, dict) and each.get("method") == "tools/call" for each in many):
            return None
        if isinstance(message, list) or "id" not in message:
            return _error(400, -32600, "Invalid Request: a call is one request with an id")
        denied = self._gate.ask(session, message["id"], message.get("params"))
        if denied is None:
            calls.append(message["id"])
            return None
        return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "result": denied})

    async def _exchange(self, request: Request, body: bytes, session: str, calls: list[object], send: Any) -> None:
        """Send a request on and its response back, until either end hangs up."""
        path = self._endpoint if request.url.path == "/mcp" else request.url.path
        query = f"?{request.url.query}" if request.url.query else ""
        headers = [pair for pair in request.headers.items() if pair[0] not in _HOPS]
        headers.append(("accept-encoding", "identity"))
        asked = self._client.build_request(request.method, self._origin + path + query, headers=headers, content=body)
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
            return (parse_qs(urlsplit(message).query).get("session_id") or [session])[0]
        for each in message if isinstance(message, list) else [message]:
            if isinstance(each, dict) and "method" not in each and ("result" in each or "error" in each):
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


def _is_form(request: Request) -> bool:
    return request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")


def _error(status: int, code: int, said: str) -> Response:
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": said}}, status)


async def _watch(receive: Any, whole: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    whole.cancel()
