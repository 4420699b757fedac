"""A guard before any MCP server: every message is handed on as it is, but calls of tools that are denied are answered.

In come a guard and a server, a URL or a command; what goes out is a server that nobody can tell from it. Open ``gate``
first: it decides. ``relay`` hands messages on between two streams, ``sessions`` serves over HTTP, a relay a session.
One guard stands for all that is called through it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from validator.guard import PlanGuard

__all__ = ["proxy_http", "proxy_stdio"]


async def proxy_stdio(guard: PlanGuard, *server: str) -> None:
    """Answer on standard output what comes on standard input, until that ends; ``server`` is a URL or a command."""
    from mcp.server.stdio import stdio_server

    from validator.mcp.proxy.relay import connected, relay

    async with connected(server) as (upstream, headers), stdio_server() as client:
        await relay(guard, client, upstream, headers, stays=True)


async def proxy_http(guard: PlanGuard, host: str, port: int, *server: str) -> None:
    """Answer at ``http://HOST:PORT/mcp`` until the process is told to end; ``server`` is a URL or a command."""
    import uvicorn

    from validator.mcp.proxy.sessions import sessions

    async with sessions(guard, *server) as app:
        config = uvicorn.Config(local(app, host), host=host, port=port, log_level="warning", lifespan="off")
        await uvicorn.Server(config).serve()


def local(app: Callable[..., Awaitable[None]], host: str) -> Callable[..., Awaitable[None]]:
    """Return an application that refuses what a page of the web sends to this machine by a name of its own."""
    from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
    from starlette.requests import Request

    names = {"127.0.0.1", "localhost", "[::1]", f"[{host}]" if ":" in host else host}
    hosts = [each for name in sorted(names) for each in (name, f"{name}:*")]
    settings = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{each}" for each in hosts])
    check = TransportSecurityMiddleware(settings)

    async def checked(scope: Any, receive: Any, send: Any) -> None:
        refusal = await check.validate_request(Request(scope, receive))
        await (refusal or app)(scope, receive, send)

    return checked
