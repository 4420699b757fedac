"""What a service is told when it starts: where it listens, and what a request may cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from validator.questions.job import Bounds
from validator.resources import cores


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """A service.

    ``workers`` processes check and as many run planners. ``tokens`` are what clients must show, by name; none are
    demanded when it is empty. ``queue`` is how much may wait, ``max_body`` the bytes of a request, ``body_time`` the
    seconds that its body may take to arrive. ``wait`` is how long an answer is waited for when a client says nothing;
    ``keep`` how many seconds the result of a job is kept in the file ``store`` (None: in memory, gone at the end).
    ``hosts`` are names besides this machine's own that requests may be sent to. ``grace`` is the time that running
    work has when the service ends.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = field(default_factory=cores)
    tokens: tuple[tuple[str, str], ...] = ()
    hosts: frozenset[str] = frozenset()
    bounds: Bounds = field(default_factory=Bounds)
    queue: int = 256
    max_body: int = 8 * 2**20
    body_time: float = 30.0
    wait: float = 10.0
    keep: float = 7 * 24 * 3600.0
    store: Path | None = None
    grace: float = 10.0
    most_batches: int = 16
