"""The server: uvicorn, with patience for slow clients that has an end."""

from __future__ import annotations

from asyncio import Transport
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from validator import __version__
from validator.service.settings import Settings

__all__ = ["listen"]

_LOOK = 15.0
"""A connection on which no request is under way at two looks, so many seconds apart, is closed."""


class _Impatient(H11Protocol):
    """HTTP/1.1, where a request whose head does not come is not waited for."""

    _looked: Any = "never"

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.loop.call_later(_LOOK, self._look)

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        cycle = self.cycle
        is_idle = cycle is None or cycle.response_complete
        if is_idle and self._looked is cycle:
            self.transport.close()
            return
        self._looked = cycle if is_idle else "busy"
        self.loop.call_later(_LOOK, self._look)


def listen(app: FastAPI, settings: Settings) -> None:
    """Serve until a signal ends it; what runs then has some seconds to finish."""
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        http=_Impatient,
        server_header=False,
        headers=[("Server", f"plan-validator/{__version__}")],
        log_level="warning",
        access_log=False,
        h11_max_incomplete_event_size=64 * 2**10,
        timeout_keep_alive=30,
        limit_concurrency=2_000,
        backlog=512,
        timeout_graceful_shutdown=int(settings.grace),
    )
