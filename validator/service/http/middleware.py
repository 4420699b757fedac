"""What stands before every request: the size and the time of its body, who may ask, and headers of safety."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any, TypeAlias

from validator.service.http.access import OPEN, Border
from validator.service.problems import MEDIA_TYPE, Problem, ProblemError
from validator.service.settings import Settings

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

_BODIES_AT_ONCE = 16
"""Bodies of the greatest size that may be in memory at once."""
_LINGER = 2.0
_POLICY = (
    b"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'none';"
    b" base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"same-origin",  # with none at all, the service's own forms would come from the origin "null"
    b"cache-control": b"no-store",
    b"content-security-policy": _POLICY,
}


class Gate:
    """Reads each body whole, within its limits, before anything else sees the request."""

    def __init__(self, app: App, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._border = Border(host=settings.host, hosts=settings.hosts)
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        send = _safely(send)
        refused = self._border.problem(scope["method"], scope["path"], headers, has_body=_has_body(headers))
        if refused is not None:
            await self._drain(receive)
            await _send_problem(send, refused, [(b"connection", b"close")])
            return
        if scope["method"] == "HEAD":  # as GET, without the body
            scope, send = {**scope, "method": "GET"}, _bodiless(send)
        client = self._client(scope, headers)
        if client is None:
            await _send_problem(send, _UNKNOWN, [(b"www-authenticate", b'Bearer, Basic realm="plan-validator"')])
            return
        scope["state"] = {**scope.get("state", {}), "client": client}
        try:
            held = await self._body(headers, receive)
        except ProblemError as error:
            await self._drain(receive)
            await _send_problem(send, error.problem, [(b"connection", b"close")])
            return
        try:
            await self._app(scope, _replay(bytes(held), receive), send)
        finally:
            self._held -= len(held)

    def _client(self, scope: Scope, headers: dict[bytes, bytes]) -> str | None:
        """Return who asks: the name of a token, or the address; None without a token where one is demanded."""
        address = (scope.get("client") or ("local", 0))[0]
        if not self._settings.tokens or scope["path"] in OPEN:
            return f"address {address}"
        shown = _token(headers.get(b"authorization", b""))
        found = None
        for name, token in self._settings.tokens:
            if secrets.compare_digest(shown, token.encode()):
                found = f"token {name}"
        return found

    async def _body(self, headers: dict[bytes, bytes], receive: Receive) -> bytearray:
        most = self._settings.max_body
        declared = headers.get(b"content-length", b"0")
        if declared.isdigit() and (len(declared) > 18 or int(declared) > most):
            raise ProblemError(_too_large(most))
        body = bytearray()
        try:
            async with asyncio.timeout(self._settings.body_time):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ProblemError(Problem(kind="body", status=400, title="The body was cut off"))
                    chunk = message.get("body", b"")
                    if len(body) + len(chunk) > most:
                        raise ProblemError(_too_large(most))
                    if self._held + len(chunk) > most * _BODIES_AT_ONCE:
                        raise ProblemError(_BUSY)
                    body += chunk
                    self._held += len(chunk)
                    if not message.get("more_body", False):
                        return body
        except TimeoutError:
            self._held -= len(body)
            said = f"no whole body within {self._settings.body_time:g} seconds"
            raise ProblemError(Problem(kind="slow", status=408, title="The body is too slow", detail=said)) from None
        except BaseException:
            self._held -= len(body)
            raise

    async def _drain(self, receive: Receive) -> None:
        """Read on for a while what is refused: a client that still sends would not see the answer."""
        left = _BODIES_AT_ONCE * self._settings.max_body
        with suppress(TimeoutError):
            async with asyncio.timeout(_LINGER):
                while left > 0:
                    message = await receive()
                    left -= len(message.get("body", b""))
                    if message["type"] == "http.disconnect" or not message.get("more_body", False):
                        return


_UNKNOWN = Problem(kind="token", status=401, title="A token is needed", detail="Authorization: Bearer TOKEN")
_BUSY = Problem(
    kind="busy", status=503, title="Too many large requests", detail="try again in 5 seconds", retry_after=5
)


def _too_large(most: int) -> Problem:
    return Problem(kind="size", status=413, title="The body is too large", detail=f"{most:,} bytes are the most")


def _token(header: bytes) -> bytes:
    """Return the token of a header; a browser gives it as the password of any name."""
    scheme, _, value = header.partition(b" ")
    if scheme.lower() == b"basic":
        try:
            return base64.b64decode(value, validate=True).partition(b":")[2]
        except binascii.Error:
            return b""
    return value.strip() if scheme.lower() == b"bearer" else b""


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return what gives the body that was read, then what comes after it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def give() -> Message:
        return messages.pop() if messages else await receive()

    return give


def _has_body(headers: dict[bytes, bytes]) -> bool:
    return headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers


def _safely(send: Send) -> Send:
    async def give(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message.get("headers", ())}
            more = [(name, value) for name, value in _HEADERS.items() if name not in given]
            message["headers"] = [*message.get("headers", ()), *more]
        await send(message)

    return give


def _bodiless(send: Send) -> Send:
    async def give(message: Message) -> None:
        await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

    return give


async def _send_problem(send: Send, problem: Problem, headers: list[tuple[bytes, bytes]] | None = None) -> None:
    """Answer with a problem document."""
    body = json.dumps(problem.value(), ensure_ascii=False).encode("utf-8", "replace")
    given = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode()), *(headers or ())]
    if problem.retry_after is not None:
        given.append((b"retry-after", str(problem.retry_after).encode()))
    await send({"type": "http.response.start", "status": problem.status, "headers": given})
    await send({"type": "http.response.body", "body": body})
