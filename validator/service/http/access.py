"""Who may send a request at all: one rule for the service, its pages and the tools for agents over HTTP.

A page of another site can make a browser send requests here, and a name that its owner lets resolve to this machine
(DNS rebinding) makes the browser take the answers for that site's own. What stops both stands in the request: the host
that it names, the origin that it comes from, and the type of its body, which no other site may choose freely.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass

from validator.service.problems import Problem

__all__ = ["OPEN", "Border"]

OPEN = frozenset(("/health", "/ready"))
"""What whoever looks after the service asks for, by whatever address; it tells nothing else."""
_FORMS = ("application/x-www-form-urlencoded",)
_LINES = frozenset(("application/jsonl", "application/x-ndjson", "application/jsonlines"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Border:
    """What is let in: ``host`` is where the service listens.

    ``hosts`` are further names that a request may be sent to, and ``origins`` (``https://example.org:8443``) sites
    whose programs may call. ``forms`` are the beginnings of the paths that take what a form sends.
    """

    host: str
    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    forms: tuple[str, ...] = ()

    def problem(self, method: str, path: str, headers: Mapping[bytes, bytes], *, has_body: bool) -> Problem | None:
        """Return why a request is refused, or None; the names of ``headers`` are in lower case."""
        named = headers.get(b"host", b"").decode("latin-1").lower()
        if path not in OPEN and not self._is_here(_name_of(named)):
            said = f"the request names the host {named!r:.80}; --allowed-host lets in others than this machine"
            return Problem(kind="host", status=421, title="No such host here", detail=said)
        origin = headers.get(b"origin")
        if origin is not None and not self._is_own(origin.decode("latin-1").lower(), named):
            return Problem(
                kind="origin", status=403, title="Sent by another site", detail="--allowed-origin lets it in"
            )
        site = headers.get(b"sec-fetch-site", b"none")
        if origin is None and method not in ("GET", "HEAD") and site not in (b"none", b"same-origin"):
            return Problem(kind="origin", status=403, title="Sent by another site")
        return self._body_problem(path, headers.get(b"content-type", b"").decode("latin-1")) if has_body else None

    def cors(self, headers: Mapping[bytes, bytes]) -> list[tuple[bytes, bytes]]:
        """Return the headers that let a program of an allowed site read the answer (the Fetch standard, CORS)."""
        origin = headers.get(b"origin", b"")
        if origin.decode("latin-1").lower() not in self.origins:
            return []
        return [
            (b"access-control-allow-origin", origin),
            (b"access-control-allow-methods", b"GET, POST, DELETE"),
            (b"access-control-allow-headers", b"authorization, content-type, epsilon, evaluations, prefer"),
            (b"access-control-expose-headers", b"location, retry-after"),
            (b"vary", b"Origin"),
        ]

    def is_preflight(self, method: str, headers: Mapping[bytes, bytes]) -> bool:
        """Return whether a browser asks whether a program of an allowed site may call; ``cors`` is the answer."""
        return method == "OPTIONS" and b"access-control-request-method" in headers and bool(self.cors(headers))

    def _is_here(self, name: str) -> bool:
        if name in self.hosts or name == self.host.lower() or name == "localhost" or name.endswith(".localhost"):
            return bool(name)
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return False

    def _is_own(self, origin: str, named: str) -> bool:
        return origin in self.origins or origin.partition("://")[2] == named

    def _body_problem(self, path: str, kind: str) -> Problem | None:
        media = kind.partition(";")[0].strip().lower()
        if media == "application/json" or (media.startswith("application/") and media.endswith("+json")):
            return None
        if media in _LINES or (media in _FORMS and path.startswith(self.forms)):
            return None
        said = f"Content-Type: application/json was expected, not {media or 'nothing'!r:.80}"
        return Problem(kind="media-type", status=415, title="No such type of body here", detail=said)


def _name_of(host: str) -> str:
    """Return the name or address in a Host header, without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].rstrip(".")
