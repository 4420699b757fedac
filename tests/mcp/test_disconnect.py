"""What is asked over HTTP ends when nobody waits for it any more, and in words when the server is stopped."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("mcp")

from validator.mcp.server import until_disconnect

_BODY = {"type": "http.request", "body": b"{}", "more_body": False}


class _Connection:
    """One request: an application that answers only if it is to, and what came of it."""

    def __init__(self, *, hangs_up: bool, begins: bool = False) -> None:
        self.hangs_up, self.begins = hangs_up, begins
        self.sent: list[dict[str, Any]] = []
        self.heard: list[dict[str, Any]] = []
        self.is_ended = False
        self.is_working = asyncio.Event()
        self._messages = [_BODY]

    async def receive(self) -> dict[str, Any]:
        if self._messages:
            return self._messages.pop()
        await self.is_working.wait()
        if not self.hangs_up:
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    async def app(self, scope: Any, receive: Any, send: Any) -> None:
        self.heard.append(await receive())
        if self.begins:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        self.is_working.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.is_ended = True

    async def answered(self) -> None:
        await until_disconnect(self.app, {"type": "http"}, self.receive, self.send)


def test_a_call_ends_when_its_client_hangs_up() -> None:
    """Its planner went on until its time limit, and kept one of the workers."""

    async def hung_up() -> _Connection:
        connection = _Connection(hangs_up=True)
        await connection.answered()
        return connection

    connection = asyncio.run(hung_up())
    assert (connection.heard, connection.is_ended, connection.sent) == ([_BODY], True, [])


@pytest.mark.parametrize("begins", [False, True])
def test_a_call_is_told_that_the_server_is_stopped(begins: bool) -> None:
    """It was an internal error for the client, and a traceback on the server."""

    async def stopped() -> _Connection:
        connection = _Connection(hangs_up=False, begins=begins)
        task = asyncio.create_task(connection.answered())
        await connection.is_working.wait()
        task.cancel()
        await task
        return connection

    connection = asyncio.run(stopped())
    assert connection.is_ended
    assert [message.get("status") for message in connection.sent] == ([200] if begins else [503, None])


def test_an_answer_is_handed_on() -> None:
    async def quick(scope: Any, receive: Any, send: Any) -> None:
        assert await receive() == _BODY
        await send({"type": "http.response.start", "status": 204, "headers": []})

    async def done() -> _Connection:
        connection = _Connection(hangs_up=False)
        await until_disconnect(quick, {"type": "http"}, connection.receive, connection.send)
        return connection

    assert [message["status"] for message in asyncio.run(done()).sent] == [204]
