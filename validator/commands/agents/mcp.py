"""``plan-validator mcp``: offer the checks to agents, as tools of the Model Context Protocol."""

from __future__ import annotations

import argparse
import asyncio
from contextlib import suppress
from dataclasses import replace

from validator.commands.access_options import access_of, add_access
from validator.commands.options import HAS, add_example, positive, size, workers
from validator.commands.pipes import interruptible
from validator.questions.job import Bounds, names_of
from validator.resources import cores, require

_EXAMPLE = "plan-validator mcp --http 127.0.0.1:8001"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--http",
        type=_address,
        metavar="HOST:PORT",
        help="serve http://HOST:PORT/mcp; default: standard input and output",
    )
    add_access(parser)
    parser.add_argument(
        "--tools",
        default="",
        metavar="NAME,...",
        help="offer these tools only; default: all, as docs/mcp.md lists them",
    )
    parser.add_argument("--workers", type=workers, metavar="N", help="calls answered at once; default: one per core")
    parser.add_argument("--time-limit", type=positive, default=30.0, metavar="S", help="seconds per call; default: 30")
    parser.add_argument(
        "--memory-limit", type=size, default=Bounds().memory_limit, metavar="SIZE", help="for each process; default: 2G"
    )
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    require("mcp", "mcp")
    from validator.mcp.server import serve_http, serve_stdio
    from validator.mcp.tools import select_tools
    from validator.mcp.workers import Calls

    bounds = Bounds(time_limit=options.time_limit, memory_limit=options.memory_limit)
    tools = select_tools(names_of(options.tools))
    calls = Calls(options.workers or cores(), bounds)
    if options.http is None and (options.token_file or options.allowed_host):
        raise ValueError("--token-file and --allowed-host are for --http")
    with suppress(KeyboardInterrupt):  # the usual end of a server
        if options.http is None:
            with interruptible():
                asyncio.run(serve_stdio(calls, tools))
        else:
            host, port = options.http
            most = 4 * bounds.most_characters  # bytes: of a character, as JSON has it in UTF-8
            settings = replace(access_of(options, host), port=port, max_body=most)
            asyncio.run(serve_http(calls, tools, settings))
    return HAS


def _address(text: str) -> tuple[str, int]:
    """Return the host and the port of ``HOST:PORT``. Raises ArgumentTypeError."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 2**16:
        raise argparse.ArgumentTypeError(f"HOST:PORT was expected, not {text!r}")
    return host.removeprefix("[").removesuffix("]"), int(port)
