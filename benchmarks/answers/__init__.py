"""Answers of language models read and judged: how many valid plans are recognised, and what is said wrongly.

Reads folders in one of two formats, and copies nothing of them:

- ``answers.jsonl``: answers in English to PlanBench's prompts, with ``pddl/`` and with ``templates/DOMAIN.yaml``. The
  truth is ``verdict`` where two independent readers agree, else null; ``extracted_verdict`` judges the plan that the
  benchmark extracted. Measured with the templates and without any.
- ``plans.jsonl``: answers with the plan that was extracted and the verdict of an independent simulator on it
  (``referee_verdict``). Of these, the answers to prompts in PDDL are measured.

``words`` and ``pddl`` make the tables, ``said`` reads and judges.
"""

from __future__ import annotations

from benchmarks.answers.pddl import in_pddl
from benchmarks.answers.words import in_words
from benchmarks.options import Options
from benchmarks.table import Table, absent

__all__ = ["run"]


def run(options: Options) -> list[Table]:
    """Measure the folder that is asked for, or those of the public data."""
    if options.folder is not None:
        tables = [*in_words(options.folder), *in_pddl(options.folder)]
        return tables or absent("answers", options.folder / "answers.jsonl")
    words, pddl = options.data / "answers", options.data / "planbench"
    missing = absent("answers", words / "answers.jsonl", pddl / "plans.jsonl")
    return missing or [*in_words(words), *in_pddl(pddl)]
