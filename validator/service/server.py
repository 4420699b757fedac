"""The server: uvicorn, with patience for slow clients that has an end."""

from __future__ import annotations

import gc
import json
import os
from asyncio import Transport
from contextlib import suppress
from socket import socket
from typing import Any

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from validator import __version__
from validator.service.problems import MEDIA_TYPE, Problem
from validator.service.settings import Settings

_LOOK = 15.0
"""A connection on which no request is under way at two looks, so many seconds apart, is closed."""
_CONNECTIONS = 2_000
_NO_HTTP = Problem(kind="http", status=400, title="This is not an HTTP request")
_FULL = Problem(kind="busy", status=503, title="Too many connections", detail="try again in 5 seconds", retry_after=5)


class _Impatient(H11Protocol):
    """HTTP/1.1, where a request whose head does not come is not waited for, and every refusal is a problem document."""

    _looked: Any = "never"

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.loop.call_later(_LOOK, self._look)
        if len(self.connections) > _CONNECTIONS:
            self._refuse(_FULL)

    def send_400_response(self, msg: str) -> None:
        self._refuse(_NO_HTTP)

    def _refuse(self, problem: Problem) -> None:
        """Answer with a problem, where no answer is under way, and close the connection."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = json.dumps(problem.value()).encode()
            headers = [("Content-Type", MEDIA_TYPE), ("Content-Length", str(len(body))), ("Connection", "close")]
            if problem.retry_after is not None:
                headers.append(("Retry-After", str(problem.retry_after)))
            answer = h11.Response(status_code=problem.status, headers=headers), h11.Data(data=body), h11.EndOfMessage()
            self.transport.write(b"".join(self.conn.send(event) or b"" for event in answer))
        self.transport.close()

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


def listen(app: FastAPI, settings: Settings, listening: socket) -> None:
    """Serve what comes at a socket until a signal ends it; what runs then has some seconds to finish."""
    gc.collect()
    gc.freeze()  # what is there now stays: the collector need not look at it while requests wait
    config = uvicorn.Config(
        app,
        http=_Impatient,
        server_header=False,
        headers=[("Server", f"plan-validator/{__version__}")],
        log_level="warning",
        access_log=False,
        # Clients without a token are told apart by their address, which any program of this machine could invent.
        proxy_headers=bool(os.environ.get("FORWARDED_ALLOW_IPS")),
        h11_max_incomplete_event_size=64 * 2**10,
        timeout_keep_alive=30,
        backlog=512,
        timeout_graceful_shutdown=int(settings.grace),
    )
    with suppress(KeyboardInterrupt):  # the usual end of a server
        uvicorn.Server(config).run([listening])
