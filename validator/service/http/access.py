"""Who may send a request at all: one rule for the service, its pages and the tools for agents over HTTP.

A page of another site can make a browser send requests here, and a name that its owner lets resolve to this machine
(DNS rebinding) makes the browser take the answers for that site's own. What stops both stands in the request: the host
that it names, the origin that it comes from, and the type of its body, which no other site may choose freely.
"""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections.abc import Mapping
from dataclasses import dataclass

from validator.errors import ValidatorError
from validator.service.problems import Problem

OPEN = frozenset(("/health", "/ready"))
"""What whoever looks after the service asks for, by whatever address; it tells nothing else."""
_TYPES = frozenset(("application/json", "application/jsonl", "application/x-ndjson", "application/jsonlines"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Border:
    """What is let in: ``host`` is where the service listens, ``hosts`` are further names that requests may name."""

    host: str
    hosts: frozenset[str] = frozenset()

    def problem(self, method: str, path: str, headers: Mapping[bytes, bytes], *, has_body: bool) -> Problem | None:
        """Return why a request is refused, or None; the names of ``headers`` are in lower case."""
        named = headers.get(b"host", b"").decode("latin-1").lower()
        if path not in OPEN and not self._is_here(_name_of(named)):
            said = f"the request names the host {named!r:.80}; --allowed-host lets in others than this machine"
            return Problem(kind="host", status=421, title="No such host here", detail=said)
        origin = headers.get(b"origin")
        if origin is not None and origin.decode("latin-1").lower().partition("://")[2] != named:
            return Problem(kind="origin", status=403, title="Sent by another site")
        site = headers.get(b"sec-fetch-site", b"none")
        if origin is None and method not in ("GET", "HEAD") and site not in (b"none", b"same-origin"):
            return Problem(kind="origin", status=403, title="Sent by another site")
        return _body_problem(headers.get(b"content-type", b"").decode("latin-1")) if has_body else None

    def _is_here(self, name: str) -> bool:
        is_named = name in self.hosts or name == self.host.lower() or name.endswith(".localhost")
        return bool(name) and (is_named or is_loopback(name))


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches an address or name."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _body_problem(kind: str) -> Problem | None:
    media = kind.partition(";")[0].strip().lower()
    if media in _TYPES or (media.startswith("application/") and media.endswith("+json")):
        return None
    said = f"Content-Type: application/json was expected, not {media or 'nothing'!r:.80}"
    return Problem(kind="media-type", status=415, title="No such type of body here", detail=said)


def _name_of(host: str) -> str:
    """Return the name or address in a Host header, without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].rstrip(".")


def listen_at(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises ValidatorError for an address that is taken or of another machine."""
    try:
        listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        is_taken = error.errno == errno.EADDRINUSE
        why = "another program listens there; choose another port" if is_taken else error.strerror
        raise ValidatorError(f"{host}, port {port}: {why}") from None
    # Connections inherit it. Without it, a client waits 40 ms for a body; asyncio sets it only for a named protocol.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
