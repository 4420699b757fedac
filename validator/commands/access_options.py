"""Who may send requests to a server besides this machine's own programs: its options, and what they say."""

from __future__ import annotations

import argparse
from pathlib import Path

from validator.errors import InputError
from validator.service.http.access import is_loopback
from validator.service.settings import Settings
from validator.texts import read_text

_SHORTEST_TOKEN = 16
"""characters: 64 bits, if they are hexadecimal digits, which nobody guesses by asking"""


def add_access(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="tokens of clients, 'NAME TOKEN' per line; needed if other machines can reach HOST",
    )
    parser.add_argument(
        "--allowed-host",
        action="append",
        type=_host,
        metavar="NAME",
        help="answer requests for this host name as well as for this machine's own; may be repeated",
    )


def access_of(options: argparse.Namespace, host: str) -> Settings:
    """Return settings that say who may ask a server that listens at a host.

    Raises ValueError where others than this machine reach it and no token is demanded, InputError for a file of tokens.
    """
    tokens = () if options.token_file is None else _tokens(options.token_file)
    if not tokens and not is_loopback(host):
        raise ValueError(f"--token-file is needed for {host}: other machines can reach it there")
    return Settings(host=host, tokens=tokens, hosts=frozenset(options.allowed_host or ()))


def _host(text: str) -> str:
    if not text or any(sign in text for sign in "/:@ ") or not text.isascii():
        raise argparse.ArgumentTypeError(f"a name without port was expected, as plans.example.org, not {text!r}")
    return text.lower()


def _tokens(path: Path) -> tuple[tuple[str, str], ...]:
    """Return the names and tokens of a file. Raises InputError for a line that is not NAME TOKEN, or a short token."""
    found = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if len(words) != 2:
            raise InputError(f"line {number}: 'NAME TOKEN' was expected", source=str(path))
        name, token = words
        if len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
            said = f"line {number}: a token has at least {_SHORTEST_TOKEN} visible ASCII characters"
            raise InputError(said, source=str(path))
        found.append((name, token))
    if not found:
        raise InputError("there is no token in it", source=str(path))
    return tuple(found)
