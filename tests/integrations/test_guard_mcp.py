"""The proxy before an MCP server, by the SDK's own client: in one process and over pipes, before pipes and HTTP."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from validator.guard import PlanGuard

pytest.importorskip("mcp.server.mcpserver", reason="needs the extra mcp")

from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters
from mcp.server import MCPServer

from tests.support.processes import wait_for
from tests.support.proxied import Proxied
from tests.support.serving import free_port, listens

SERVER = """
import os, signal
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

@server.tool()
def crash() -> None:
    os.kill(os.getpid(), signal.SIGKILL)

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
    async with Client(Proxied(guard, _server())) as client:
        return await use(client)


def test_what_a_server_has_is_seen_through_the_proxy() -> None:
    async def use(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools.keys() == {"verify", "pay", "crash"} and tools["pay"].input_schema["required"] == [
            "user",
            "amount",
        ]
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


@pytest.mark.deep
@pytest.mark.parametrize(("transport", "mode"), [("stdio", "auto"), ("http", "auto"), ("http", "legacy")])
def test_the_command_before_a_server(transport: str, mode: str, tmp_path: Path) -> None:
    port = free_port()
    run = "'stdio'" if transport == "stdio" else f"'streamable-http', port={port}"
    (tmp_path / "server.py").write_text(f"{SERVER}\nserver.run({run})\n")
    (tmp_path / "shop.policy").write_text(POLICY)
    server = [sys.executable, str(tmp_path / "server.py")]
    guard = ["-m", "validator", "guard", "--policy", str(tmp_path / "shop.policy"), "--log", str(tmp_path / "log")]
    guard += ["--", *server] if transport == "stdio" else [f"http://127.0.0.1:{port}/mcp"]

    paid = {"user": "u", "amount": 5}
    asked: list[tuple[str, dict[str, Any]]] = [("pay", paid), ("verify", {"user": "u"}), ("pay", paid)]
    if transport == "stdio":
        asked += [("crash", {}), ("verify", {"user": "u"})]

    async def refused(client: Client, name: str, arguments: dict[str, Any]) -> bool:
        try:
            return bool((await client.call_tool(name, arguments)).is_error)
        except MCPError:
            return True

    async def use() -> list[bool]:
        async with Client(StdioServerParameters(command=sys.executable, args=guard), mode=mode) as client:
            return [await asyncio.wait_for(refused(client, *each), 60) for each in asked]

    process = subprocess.Popen(server) if transport == "http" else None
    try:
        if process is not None:
            wait_for(lambda: listens(port))
        assert asyncio.run(use()) == [True, False, False, True, True][: len(asked)]  # nothing passes a dead server
    finally:
        if process is not None:
            process.terminate()
            process.wait(timeout=30)
    assert [json.loads(line)["name"] for line in (tmp_path / "log").read_text().splitlines()] == ["verify", "pay"]


def test_the_guard_and_its_server_end_when_the_client_hangs_up(tmp_path: Path) -> None:
    """What wrote to the client was waited for, for good: each client that ended left a guard and a server behind."""
    (tmp_path / "policy").write_text(POLICY)
    guard = [sys.executable, "-m", "validator", "guard", "--policy", "policy", "--"]
    done = subprocess.run(
        [*guard, "sh", "-c", "cat; echo ended > server"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (tmp_path / "server").read_text() == "ended\n"


@pytest.mark.deep
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_guard_though_its_client_stays(number: int, tmp_path: Path) -> None:
    """Python waits for a thread that reads standard input, which ends when the client does."""
    (tmp_path / "policy").write_text(POLICY)
    guard = [sys.executable, "-m", "validator", "guard", "--policy", "policy", "--"]
    with subprocess.Popen(
        [*guard, "sh", "-c", "echo begun >&2; cat"], cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"begun\n"
        process.send_signal(number)
        assert process.wait(120) == 0
        assert b"Traceback" not in process.stderr.read()
