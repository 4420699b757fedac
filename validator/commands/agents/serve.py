"""``plan-validator serve``: the HTTP service and its page."""

from __future__ import annotations

import argparse
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from validator.commands.access_options import access_of, add_access
from validator.commands.options import HAS, add_example, add_memory_limit, add_time_limit, count, port, size, workers
from validator.errors import InputError
from validator.questions.job import Bounds
from validator.resources import cores
from validator.service.settings import Settings

_EXAMPLE = "plan-validator serve --port 8000"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    known = Settings()
    body, queue = known.max_body, known.queue
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at; default: 127.0.0.1")
    parser.add_argument("--port", type=port, default=8000, help="default: 8000")
    parser.add_argument("--workers", type=workers, metavar="N", help="processes for checks; as many more run planners")
    add_access(parser)
    parser.add_argument("--max-body", type=size, default=body, metavar="SIZE", help="largest request; default: 8M")
    parser.add_argument("--queue", type=count, default=queue, metavar="N", help="requests that may wait; default: 256")
    parser.add_argument("--store", type=Path, metavar="FILE", help="keep results in this file; default: in memory")
    parser.add_argument(
        "--keep", type=float, default=168.0, metavar="HOURS", help="keep results this long; default: 168"
    )
    add_time_limit(parser, what="for each request")
    add_memory_limit(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run, memory_limit=known.bounds.memory_limit)


def run(options: argparse.Namespace) -> int:
    from validator.service import application

    settings = replace(
        access_of(options, options.host),
        port=options.port,
        workers=options.workers or cores(),
        bounds=Bounds(time_limit=options.time_limit, memory_limit=options.memory_limit),
        queue=options.queue,
        max_body=options.max_body,
        keep=options.keep * 3600,
        store=options.store,
    )
    if options.store is not None:
        _check_store(options.store)
    app = application(settings)
    from validator.service.http.access import listen_at
    from validator.service.jobs.store import Store
    from validator.service.server import listen

    Store(settings.store, settings.keep).close()  # what is wrong with the file is told before the server starts

    with listen_at(settings.host, settings.port) as listening:
        host, number, *_ = listening.getsockname()
        shown = f"[{host}]" if ":" in host else host
        print(f"plan-validator: http://{shown}:{number}/", file=sys.stderr, flush=True)
        listen(app, settings, listening)
    return HAS


def _check_store(path: Path) -> None:
    """Raise InputError for what is there and is no file of results, before anything of it is changed."""
    from validator.service.jobs.store import file_error_text

    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(path, timeout=0.0)) as base:
            base.execute("PRAGMA schema_version")
    except sqlite3.Error as error:
        if "locked" not in str(error):  # the service that uses it may be about to end, and is waited for
            raise InputError(f"no file of kept results: {file_error_text(error)}", source=str(path)) from None
