"""A plug-in of pytest for the MCP SDK's own tests: it puts the proxy between their clients and their servers.

``mcp_sdk.sh`` runs it. In memory and over pipes the relay stands between; every call that is asked for is
decided by a guard that allows it, and the last line says how many messages and calls went through.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import client as sdk_client
from mcp.client import stdio as sdk_stdio
from mcp.client._memory import InMemoryTransport
from mcp.shared._compat import resync_tracer
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.memory import create_client_server_memory_streams

from validator.guard import PlanGuard
from validator.mcp import gate, relay
from validator.policies import read_policy

COUNTS: Counter[str] = Counter()
POLICY = "never no_such_tool_at_all\n"
_READ = read_policy(POLICY)  # once: the SDK's tests allow no reading of files while they run


def _guard() -> PlanGuard:
    return PlanGuard(_READ, not_understood="allow", unknown_names="allow")


def _counted(owner: Any, name: str, counted: str) -> None:
    whole = getattr(owner, name)

    def count(*given: Any, **named: Any) -> Any:
        COUNTS[counted] += 1
        return whole(*given, **named)

    setattr(owner, name, count)


# --- in memory -------------------------------------------------------------------------------------


@asynccontextmanager
async def _through(server: Any) -> Any:
    """Yield the client's streams of a proxy before a server's streams."""
    async with create_client_server_memory_streams() as (mine, proxys), anyio.create_task_group() as group:
        group.start_soon(relay.relay, _guard(), proxys, server)
        yield mine
        await mine[1].aclose()
        await anyio.wait_all_tasks_blocked()
        group.cancel_scope.cancel()
    await resync_tracer()


_in_memory = InMemoryTransport._connect


@asynccontextmanager
async def _in_memory_proxied(self: InMemoryTransport) -> Any:
    async with _in_memory(self) as server, _through(server) as mine:
        yield mine


def _in_process(server: Any) -> Any:
    async def connect(stack: Any, mode: Any, raise_exceptions: bool) -> Any:
        streams = await stack.enter_async_context(InMemoryTransport(server, raise_exceptions=raise_exceptions))
        return JSONRPCDispatcher(*streams)

    return connect


# --- over pipes ------------------------------------------------------------------------------------

_start = sdk_stdio._create_platform_compatible_process


async def _start_proxied(command: str, args: list[str], env: Any, errlog: Any, cwd: Any = None) -> Any:
    COUNTS["commands"] += 1
    policy = Path(os.environ["TMPDIR"]) / "all.policy"
    program = "from validator.cli import main; import sys; sys.exit(main(sys.argv[1:]))"
    allowed = ["--not-understood", "allow", "--unknown-names", "allow"]
    guard = ["-c", program, "guard", "--policy", str(policy), *allowed, "--", command, *args]
    return await _start(sys.executable, guard, env, errlog, cwd)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Summed())
    (Path(os.environ["TMPDIR"]) / "all.policy").write_text(POLICY)
    _counted(gate.Gate, "ask", "calls")
    _counted(relay._Relay, "_up", "messages")
    InMemoryTransport._connect = _in_memory_proxied  # type: ignore[method-assign]
    sdk_client._connect_inproc = _in_process
    sdk_stdio._create_platform_compatible_process = _start_proxied


class _Summed:
    """Adds up the counts of the processes that ran the tests."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        COUNTS.update(getattr(node, "workeroutput", {}).get("proxied", {}))


def pytest_sessionfinish(session: pytest.Session) -> None:
    if (sent := getattr(session.config, "workeroutput", None)) is not None:
        sent["proxied"] = dict(COUNTS)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    terminalreporter.write_line("through the proxy: " + ", ".join(f"{n} {what}" for what, n in sorted(COUNTS.items())))
