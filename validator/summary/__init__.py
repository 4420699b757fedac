"""Results of batches in tables, plots and paired comparisons."""

from __future__ import annotations

from validator.summary.compare import Comparison, compare
from validator.summary.rows import Row, read_rows
from validator.summary.tables import Summary, Table, summarize

__all__ = ["Comparison", "Row", "Summary", "Table", "compare", "read_rows", "summarize"]
