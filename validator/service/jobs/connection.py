"""The line to a process: values as ``multiprocessing.Connection`` says them, without waiting for any."""

from __future__ import annotations

import asyncio
import pickle
import struct
from collections.abc import Callable
from typing import Any

__all__ = ["Line"]

_LENGTH = struct.Struct("!i")
_AT_ONCE = 2**16
"""bytes that are read at once; what asyncio reserves for each reading by itself takes longer to get than to fill"""


class Line(asyncio.BufferedProtocol):
    """Pickles, each after its length; ``heard`` is called with each value, ``lost`` when there is nobody any more."""

    def __init__(self, heard: Callable[[Any], object], lost: Callable[[], object]) -> None:
        self.heard = heard
        self.lost = lost
        self.is_lost = False
        self._buffer = memoryview(bytearray(_AT_ONCE))
        self._read = bytearray()
        self._transport: Any = None

    def send(self, value: object) -> None:
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        self._transport.write(_LENGTH.pack(len(data)) + data)

    def close(self) -> None:
        """Hang up; who listens hears of it soon."""
        self.is_lost = True
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        self.is_lost = True
        self.lost()

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self._read += self._buffer[:nbytes]
        while len(self._read) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(self._read)[0]
            if len(self._read) < end:
                return
            value = pickle.loads(self._read[_LENGTH.size : end])
            del self._read[:end]
            self.heard(value)
