"""Plans told in plain English, with what is true of them: how many are judged rightly, and what is said wrongly.

``worlds`` are models and the words for their actions, ``simulator`` decides what is true, ``telling`` writes sentences
and texts, ``generate`` puts them together, breaks and changes them, ``suite`` checks them. ``questions`` are English,
with the readings that are right. Only ``suite`` and ``questions`` use the package that is measured.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.free_texts.questions import of_questions
from benchmarks.free_texts.suite import of_generated, of_shared
from benchmarks.options import Options
from benchmarks.table import Table

__all__ = ["run"]


def run(options: Options) -> Iterator[Table]:
    """Measure the generated texts; with ``shared`` those of the public data, with ``questions`` those in English."""
    if options.questions:
        yield of_questions()
    else:
        yield from of_shared(options) if options.shared else of_generated(options)
