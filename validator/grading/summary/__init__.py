"""Results of batches in tables, plots and paired comparisons."""

from __future__ import annotations

from validator.grading.summary.compare import Comparison, compare
from validator.grading.summary.rows import Row, read_rows
from validator.grading.summary.tables import Summary, Table, summarize

__all__ = ["Comparison", "Row", "Summary", "Table", "compare", "read_rows", "summarize"]
