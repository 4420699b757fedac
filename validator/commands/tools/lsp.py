"""``plan-validator lsp``: answer an editor as a language server, over standard input and output."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import suppress
from importlib.util import find_spec

from validator.commands.options import HAS, add_example
from validator.commands.pipes import interruptible
from validator.errors import ValidatorError

__all__ = ["add_arguments"]

_EXAMPLE = """\
plan-validator lsp < /dev/null   # an editor starts it, as docs/editors.md shows
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if find_spec("pygls") is None:
        raise ValidatorError("the language server needs the package 'pygls': pip install 'plan-validator[lsp]'")
    from validator.lsp.server import make_server

    # The server closes what it writes to, and standard output is written to at the end of every command.
    with suppress(KeyboardInterrupt), interruptible():  # the usual end of a server
        make_server().start_io(stdout=os.fdopen(os.dup(sys.stdout.fileno()), "wb"))
    return HAS
