"""``plan-validator survey``: read every model in a folder, and say what is refused."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from validator.commands.options import HAS, HAS_NOT, add_example, add_strict_pddl

if TYPE_CHECKING:
    from validator.model.survey import Surveyed

_EXAMPLE = """\
plan-validator survey domains > survey.txt
plan-validator survey domains --against survey.txt
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder that is searched for domains and problems")
    parser.add_argument(
        "--against", type=Path, metavar="FILE", help="what an earlier survey said: tell only what has another outcome"
    )
    add_strict_pddl(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.model.survey import survey

    if not options.folder.is_dir():
        raise ValueError(f"{options.folder}: a folder was expected")
    before = None if options.against is None else _outcomes(options.against)
    found: Counter[str] = Counter()
    others = 0
    for model in survey(options.folder, strict=options.strict_pddl):
        found[model.outcome] += 1
        known = None if before is None else before.pop(model.problem or model.domain, "not there")
        if known != model.outcome:
            others += known is not None
            sys.stdout.write(_line(model) if known is None else f"{_line(model)[:-1]}\t(was: {known})\n")
    for problem, outcome in (before or {}).items():
        others += 1
        sys.stdout.write(f"gone\t{problem}\t(was: {outcome})\n")
    sys.stdout.write(_summary(found, None if before is None else others))
    return HAS_NOT if others else HAS


def _line(model: Surveyed) -> str:
    """Return outcome, problem, domain and what was said first, with tabs between them."""
    more = f" (and {len(model.told) - 1} more)" if len(model.told) > 1 else ""
    return "\t".join((model.outcome, model.problem, model.domain, "".join(model.told[:1]) + more)).rstrip("\t") + "\n"


def _outcomes(file: Path) -> dict[str, str]:
    """Return the outcome of each problem that an earlier survey says."""
    return dict(_recorded(file.read_text(encoding="utf-8").splitlines()))


def _recorded(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        outcome, *rest = line.split("\t")
        if rest:
            yield rest[0] or rest[1], outcome


def _summary(found: Counter[str], others: int | None) -> str:
    counts = ", ".join(f"{found[outcome]} {outcome}" for outcome in ("read", "warned", "refused"))
    told = "" if others is None else f"; {others} with another outcome"
    return f"{found.total()} models: {counts}{told}\n"
