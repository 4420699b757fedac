"""Settings of the tests of grading."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from tests.support.batch_models import Threads


@pytest.fixture
def in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers be threads of this process: to start a process takes longer than to grade some answers."""
    monkeypatch.setattr("validator.grading.batch.batch.local_pool", lambda number: nullcontext(Threads(number)))
