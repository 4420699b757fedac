"""``plan-validator guard``: stand before an MCP server, and let through only the calls that may be made."""

from __future__ import annotations

import argparse
import asyncio
from contextlib import suppress
from pathlib import Path

from validator.commands.options import HAS, UNREADABLE, add_example
from validator.commands.pipes import interruptible
from validator.questions.arguments import add_former
from validator.resources import require

_EXAMPLE = """\
plan-validator guard domains/trip/domain.pddl domains/trip/problem.pddl -- plan-validator mcp
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] [DOMAIN PROBLEM] URL\n       %(prog)s [options] [DOMAIN PROBLEM] -- SERVER ..."
    parser.add_argument(
        "server",
        nargs="+",
        metavar="SERVER",
        help="DOMAIN.pddl and PROBLEM.pddl, which the calls have to follow; then the server: a URL, or after '--' the "
        "command that starts it",
    )
    parser.add_argument(
        "--policy", action="append", type=Path, default=[], metavar="FILE", help="rules for the calls; may be repeated"
    )
    add_former(parser, "--model", "model", nargs=2)
    parser.add_argument("--plan", type=Path, metavar="FILE", help="the plan to follow")
    parser.add_argument(
        "--not-understood",
        choices=("deny", "allow"),
        default="deny",
        help="what to do with a call that cannot be judged; default: deny",
    )
    parser.add_argument(
        "--tools", type=Path, metavar="FILE", help="the declared tools; default: the server is asked for them"
    )
    parser.add_argument(
        "--unknown-names",
        choices=("deny", "allow"),
        default="deny",
        help="what to do with calls if a policy names what no tool has; default: deny them all",
    )
    parser.add_argument("--log", type=Path, metavar="FILE", help="append each call that was made, as input of 'adhere'")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    require("mcp", "mcp")
    from validator.flow.definition.reader import load_document
    from validator.guard import PlanGuard
    from validator.mcp.relay import guarded

    model, server = _model(options)
    guard = PlanGuard(
        *options.policy,
        *([(model[0], model[1])] if model else ()),
        plan=options.plan,
        not_understood=options.not_understood,
        tools=None if options.tools is None else load_document(options.tools),
        unknown_names=options.unknown_names,
        log=options.log,
    )
    with suppress(KeyboardInterrupt), interruptible():  # the usual end of a server
        asyncio.run(guarded(guard, *server))
    return UNREADABLE if guard.fault else HAS


def _model(options: argparse.Namespace) -> tuple[list[Path], list[str]]:
    """Return the files of a model, which by their ending are PDDL, and the server."""
    server: list[str] = options.server
    if "model" in options:
        return list(map(Path, options.model)), server
    cut = 2 if len(server) > 2 and all(name.lower().endswith(".pddl") for name in server[:2]) else 0
    return list(map(Path, server[:cut])), server[cut:]
