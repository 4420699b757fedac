"""``plan-validator summary``: the results of batches as tables, as a page with plots, and two models compared."""

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
        help="tag to group by, more than once for groups of several; default: model",
    )
    parser.add_argument("--compare", nargs=2, metavar=("A", "B"), help="two values of the first tag, on the same tasks")
    parser.add_argument("--format", choices=("text", "csv", "html"), default="text", help="default: text")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.grading.summary import compare, read_rows, summarize
    from validator.grading.summary.html import page
    from validator.grading.summary.tables import comparison_table, comparison_text, tables_csv, tables_text

    by = options.by or ["model"]
    tags: set[str] = set()
    found = summarize(_noting(read_rows(options.results), tags), by)
    if not found.tables():
        raise ValidatorError(f"there is no result in {', '.join(map(str, options.results))}")
    for tag in options.by or ():
        if tags and tag not in tags:
            raise ValidatorError(f"no result has a tag '{tag}'{did_you_mean(tag, tags)}")
    pair = None if options.compare is None else compare(read_rows(options.results), by[0], *options.compare)
    if options.format == "html":
        sys.stdout.write(page(found, pair, ", ".join(path.name for path in options.results)))
    elif options.format == "csv":
        sys.stdout.write(tables_csv([*found.tables(), *([] if pair is None else [comparison_table(pair)])]))
    else:
        sys.stdout.write(tables_text(found.tables()))
        sys.stdout.write("" if pair is None else f"\n{comparison_text(pair)}")
    return HAS


def _noting(rows: Iterable[Row], tags: set[str]) -> Iterator[Row]:
    """Pass results on, and note the tags that they have."""
    for row in rows:
        tags |= row.names
        yield row
