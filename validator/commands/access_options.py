"""The options that say who may send requests to a server besides this machine's own programs."""

from __future__ import annotations

import argparse
import ipaddress
from urllib.parse import urlsplit

__all__ = ["add_border", "hosts_of", "is_loopback", "origins_of"]


def add_border(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--allowed-host",
        action="append",
        type=_host,
        metavar="NAME",
        help="answer requests that are sent to this name, not to this machine's own alone; may be repeated",
    )
    parser.add_argument(
        "--allowed-origin",
        action="append",
        type=_origin,
        metavar="URL",
        help="let programs of this site call, as https://example.org; may be repeated",
    )


def hosts_of(options: argparse.Namespace) -> frozenset[str]:
    return frozenset(options.allowed_host or ())


def origins_of(options: argparse.Namespace) -> frozenset[str]:
    return frozenset(options.allowed_origin or ())


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches an address or name."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _host(text: str) -> str:
    if not text or any(sign in text for sign in "/:@ ") or not text.isascii():
        raise argparse.ArgumentTypeError(f"a name without port was expected, as plans.example.org, not {text!r}")
    return text.lower()


def _origin(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts._replace(scheme="", netloc="").geturl():
        raise argparse.ArgumentTypeError(f"scheme and host were expected, as https://example.org, not {text!r}")
    return text.lower()
