"""What a measurement can be told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Options"]

ROOT = Path(__file__).resolve().parent.parent
"""the checkout"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """``runs`` None means the suite's own number of runs, ``cases`` None the suite's own number of cases.

    ``only`` is one model of ``ipc`` and ``repair``, one domain of ``recognition``; the texts of ``free_texts`` begin
    at ``seed``; ``models`` is a folder of PDDL for the suite ``repair``, None the folder ``ipc``;
    ``peers`` is a folder for the environments of the suite ``peers``; ``folder`` is one of answers for the suite
    ``answers``, None those of ``data``; ``count`` are texts of ``free_texts``, None its
    own number, and ``shared`` and ``questions`` are other parts of that suite; ``soak`` are seconds for the soak of the
    suite ``service``, None its own. ``data`` has the folders ``ipc``, ``recognition``, ``eai``, ``planbench``,
    ``answers`` and ``free_texts``, for the suite ``evidence`` a checkout ``LLMs-Planning``, for
    ``audit`` one ``tau-bench`` or ``tau2-bench``; a suite without its folder is skipped.
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
