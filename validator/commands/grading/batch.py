"""``plan-validator batch``: check the records of a JSONL file; a run that was cut off is resumed."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from validator.commands.options import (
    HAS,
    UNREADABLE,
    add_example,
    add_memory_limit,
    add_time_limit,
    standard_input,
    workers,
)
from validator.questions.arguments import add_options
from validator.questions.check import LocalCheck

if TYPE_CHECKING:
    from collections.abc import Iterable

    from validator.grading.batch import Settings, Totals
    from validator.grading.batch.batch import Write
    from validator.grading.batch.results import Results

_EXAMPLE = """\
echo '{"id": 1, "model": "m", "domain": "domains/blocks/domain.pddl", "problem": "domains/blocks/problem.pddl", "plan": "domains/blocks/good.plan"}' | plan-validator batch -
"""  # noqa: E501


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="records, one JSON object per line; '-' for standard input")
    parser.add_argument("-o", "--output", type=Path, metavar="OUT", help="file of results; appended to if it exists")
    add_options(parser, LocalCheck, only=("quality", "nearest", "repair", "strict", "templates"))
    add_time_limit(parser, what="for each plan")
    add_memory_limit(parser)
    add_workers(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def add_grades(parser: argparse.ArgumentParser, keys: tuple[str, ...]) -> None:
    """Add where the results of a suite go, and how its grades are shown."""
    parser.add_argument("-o", "--output", type=Path, metavar="OUT", help="file of results; appended to if it exists")
    parser.add_argument("--format", choices=("text", "csv", "json"), default="text", help="default: text")
    parser.add_argument("--table", action="store_true", help="only the counts, as text, without the answers")
    default = f"{', '.join(keys[:-1])} and {keys[-1]}"
    about = f"group the counts by this; may be repeated (default: {default})"
    parser.add_argument("--by", action="append", choices=keys, help=about)


def add_workers(parser: argparse.ArgumentParser, default: str = "one per core") -> None:
    """Add where the work is done."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--workers", type=workers, metavar="N", help=f"processes on this machine; default: {default}")
    where.add_argument("--cluster", metavar="ADDRESS", help="use this Dask scheduler instead, such as tcp://host:8786")


def _settings_of(options: argparse.Namespace) -> Settings:
    from validator.checking.report import Quality
    from validator.grading.batch import Settings

    return Settings(
        quality=Quality(options.quality),
        policy=options.nearest,
        repair=options.repair,
        strict=options.strict,
        time_limit=options.time_limit,
        memory_limit=options.memory_limit,
        templates=None if options.templates is None else str(options.templates.absolute()),
    )


def run(options: argparse.Namespace) -> int:
    from validator.grading.batch import Totals, run_batch

    totals = Totals()
    with ExitStack() as stack:
        file, folder = _opened(options.file, stack)
        results = _results(options.output, stack)
        stack.callback(_show_totals, totals)  # of a run that is ended as well
        run_batch(
            file,
            results,
            folder=folder,
            settings=_settings_of(options),
            workers=options.workers,
            cluster=options.cluster,
            totals=totals,
        )
    return UNREADABLE if 0 < totals.done == totals.verdicts["error"] else HAS


def _show_totals(totals: Totals) -> None:
    """Say on standard error what a run did."""
    skipped = f", {totals.skipped:,} finished before" if totals.skipped else ""
    verdicts = ", ".join(f"{name} {number:,}" for name, number in totals.verdicts.most_common())
    records = "record" if totals.done == 1 else "records"
    print(f"{totals.done:,} {records}{skipped}{f': {verdicts}' if verdicts else ''}", file=sys.stderr)


def _opened(name: str, stack: ExitStack) -> tuple[IO[bytes], Path]:
    """Return the open file and the folder for its paths."""
    if name == "-":
        return standard_input(), Path.cwd()
    path = Path(name)
    if path.suffix == ".gz":
        import gzip

        return cast("IO[bytes]", stack.enter_context(gzip.open(path))), path.absolute().parent
    return stack.enter_context(path.open("rb")), path.absolute().parent


def _results(path: Path | None, stack: ExitStack) -> Results | Write:
    if path is None:
        return _print
    from validator.grading.batch.results import Results

    results = stack.enter_context(Results(path))
    if results.torn:
        print(f"{path}: took off a last line that was cut off ({results.torn:,} bytes)", file=sys.stderr)
    return results


def _print(lines: Iterable[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
