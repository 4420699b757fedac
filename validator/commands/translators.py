"""The options that name a translator: a program or an endpoint that is asked for what the rules do not understand."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from validator.reading.translated import Translator

__all__ = ["add_translator", "translator_of"]

_PATIENCE = 120.0
"""seconds that a translator has for a text"""


def add_translator(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--translator",
        metavar="COMMAND|URL",
        help="ask this program, or OpenAI-compatible endpoint, for what is not understood",
    )
    parser.add_argument("--translator-model", metavar="NAME", help="the model that the endpoint shall use")


def translator_of(options: argparse.Namespace) -> Translator | None:
    """Return who is to be asked, or None. Raises ValueError for options that do not go together."""
    is_url = options.translator is not None and "://" in options.translator
    if is_url != (options.translator_model is not None):
        raise ValueError("--translator URL and --translator-model NAME go together")
    if options.translator is None:
        return None
    from validator.scaffold.asking import endpoint
    from validator.scaffold.command import command
    from validator.scaffold.translator import translator

    if not is_url:
        return translator(command(options.translator, _PATIENCE))
    from validator.judge import Judge

    judge = Judge.from_environment(options.translator, options.translator_model, time_limit=_PATIENCE)
    return translator(endpoint(judge))
