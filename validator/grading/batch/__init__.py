"""Many records at once: read as a stream, checked by workers here or on a cluster, written as they are done."""

from __future__ import annotations

from validator.grading.batch.batch import Totals, run_batch
from validator.grading.batch.work import Settings

__all__ = ["Settings", "Totals", "run_batch"]
