"""The proxy before a server that is killed in the middle of a call: the client gets an error, and nothing passes."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp.server.mcpserver", reason="needs the extra mcp")

import anyio
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters

pytestmark = pytest.mark.deep

SERVER = """
import os
import time
from pathlib import Path
from mcp.server import MCPServer

made = Path(__file__).with_name("made")
server = MCPServer("shop")

@server.tool()
def verify(user: str) -> str:
    return "verified"

@server.tool()
def pay(user: str) -> str:
    with made.open("a") as file:
        file.write(f"{os.getpid()}\\n")
    time.sleep(60)
    return "paid"

server.run("stdio")
"""
PROGRAM = "from validator.cli import main; import sys; sys.exit(main(sys.argv[1:]))"


async def _kill(made: Path) -> None:
    """Kill the server as soon as it is in a call."""
    while not (made.exists() and made.read_text().endswith("\n")):
        await anyio.sleep(0.05)
    os.kill(int(made.read_text()), signal.SIGKILL)


async def _refused(client: Client, name: str) -> bool:
    """Return whether a call is answered with an error."""
    try:
        return bool((await client.call_tool(name, {"user": "u"})).is_error)
    except MCPError:
        return True


def test_a_server_killed_in_a_call_is_an_error_to_the_client_and_nothing_is_let_through(tmp_path: Path) -> None:
    made, policy = tmp_path / "made", tmp_path / "shop.policy"
    (tmp_path / "server.py").write_text(SERVER)
    policy.write_text("at most 1 pay\nverify before pay")
    guard = ["guard", "--policy", str(policy), "--", sys.executable, str(tmp_path / "server.py")]
    proxy = StdioServerParameters(command=sys.executable, args=["-c", PROGRAM, *guard])

    async def use() -> list[Any]:
        async with Client(proxy) as client:
            found = [await _refused(client, "pay"), await _refused(client, "verify")]
            async with anyio.create_task_group() as group:
                group.start_soon(_kill, made)
                with anyio.fail_after(20):
                    found += [await _refused(client, name) for name in ("pay", "pay", "verify")]
            return found

    assert asyncio.run(use()) == [True, False, True, True, True]
    assert len(made.read_text().split()) == 1
