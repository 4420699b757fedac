"""The client's streams of a proxy before a server, in memory."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

import anyio
from mcp.client._memory import InMemoryTransport
from mcp.server import MCPServer
from mcp.shared.memory import create_client_server_memory_streams

from validator.guard import PlanGuard
from validator.mcp.relay import relay


class Proxied:
    """What ``mcp.Client`` connects to; the server is behind the proxy."""

    def __init__(self, guard: PlanGuard, server: MCPServer[Any]) -> None:
        self._stack, self._guard, self._server = AsyncExitStack(), guard, server

    async def __aenter__(self) -> Any:
        enter = self._stack.enter_async_context
        server = await enter(InMemoryTransport(self._server))
        mine, proxys = await enter(create_client_server_memory_streams())
        group = await enter(anyio.create_task_group())
        group.start_soon(relay, self._guard, proxys, server)
        self._stack.callback(group.cancel_scope.cancel)
        return mine

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()
