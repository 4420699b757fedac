"""What a measurement can be told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Options"]

ROOT = Path(__file__).resolve().parent.parent
"""the checkout"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of ``python -m benchmarks``, whose help says what each is; None is the suite's own choice.

    ``data`` has the folders ``ipc``, ``recognition``, ``eai``, ``planbench``, ``answers`` and ``free_texts``, for the
    suite ``evidence`` a checkout ``LLMs-Planning``, for ``audit`` one ``tau-bench`` or ``tau2-bench``.
    """

    val: str | None = None
    soak: float | None = None
    data: Path = ROOT.parent / "shared" / "data"
    only: str | None = None
    runs: int | None = None
    models: Path | None = None
    folder: Path | None = None
    cases: int | None = None
    seed: int = 0
    count: int | None = None
    shared: bool = False
    questions: bool = False
    peers: Path = ROOT / "build" / "peers"

    @property
    def ipc(self) -> Path:
        return self.data / "ipc"
