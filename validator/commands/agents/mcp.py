"""``plan-validator mcp``: offer the checks to agents, as tools of the Model Context Protocol."""

from __future__ import annotations

import argparse
import os
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from validator.commands.access_options import add_border, hosts_of, is_loopback, origins_of
from validator.commands.options import HAS, add_example, positive, size
from validator.commands.pipes import interruptible
from validator.errors import ValidatorError

__all__ = ["add_arguments", "address"]

_EXAMPLE = "plan-validator mcp --http 127.0.0.1:8001"

_SHORTEST_TOKEN = 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--http",
        type=address,
        metavar="HOST:PORT",
        help="serve http://HOST:PORT/mcp; default: standard input and output",
    )
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="demand the token in this file of HTTP clients; needed when HOST is not this machine alone",
    )
    add_border(parser)
    parser.add_argument(
        "--tools",
        default="",
        metavar="NAME,...",
        help="offer these tools only; default: all, as docs/mcp.md lists them",
    )
    parser.add_argument("--workers", type=_workers, metavar="N", help="calls answered at once; default: one a core")
    parser.add_argument("--time-limit", type=positive, default=30.0, metavar="S", help="for a call; default: 30")
    parser.add_argument(
        "--memory-limit", type=size, default=2 * 2**30, metavar="SIZE", help="for each process; default: 2G"
    )
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if find_spec("mcp") is None:
        raise ValidatorError("the tools for agents need the package 'mcp': pip install 'plan-validator[mcp]'")
    from validator.mcp.server import serve_http, serve_stdio
    from validator.mcp.tools import chosen
    from validator.questions.job import Bounds, names_of
    from validator.service.http.access import Border

    bounds = Bounds(time_limit=options.time_limit, memory_limit=options.memory_limit)
    tools = chosen(names_of(options.tools))
    workers = options.workers or len(os.sched_getaffinity(0))
    if options.http is None and (options.token_file or options.allowed_host or options.allowed_origin):
        raise ValueError("--token-file, --allowed-host and --allowed-origin are for --http")
    with suppress(KeyboardInterrupt):  # the usual end of a server
        if options.http is None:
            with interruptible():
                serve_stdio(bounds, workers, tools)
        else:
            host, port = options.http
            border = Border(host=host, hosts=hosts_of(options), origins=origins_of(options))
            serve_http(bounds, workers, tools, (host, port), border, _token(host, options.token_file))
    return HAS


def _token(host: str, file: Path | None) -> str | None:
    """Return the token that clients must show. Raises ValueError where one is needed and none is given."""
    if file is None:
        if not is_loopback(host):
            raise ValueError(f"'{host}' can be reached from other machines; a --token-file is needed")
        return None
    token = file.read_text(encoding="utf-8").strip()
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise ValueError(f"{file}: a token has at least {_SHORTEST_TOKEN} visible ASCII characters")
    return token


def address(text: str) -> tuple[str, int]:
    """Return the host and the port of ``HOST:PORT``. Raises ArgumentTypeError."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 2**16:
        raise argparse.ArgumentTypeError(f"HOST:PORT was expected, not {text!r}")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _workers(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a number from 1 was expected, not {text!r}")
    return int(text)
