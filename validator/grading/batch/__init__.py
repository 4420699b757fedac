"""Many records at once: read as a stream, checked by workers here or on a cluster, written as they are done.

A file of records comes in, a file of results goes out. Open ``batch`` first, then ``runner``: no record is lost and
none is done twice. ``records`` and ``results`` are the two files, ``worker`` is what a worker does,
``cluster`` are workers elsewhere, those of this machine are ``validator.workers``.
"""

from __future__ import annotations

from validator.grading.batch.batch import Totals, run_batch
from validator.grading.batch.worker import Settings

__all__ = ["Settings", "Totals", "run_batch"]
