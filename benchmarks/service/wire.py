"""Requests to a service as they go over the wire, and what comes back."""

from __future__ import annotations

import asyncio
import json

__all__ = ["ask", "exchange", "message"]


def message(method: str, path: str, value: object = None, headers: str = "") -> bytes:
    """Return a request as it is sent."""
    body = b"" if value is None else json.dumps(value).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {len(body)}\r\n"
    return f"{head}Content-Type: application/json\r\n\r\n".encode() + body


async def ask(port: int, sent: bytes) -> tuple[int, bytes]:
    """Return the status and the body of an answer. Raises OSError without one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        return await exchange(reader, writer, sent)
    except asyncio.IncompleteReadError as error:
        raise ConnectionError("the answer is cut off") from error
    finally:
        writer.close()


async def exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sent: bytes) -> tuple[int, bytes]:
    writer.write(sent)
    head = await reader.readuntil(b"\r\n\r\n")
    length = [int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return int(head[9:12]), await reader.readexactly(length[0]) if length else b""
