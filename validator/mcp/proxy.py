"""A guard before any MCP server: its tools, resources and prompts are seen through it, and denied calls are answered.

The proxy is a client of the server and a server to the agent. One guard stands for all that is called through it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from validator import __version__

if TYPE_CHECKING:
    from mcp.server import Server

    from validator.guard import PlanGuard

__all__ = ["make_proxy", "proxy_http", "proxy_stdio", "upstream_of"]


def upstream_of(address: str, *arguments: str) -> Any:
    """Return the server that a URL or a command with its arguments stands for, as the SDK's client takes it."""
    if address.startswith(("http://", "https://")):
        return address
    from mcp import StdioServerParameters

    return StdioServerParameters(command=address, args=list(arguments))


@asynccontextmanager
async def make_proxy(guard: PlanGuard, upstream: Any) -> AsyncIterator[Server[Any]]:
    """Connect to a server and yield the proxy before it. Raises what the SDK's client raises."""
    from mcp import Client
    from mcp.server import Server

    async with Client(upstream) as client:
        info = client.server_info
        yield Server(
            f"{info.name if info else 'server'} (guarded)",
            version=__version__,
            instructions=client.instructions,
            on_call_tool=_call_tool(guard, client),
            **_forwarded(client),
        )


def _call_tool(guard: PlanGuard, client: Any) -> Any:
    from mcp_types import CallToolResult, TextContent

    async def call_tool(_: Any, params: Any) -> Any:
        decision = guard.before(params.name, params.arguments or {})
        if not decision:
            return CallToolResult(content=[TextContent(type="text", text=decision.message)], is_error=True)
        try:
            result = await client.call_tool(params.name, params.arguments or {})
        except Exception as error:
            guard.after(decision, error=error)
            raise
        said = [getattr(part, "text", None) or part.type for part in result.content]
        guard.after(decision, "\n".join(said), error="\n".join(said) or "failed" if result.is_error else None)
        return result

    return call_tool


def _forwarded(client: Any) -> dict[str, Any]:
    """Return what is handed on as it is, as far as the server has it."""

    async def list_tools(_: Any, params: Any) -> Any:
        return await client.list_tools(cursor=params.cursor if params else None)

    async def list_resources(_: Any, params: Any) -> Any:
        return await client.list_resources(cursor=params.cursor if params else None)

    async def list_templates(_: Any, params: Any) -> Any:
        return await client.list_resource_templates(cursor=params.cursor if params else None)

    async def read_resource(_: Any, params: Any) -> Any:
        return await client.read_resource(params.uri)

    async def list_prompts(_: Any, params: Any) -> Any:
        return await client.list_prompts(cursor=params.cursor if params else None)

    async def get_prompt(_: Any, params: Any) -> Any:
        return await client.get_prompt(params.name, params.arguments)

    has, found = client.server_capabilities, {"on_list_tools": list_tools}
    if has.resources is not None:
        found |= {"on_list_resources": list_resources, "on_list_resource_templates": list_templates}
        found["on_read_resource"] = read_resource
    if has.prompts is not None:
        found |= {"on_list_prompts": list_prompts, "on_get_prompt": get_prompt}
    return found


async def proxy_stdio(guard: PlanGuard, upstream: Any) -> None:
    """Answer on standard output what comes on standard input, until that ends."""
    from mcp.server.stdio import stdio_server

    async with make_proxy(guard, upstream) as proxy, stdio_server() as (reading, writing):
        await proxy.run(reading, writing, proxy.create_initialization_options())


async def proxy_http(guard: PlanGuard, upstream: Any, host: str, port: int) -> None:
    """Answer at ``http://HOST:PORT/mcp`` until the process is told to end."""
    import uvicorn

    async with make_proxy(guard, upstream) as proxy:
        app = proxy.streamable_http_app(host=host)
        await uvicorn.Server(uvicorn.Config(app, host=host, port=port, log_level="warning")).serve()
