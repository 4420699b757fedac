"""A request over HTTP that somebody waits for: it ends with the connection, and in words with the server."""

from __future__ import annotations

from asyncio import CancelledError
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["answer", "attended"]

_STOPPED = "the server was stopped before this was answered"


async def attended(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Let an application answer a request, and end that when the client hangs up.

    A server that is stopped cancels what has not been answered; that is said to the client, with 503.
    """
    has_begun = False

    async def told(message: Message) -> None:
        nonlocal has_begun
        has_begun = True
        await send(message)

    try:
        await _until_hung_up(app, scope, receive, told)
    except CancelledError:
        if not has_begun:
            await answer(send, 503, [(b"content-type", b"text/plain")], _STOPPED)


async def _until_hung_up(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    import anyio

    give, take = anyio.create_memory_object_stream[Any]()

    async def listen() -> None:
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                whole.cancel_scope.cancel()
            await give.send(message)

    with give, take:
        async with anyio.create_task_group() as whole:
            whole.start_soon(listen)
            await app(scope, take.receive, send)
            whole.cancel_scope.cancel()


async def answer(send: Send, status: int, headers: list[tuple[bytes, bytes]], text: str = "") -> None:
    """Answer a request with a text."""
    body = text.encode()
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [length, *headers]})
    await send({"type": "http.response.body", "body": body})
