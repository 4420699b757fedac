"""``plan-validator read``: a text beside the steps that were read of it, before anybody believes a verdict on them."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from validator.commands.options import (
    DIALECTS,
    HAS,
    NO_ANSWER,
    add_example,
    add_strict,
    add_templates,
    has_color,
    model_files,
    naming,
    one_input,
    read,
)

if TYPE_CHECKING:
    from validator.checking.prepared import Prepared
    from validator.reading.plan import Reading
    from validator.reading.tokens import Vocabulary
    from validator.reading.traces.recording import Recording

__all__ = ["add_arguments"]

_WIDTH = 100
"""of what is printed where there is no terminal"""

_EXAMPLE = """\
plan-validator read domains/blocks/domain.pddl domains/blocks/problem.pddl domains/blocks/broken-order.plan
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] DOMAIN PROBLEM TEXT\n       %(prog)s [options] TEXT | TRACE"
    parser.description = f"{parser.description} Exit code: 0 the text was understood, 3 it was not."
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="PDDL domain and problem, or nothing to read by form alone; then the text, or "
        "the trace of an agent, whose calls are shown ('-' is standard input)",
    )
    parser.add_argument("--dialect", choices=DIALECTS, help="how the plan is written; default: recognised")
    add_strict(parser)
    add_templates(parser)
    parser.add_argument("--format", choices=("text", "json", "html"), default="text", help="default: text")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.reading.beside import beside

    if len(options.files) not in (1, 3):
        raise ValueError(f"read takes DOMAIN PROBLEM TEXT, or TEXT; got {len(options.files)} of them")
    *model, name = options.files
    if not model and options.templates is not None:
        raise ValueError("--templates goes with DOMAIN and PROBLEM")
    one_input(*options.files)
    prepared = _prepared(model, options.templates)
    vocabulary = None if prepared is None else prepared.vocabulary
    text = read(name)
    if not model and options.dialect is None and (traces := _traces(text)):
        sys.stdout.write(_traces_shown(traces, options.format, name))
        return HAS if all(each.calls and not each.missed for each in traces) else NO_ANSWER
    with naming(name):
        reading = _reading(text, vocabulary, options)
        if prepared is not None:
            from validator.checking.check import reading_in

            reading = reading_in(prepared, reading)
    found = beside(reading, vocabulary)
    if options.format == "json":
        from validator.render.beside import beside_value
        from validator.render.json import json_text

        sys.stdout.write(json_text(beside_value(found)))
    elif options.format == "html":
        from validator.render.html.beside import beside_page

        sys.stdout.write(beside_page(found, name if name != "-" else "Text"))
    else:
        from validator.render.beside import beside_text

        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDTH
        sys.stdout.write(beside_text(found, width=width, color=has_color()))
    return HAS if reading.is_clear else NO_ANSWER


def _traces(text: str) -> tuple[Recording, ...]:
    from validator.reading.traces.read import traces_in

    return traces_in(text)


def _traces_shown(found: tuple[Recording, ...], form: str, name: str) -> str:
    if form == "html":
        from validator.render.html.traces import traces_page

        return traces_page(found, name if name != "-" else "Trace")
    from validator.render.json import json_text
    from validator.render.traces import recording_value, traces_text

    return json_text({"traces": list(map(recording_value, found))}) if form == "json" else traces_text(found)


def _prepared(model: list[str], templates: Path | None) -> Prepared | None:
    if not model:
        return None
    from validator.checking.prepared import prepare

    return prepare(*model_files(*model), templates=templates)


def _reading(text: str, vocabulary: Vocabulary | None, options: argparse.Namespace) -> Reading:
    from validator.reading.plan import Dialect
    from validator.reading.tokens import read as read_text

    dialect = Dialect(options.dialect) if options.dialect else None
    return read_text(text, vocabulary, dialect, strict=options.strict)
