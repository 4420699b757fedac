"""Serve over HTTP: each session has a connection of its own to the server, which ends with it.

Clients that know sessions no longer (from the protocol of 2026 on) are told so, and agree on an older version.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import anyio
import anyio.abc
from mcp.server.streamable_http import StreamableHTTPServerTransport
from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from validator.mcp.proxy.relay import connected, relay

if TYPE_CHECKING:
    from validator.guard import PlanGuard

__all__ = ["sessions"]

_IDLE = 30 * 60.0  # seconds after which a session without requests ends
_MOST = 64  # sessions, and so processes, at once
_HANDED_ON = ("authorization", "cookie", "user-agent")  # headers of the client for a server over HTTP


@asynccontextmanager
async def sessions(guard: PlanGuard, *server: str) -> AsyncIterator[Any]:
    """Yield the ASGI application before a server."""
    async with anyio.create_task_group() as group:
        yield _Sessions(guard, server, group)
        group.cancel_scope.cancel()


class _Sessions:
    def __init__(self, guard: PlanGuard, server: tuple[str, ...], group: anyio.abc.TaskGroup) -> None:
        self._guard, self._server, self._group = guard, server, group
        self._open: dict[str, StreamableHTTPServerTransport] = {}
        self._shown: dict[str, dict[str, str]] = {}  # what the client of a session shows the server, newest

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        asked = (headers := Headers(scope=scope)).get("mcp-session-id")
        shown = {name: headers[name] for name in _HANDED_ON if name in headers}
        if asked is None and len(self._open) >= _MOST:
            await _error(503, "too many sessions")(scope, receive, send)
        elif asked is not None and asked not in self._open:
            await _error(404, "Session not found")(scope, receive, send)
        elif asked is not None:
            self._shown[asked].update(shown)
            await self._open[asked].handle_request(scope, receive, send)
        else:
            await self._begin(scope, receive, send, shown)

    async def _begin(self, scope: Any, receive: Any, send: Any, shown: dict[str, str]) -> None:
        """Answer the request that opens a session; a session that it did not open ends at once."""
        name = uuid4().hex
        self._shown[name] = shown
        transport = await self._group.start(self._serve, name)
        status = 500

        async def watched(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await transport.handle_request(scope, receive, watched)
        finally:
            if status >= 400:
                with anyio.CancelScope(shield=True):
                    await transport.terminate()

    async def _serve(self, name: str, *, task_status: anyio.abc.TaskStatus[Any]) -> None:
        transport = StreamableHTTPServerTransport(mcp_session_id=name, idle_timeout=_IDLE)
        try:
            async with transport.connect() as client, connected(self._server, self._shown[name]) as (upstream, headers):
                self._open[name] = transport
                task_status.started(transport)
                with transport.idle_scope or anyio.CancelScope():
                    await relay(self._guard, client, upstream, headers)
        finally:
            self._open.pop(name, None)
            self._shown.pop(name, None)


def _error(status: int, said: str) -> JSONResponse:
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": said}}, status)
