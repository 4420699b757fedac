"""The service under load: many clients from addresses of their own, each request with a model of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from benchmarks.service.cost import CLIENTS, FACTOR, cost, library, new_model
from benchmarks.service.process import running
from benchmarks.service.wire import message

pytestmark = pytest.mark.deep


def test_many_clients_are_answered_and_rightly(tmp_path: Path) -> None:
    """Every client has its answer, and no request costs twice what is aimed at, however busy the machine is."""
    with running(tmp_path) as service:
        _, empty = cost(service, 8, lambda: message("GET", "/health"), 1.0)
        limit = 2 * (FACTOR * empty + library("model", 1.0))
        for clients in CLIENTS:
            seen, spent = cost(service, clients, new_model, 1.5)
            assert seen.wrong == [] and len(seen.times) >= clients
            assert spent < limit
