"""The proxy before an MCP server, by the SDK's own client: in one process, over pipes, over HTTP."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from validator.guard import PlanGuard

pytest.importorskip("mcp.server.mcpserver", reason="needs the extra mcp")

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.server import MCPServer

from validator.mcp.proxy import make_proxy

SERVER = """
from mcp.server import MCPServer
server = MCPServer("shop", instructions="Verify first.")

@server.tool()
def verify(user: str) -> str:
    return "verified"

@server.tool()
def pay(user: str, amount: int) -> dict[str, int]:
    if amount == 13:
        raise ValueError("unlucky")
    return {"paid": amount}

@server.resource("shop://prices")
def prices() -> str:
    return "cheap"

@server.prompt()
def greet(name: str) -> str:
    return f"Hello {name}"
"""
POLICY = "verify before pay\npay only if amount <= 100"


def _server() -> MCPServer[Any]:
    names: dict[str, Any] = {}
    exec(SERVER, names)
    server: MCPServer[Any] = names["server"]
    return server


async def _through(guard: PlanGuard, use: Any) -> Any:
    async with make_proxy(guard, _server()) as proxy, Client(proxy) as client:
        return await use(client)


def test_what_a_server_has_is_seen_through_the_proxy() -> None:
    async def use(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools.keys() == {"verify", "pay"} and tools["pay"].input_schema["required"] == ["user", "amount"]
        assert client.instructions == "Verify first."
        assert [str(each.uri) for each in (await client.list_resources()).resources] == ["shop://prices"]
        assert (await client.read_resource("shop://prices")).contents[0].text == "cheap"  # type: ignore[union-attr]
        assert [each.name for each in (await client.list_prompts()).prompts] == ["greet"]
        prompt = await client.get_prompt("greet", {"name": "Ann"})
        assert prompt.messages[0].content.text == "Hello Ann"  # type: ignore[union-attr]

    asyncio.run(_through(PlanGuard(POLICY), use))


def test_a_bad_call_is_answered_with_the_reason_and_not_made() -> None:
    guard = PlanGuard(POLICY)

    async def use(client: Client) -> list[Any]:
        asked = [("pay", 5), ("verify", None), ("pay", 5000), ("pay", 13), ("pay", 5)]
        return [
            await client.call_tool(name, {"user": "u", **({} if amount is None else {"amount": amount})})
            for name, amount in asked
        ]

    answers = asyncio.run(_through(guard, use))
    assert [answer.is_error for answer in answers] == [True, False, True, True, False]
    assert "needs verify before it. Call instead: verify" in answers[0].content[0].text
    assert "amount <= 100" in answers[2].content[0].text and "Error executing tool pay" in answers[3].content[0].text
    assert answers[4].structured_content == {"paid": 5}
    assert [(r["name"], "error" in r) for r in guard.trace] == [("verify", False), ("pay", True), ("pay", False)]


def _command(folder: Path, *options: str) -> list[str]:
    (folder / "server.py").write_text(f"{SERVER}\nserver.run('stdio')\n")
    (folder / "shop.policy").write_text(POLICY)
    program = "from validator.cli import main; import sys; sys.exit(main(sys.argv[1:]))"
    guard = ["guard", "--policy", str(folder / "shop.policy"), "--log", str(folder / "log.jsonl"), *options]
    return [sys.executable, "-c", program, *guard, "--", sys.executable, str(folder / "server.py")]


async def _denied_then_allowed(client: Client) -> None:
    assert (await client.call_tool("pay", {"user": "u", "amount": 5})).is_error
    assert not (await client.call_tool("verify", {"user": "u"})).is_error
    assert not (await client.call_tool("pay", {"user": "u", "amount": 5})).is_error


def _logged(folder: Path) -> list[str]:
    return [json.loads(line)["name"] for line in (folder / "log.jsonl").read_text().splitlines()]


@pytest.mark.deep
def test_the_command_over_standard_input_and_output(tmp_path: Path) -> None:
    command, *arguments = _command(tmp_path)

    async def use() -> None:
        async with Client(StdioServerParameters(command=command, args=arguments)) as client:
            await _denied_then_allowed(client)

    asyncio.run(use())
    assert _logged(tmp_path) == ["verify", "pay"]


@pytest.mark.deep
def test_the_command_over_http(tmp_path: Path) -> None:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    process = subprocess.Popen(_command(tmp_path, "--http", f"127.0.0.1:{port}"))
    try:
        _wait(port)

        async def use() -> None:
            async with Client(f"http://127.0.0.1:{port}/mcp") as client:
                await _denied_then_allowed(client)

        asyncio.run(use())
    finally:
        process.terminate()
        process.wait(timeout=30)
    assert _logged(tmp_path) == ["verify", "pay"]


def _wait(port: int) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the proxy does not answer")
