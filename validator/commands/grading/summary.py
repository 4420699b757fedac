"""``plan-validator summary``: the results of batches and suites as a table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from validator.commands.options import HAS, add_example
from validator.errors import ValidatorError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from validator.grading.summary import Row

_EXAMPLE = """\
echo '{"id": 1, "model": "m", "domain": "domains/blocks/domain.pddl", "problem": "domains/blocks/problem.pddl", "plan": "domains/blocks/good.plan"}' | plan-validator batch - -o results.jsonl
plan-validator summary results.jsonl
"""  # noqa: E501


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULTS", help="files of results")
    parser.add_argument(
        "--by",
        action="append",
        metavar="TAG",
        help="tag to group by; may be repeated; default: model",
    )
    parser.add_argument("--format", choices=("text", "csv"), default="text", help="default: text")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.grading.summary import read_rows, rows_csv, summarize, tables_text

    tags: set[str] = set()
    table = summarize(_noting(read_rows(options.results), tags), options.by or ["model"])
    if not table.rows:
        raise ValidatorError(f"there is no result in {', '.join(map(str, options.results))}")
    for tag in options.by or ():
        if tags and tag not in tags:
            raise ValidatorError(f"no result has a tag '{tag}'{did_you_mean(tag, tags)}")
    sys.stdout.write(rows_csv(table.columns, table.rows) if options.format == "csv" else tables_text([table]))
    return HAS


def _noting(rows: Iterable[Row], tags: set[str]) -> Iterator[Row]:
    """Pass results on, and note the tags that they have."""
    for row in rows:
        tags |= row.names
        yield row
