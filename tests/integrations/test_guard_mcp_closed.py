"""The proxy where something goes wrong: whatever does, no call gets past it that was not decided."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.support import hostile
from validator.guard import PlanGuard

pytest.importorskip("mcp.server.mcpserver", reason="needs the extra mcp")

import anyio
from mcp import Client
from mcp.server import MCPServer
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from tests.support.proxied import Proxied
from validator.mcp.relay import relay

MADE: list[str] = []
TOOLS = [{"name": name, "inputSchema": {"type": "object", "properties": {"user": {}}}} for name in ("verify", "pay")]


def _server() -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("shop")

    @server.tool()
    def refund_all(user: str = "") -> str:
        MADE.append("refund_all")
        return "refunded"

    @server.tool()
    def verify(user: str = "") -> str:
        MADE.append("verify")
        return "verified"

    return server


def _asked(guard: PlanGuard, names: list[str]) -> list[Any]:
    async def ask() -> list[Any]:
        async with Client(Proxied(guard, _server())) as client:
            return [await client.call_tool(name, {}) for name in names]

    MADE.clear()
    return asyncio.run(ask())


def test_no_hostile_spelling_gets_past_the_proxy() -> None:
    spelled = list(dict.fromkeys(hostile.names("refund_all")))[:80]
    answers = _asked(PlanGuard("never refund_all"), [*spelled, "verify"])
    assert [answer.is_error for answer in answers] == [True] * len(spelled) + [False]
    assert all(answer.content[0].text.startswith("Denied: ") for answer in answers[:-1]) and MADE == ["verify"]


def test_a_policy_that_names_what_the_server_has_not_denies_every_call(capsys: pytest.CaptureFixture[str]) -> None:
    guard = PlanGuard("never refund_al")
    answers = _asked(guard, ["verify", "refund_all"])
    said = "no tool is called 'refund_al' (did you mean 'refund_all'?)"
    assert all(answer.is_error and said in answer.content[0].text for answer in answers) and not MADE
    assert said in capsys.readouterr().err
    assert not _asked(PlanGuard("never refund_al", unknown_names="allow"), ["verify"])[0].is_error


Serve = Callable[[Any], Any]


def _call(number: object, name: str = "pay", **more: Any) -> JSONRPCRequest:
    params = {"name": name, "arguments": {}, **more}
    return JSONRPCRequest.model_validate({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})


def _through(guard: PlanGuard, serve: Serve, messages: list[Any], wait: int) -> tuple[list[str], list[Any]]:
    """Return the calls that reached a server, and the answers that a client got to messages, at most ``wait``.

    ``serve`` says what the server answers to a request: a result, an error as a text, "hang up", or None for nothing.
    """
    reached: list[str] = []
    answers: list[Any] = []

    async def server(streams: Any) -> None:
        async for given in streams[0]:
            message = given.message
            if message.method == "tools/call":
                reached.append(message.params["name"])
            if not isinstance(message, JSONRPCRequest):
                continue
            found = serve(message)
            if found == "hang up":
                await streams[1].aclose()
                return
            if isinstance(found, str):
                error = {"code": -32000, "message": found}
                found = JSONRPCError.model_validate({"jsonrpc": "2.0", "id": message.id, "error": error})
            elif found is not None:
                found = JSONRPCResponse(jsonrpc="2.0", id=message.id, result=found)
            if found is not None:
                await streams[1].send(SessionMessage(found))

    async def run() -> None:
        async with (
            create_client_server_memory_streams() as (mine, proxys),
            create_client_server_memory_streams() as (upstream, own),
            anyio.create_task_group() as group,
        ):
            group.start_soon(server, own)
            group.start_soon(relay, guard, proxys, upstream)
            for message in messages:
                await mine[1].send(SessionMessage(message))
            with anyio.move_on_after(20):
                while len(answers) < wait:
                    try:
                        answers.append((await mine[0].receive()).message)
                    except anyio.EndOfStream:
                        break
            group.cancel_scope.cancel()

    asyncio.run(run())
    return reached, answers


def _serving(tools: Any) -> Serve:
    def serve(message: Any) -> Any:
        return tools if message.method == "tools/list" else {"content": [], "isError": False}

    return serve


@pytest.mark.parametrize(
    "tools",
    [
        pytest.param("Method not found", id="an error"),
        pytest.param({}, id="no list"),
        pytest.param({"tools": "pay"}, id="a list that is none"),
        pytest.param({"tools": [{"title": "pay"}]}, id="a tool without a name"),
        pytest.param({"tools": [*TOOLS, {"name": "pay", "inputSchema": {"properties": {"a": {}}}}]}, id="a name twice"),
        pytest.param("hang up", id="a server that ends"),
    ],
)
def test_a_server_that_does_not_say_its_tools_gets_no_call(tools: Any) -> None:
    reached, answers = _through(PlanGuard("never refund", unknown_names="deny"), _serving(tools), [_call(1)], 1)
    assert reached == []
    assert tools == "hang up" or answers[0].result["isError"]


def test_a_list_in_pages_is_one_list() -> None:
    def serve(message: Any) -> Any:
        if message.method != "tools/list":
            return {"content": []}
        is_last = "cursor" in (message.params or {})
        return {"tools": TOOLS[1:]} if is_last else {"tools": TOOLS[:1], "nextCursor": "2"}

    reached, _ = _through(PlanGuard("at most 2 pay"), serve, [_call(1)], 1)
    assert reached == ["pay"]


@pytest.mark.parametrize(
    ("changed", "reached", "said"),
    [
        (["verify", "transfer"], ["pay", "transfer"], ""),
        (["verify", "pay"], ["pay"], "no tool is called 'transfer'"),
        (["transfer"], ["pay"], "no tool is called 'verify'"),
    ],
)
def test_tools_that_change_under_way_are_asked_for_anew(changed: list[str], reached: list[str], said: str) -> None:
    tools = {"tools": list(TOOLS)}

    def serve(message: Any) -> Any:
        if message.method == "tools/call":
            tools["tools"] = [{"name": name} for name in changed]
        return dict(tools) if message.method == "tools/list" else {"content": []}

    listing = JSONRPCRequest.model_validate({"jsonrpc": "2.0", "id": 5, "method": "tools/list"})
    guard = PlanGuard("never verify")
    found, answers = _through(guard, serve, [_call(1), listing, _call(2, "transfer")], 3)
    assert found == reached and said in str(next(each for each in answers if each.id == 2).result)


def test_a_call_that_is_a_notification_is_not_handed_on() -> None:
    params = {"name": "pay", "arguments": {}}
    call = JSONRPCNotification(jsonrpc="2.0", method="tools/call", params=params)
    reached, _ = _through(PlanGuard("never verify"), _serving({"tools": TOOLS}), [call, _call(1)], 1)
    assert reached == ["pay"]


def test_two_open_calls_with_one_id_are_not_both_handed_on() -> None:
    def serve(message: Any) -> Any:
        return {"tools": TOOLS} if message.method == "tools/list" else None

    reached, answers = _through(PlanGuard("never verify"), serve, [_call(1), _call(1)], 1)
    assert reached == ["pay"] and "not answered yet" in str(answers[0].result)


def test_a_guard_that_fails_denies(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = PlanGuard("never verify")
    monkeypatch.setattr(guard, "_judge", lambda *_, **__: 1 / 0)
    reached, answers = _through(guard, _serving({"tools": TOOLS}), [_call(1)], 1)
    assert reached == [] and "the guard failed (ZeroDivisionError" in str(answers[0].result)


def test_a_server_that_dies_in_a_call_leaves_it_open() -> None:
    def serve(message: Any) -> Any:
        return {"tools": TOOLS} if message.method == "tools/list" else "hang up"

    guard = PlanGuard("at most 1 pay")
    reached, answers = _through(guard, serve, [_call(1)], 1)
    assert reached == ["pay"] and not guard.before("pay", {})
    assert [answer.error.message for answer in answers] == ["the server ended"]
