"""``plan-validator serve``: the HTTP service and its page."""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from validator.commands.access_options import add_border, hosts_of, is_loopback, origins_of
from validator.commands.options import HAS, add_example, add_memory_limit, add_time_limit, port, size
from validator.errors import InputError

__all__ = ["add_arguments"]

_EXAMPLE = "plan-validator serve --port 8000"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at; default: 127.0.0.1")
    parser.add_argument("--port", type=port, default=8000, help="default: 8000")
    parser.add_argument("--workers", type=_count, metavar="N", help="processes that check, and as many with planners")
    parser.add_argument("--token-file", type=Path, metavar="FILE", help="what clients must show, 'NAME TOKEN' a line")
    add_border(parser)
    parser.add_argument("--max-body", type=size, default=8 * 2**20, metavar="SIZE", help="of a request; default: 8M")
    parser.add_argument("--queue", type=_count, default=256, metavar="N", help="requests that may wait; default: 256")
    parser.add_argument("--store", type=Path, metavar="FILE", help="keep results there; default: in memory")
    parser.add_argument("--keep", type=float, default=168.0, metavar="HOURS", help="keep results so long; default: 168")
    add_time_limit(parser, what="for each request")
    add_memory_limit(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run, memory_limit=2 * 2**30)


def run(options: argparse.Namespace) -> int:
    from validator.questions.job import Bounds
    from validator.service import application
    from validator.service.settings import Settings

    tokens = () if options.token_file is None else _tokens(options.token_file)
    if not tokens and not is_loopback(options.host):
        raise ValueError(f"--token-file is needed for {options.host}: others than this machine reach it there")
    settings = Settings(
        host=options.host,
        port=options.port,
        workers=options.workers or len(os.sched_getaffinity(0)),
        tokens=tokens,
        hosts=hosts_of(options),
        origins=origins_of(options),
        bounds=Bounds(time_limit=options.time_limit, memory_limit=options.memory_limit),
        queue=options.queue,
        max_body=options.max_body,
        keep=options.keep * 3600,
        store=options.store,
    )
    if options.store is not None:
        _check_store(options.store)
    app = application(settings)
    from validator.service.jobs.store import Store
    from validator.service.server import listen

    Store(settings.store, settings.keep).close()  # what is wrong with the file is told before the server starts

    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    print(f"plan-validator: http://{shown}:{settings.port}/", file=sys.stderr, flush=True)
    listen(app, settings)
    return HAS


def _check_store(path: Path) -> None:
    """Raise InputError for what is there and is no file of results, before anything of it is changed."""
    from validator.service.jobs.store import told

    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(path, timeout=0.0)) as base:
            base.execute("PRAGMA schema_version")
    except sqlite3.Error as error:
        if "locked" not in str(error):  # the service that uses it may be about to end, and is waited for
            raise InputError(f"no file of kept results: {told(error)}", source=str(path)) from None


def _tokens(path: Path) -> tuple[tuple[str, str], ...]:
    """Return the names and tokens of a file. Raises InputError for a line that is not NAME TOKEN."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        words = line.split()
        if words and not line.startswith("#") and len(words) != 2:
            raise InputError(f"line {number}: 'NAME TOKEN' was expected", source=str(path))
        if words and not line.startswith("#"):
            found.append((words[0], words[1]))
    if not found:
        raise InputError("there is no token in it", source=str(path))
    return tuple(found)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) <= 100_000:
        raise argparse.ArgumentTypeError(f"a number from 1 was expected, not {text!r}")
    return int(text)
