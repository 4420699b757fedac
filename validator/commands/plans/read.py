"""``plan-validator read``: a text beside the steps that were read of it, before anybody believes a verdict on them."""

from __future__ import annotations

import argparse
import shutil
import sys
from typing import Any

from validator.commands.command import Command, as_json
from validator.commands.options import HAS, NO_ANSWER, has_color
from validator.questions.reading import Reading, is_understood, shown_of
from validator.reading.annotated import AnnotatedText

_EXAMPLE = """\
plan-validator read domains/blocks/domain.pddl domains/blocks/problem.pddl domains/blocks/broken-order.plan
"""


def _text(found: Any) -> str:
    if not isinstance(found, AnnotatedText):
        from validator.render.traces import traces_text

        return traces_text(found)
    from validator.render.annotated import annotated_text

    terminal = {"width": shutil.get_terminal_size().columns} if sys.stdout.isatty() else {}
    return annotated_text(found, **terminal, color=has_color())


def _json(found: Any) -> str:
    if not isinstance(found, AnnotatedText):
        from validator.render.traces import recording_value

        return as_json({"traces": list(map(recording_value, found))})
    from validator.render.annotated import annotated_value

    return as_json(annotated_value(found))


def _html(found: Any) -> str:
    from validator.render.html.elements import element, page, text_and_diff
    from validator.render.html.reading import reading_tree

    title = "How the text was read"
    nodes = reading_tree(found) if isinstance(found, AnnotatedText) else text_and_diff(_text(found))
    return page(title, element("h1", title), nodes)


_COMMAND = Command(
    kind=Reading,
    forms=("DOMAIN PROBLEM TEXT", "TEXT"),
    files="PDDL domain and problem, or nothing to read by form alone; then the text, or the trace of an agent, whose "
    "calls are shown ('-' is standard input)",
    example=_EXAMPLE,
    answer=shown_of,
    formats={"text": _text, "json": _json, "html": _html},
    code=lambda found: HAS if is_understood(found) else NO_ANSWER,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = f"{parser.description} Exit code: 0 the text was understood, 3 it was not."
    _COMMAND.add_arguments(parser)
