"""The proxy before an MCP server, by the SDK's own client: in one process, over pipes, over HTTP."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from validator.guard import PlanGuard

pytest.importorskip("mcp.server.mcpserver", reason="needs the extra mcp")

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.server import MCPServer

from tests.support.proxied import Proxied
from validator.mcp.proxy import local
from validator.mcp.proxy.sessions import sessions

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
    async with Client(Proxied(guard, _server())) as client:
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


def test_a_page_of_the_web_cannot_reach_the_proxy_by_a_name_of_its_own() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"reached"})

    async def ask(headers: dict[str, str]) -> int:
        transport = httpx2.ASGITransport(local(app, "127.0.0.1"))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8002") as client:
            return (await client.post("/mcp", content=b"{}", headers=headers)).status_code

    assert asyncio.run(ask({})) == 200
    assert asyncio.run(ask({"host": "evil.example:8002"})) == 421
    assert asyncio.run(ask({"origin": "http://evil.example"})) == 403


def test_a_session_that_began_before_the_guard_is_refused() -> None:
    async def ask() -> int:
        async with (
            sessions(PlanGuard(POLICY), "http://127.0.0.1:1/mcp") as app,
            httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1") as client,
        ):
            return (await client.post("/mcp", content=b"{}", headers={"mcp-session-id": "old"})).status_code

    assert asyncio.run(ask()) == 404


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


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def _serving(command: list[str], port: int) -> Iterator[None]:
    process = subprocess.Popen(command)
    try:
        _wait(port)
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)


@pytest.mark.deep
def test_the_command_over_http(tmp_path: Path) -> None:
    port = _free_port()

    async def use() -> None:
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            await _denied_then_allowed(client)

    with _serving(_command(tmp_path, "--http", f"127.0.0.1:{port}"), port):
        asyncio.run(use())
    assert _logged(tmp_path) == ["verify", "pay"]


@pytest.mark.deep
@pytest.mark.parametrize(("own", "mode"), [("http", "auto"), ("stdio", "legacy")])
def test_the_command_before_a_server_over_http(tmp_path: Path, own: str, mode: str) -> None:
    at, port = _free_port(), _free_port()
    command = _command(tmp_path)
    guard = [*command[: command.index("--")], *(["--http", f"127.0.0.1:{port}"] if own == "http" else [])]
    guard.append(f"http://127.0.0.1:{at}/mcp")
    (tmp_path / "web.py").write_text(f"{SERVER}\nserver.run('streamable-http', port={at})\n")

    async def use(server: Any) -> None:
        async with Client(server, mode=mode) as client:
            await _denied_then_allowed(client)

    with _serving([sys.executable, str(tmp_path / "web.py")], at):
        if own == "stdio":
            asyncio.run(use(StdioServerParameters(command=guard[0], args=guard[1:])))
        else:
            with _serving(guard, port):
                asyncio.run(use(f"http://127.0.0.1:{port}/mcp"))
    assert _logged(tmp_path) == ["verify", "pay"]


def _wait(port: int) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the proxy does not answer")


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
