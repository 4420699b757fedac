"""Results of batches in tables, plots and paired comparisons.

Files of results come in, text, CSV or a page goes out. Open ``tables`` first: it counts in one pass, whatever the
number of results. ``rows`` reads and writes results, ``compare`` sets two models beside each other on the same tasks,
``html`` is the page with plots.
"""

from __future__ import annotations

from validator.grading.summary.compare import Comparison, compare
from validator.grading.summary.rows import Row, read_rows
from validator.grading.summary.tables import Summary, Table, summarize

__all__ = ["Comparison", "Row", "Summary", "Table", "compare", "read_rows", "summarize"]
