"""``plan-validator lsp``: answer an editor as a language server, over standard input and output."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import suppress
from io import BufferedWriter, RawIOBase
from typing import TYPE_CHECKING

from validator.commands.options import HAS, add_example
from validator.commands.pipes import interruptible
from validator.resources import require

if TYPE_CHECKING:
    from typing_extensions import Buffer


_EXAMPLE = """\
plan-validator lsp < /dev/null   # an editor starts it, as docs/editors.md shows
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    require("lsp", "pygls")
    from validator.lsp.server import make_server

    # The server closes what it writes to, and standard output is written to at the end of every command.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    with suppress(KeyboardInterrupt), interruptible():  # the usual end of a server
        make_server().start_io(stdout=BufferedWriter(_Editor(output)))
    return HAS


class _Editor(RawIOBase):
    """What an editor reads; one that has hung up is written to without an error, until its end of input is read."""

    def __init__(self, output: RawIOBase) -> None:
        self._output = output

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer) -> int | None:
        try:
            return self._output.write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes
