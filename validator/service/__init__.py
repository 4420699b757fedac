"""The HTTP service: every capability of the library for many users, and a page for people (extra ``service``).

Requests come in over HTTP (``http``, ``pages``), are answered by ``operations`` in worker processes (``jobs``), and
JSON or pages go out. Open ``app`` first: it puts the parts together. ``application`` returns the ASGI application.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.resources import require

if TYPE_CHECKING:
    from fastapi import FastAPI

    from validator.service.settings import Settings


def application(settings: Settings | None = None) -> FastAPI:
    """Return the service as an ASGI application; workers start and end with its lifespan.

    Raises NotInstalledError when a package of the extra ``service`` is not there.
    """
    require("service", "fastapi", "prometheus_client", "uvicorn")
    from validator.service.app import build
    from validator.service.settings import Settings

    return build(settings or Settings())
