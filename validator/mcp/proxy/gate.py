"""Decide the calls among the messages of MCP: what a client asks, and what a server answers.

Messages are JSON-RPC's parts as they stand on the wire, so that no version of the protocol needs another reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from validator.guard import Decision, PlanGuard

__all__ = ["Gate"]

_VERSION = "io.modelcontextprotocol/protocolVersion"


@dataclass
class Gate:
    """The calls of tools that were handed on and are not answered yet, by session and the id of the request."""

    guard: PlanGuard
    waiting: dict[tuple[str, object], Decision] = field(default_factory=dict)

    def ask(self, session: str, number: object, params: object) -> dict[str, Any] | None:
        """Return the result of a call that is denied; None where the call is to be handed on."""
        given = params if isinstance(params, Mapping) else {}
        name, arguments = given.get("name"), given.get("arguments")
        decision = self.guard.before(name, arguments or {}) if isinstance(name, str) else self.guard.before(given)
        if not decision:
            return _denied(decision.message, given.get("_meta"))
        self.waiting[session, number] = decision
        return None

    def answered(self, session: str, number: object, result: object = None, error: object = None) -> None:
        """Take down what a server answered to a request, if that was a call."""
        decision = self.waiting.pop((session, number), None)
        if decision is None:
            return
        if error is not None:
            said = error.get("message") if isinstance(error, Mapping) else error
            self.guard.after(decision, error=said or "failed")
            return
        found = result if isinstance(result, Mapping) else {}
        if found.get("resultType") == "input_required":  # the same call is asked for again, with what is missing
            self.guard.withdraw(decision)
            return
        said = "\n".join(_said(found.get("content")))
        self.guard.after(decision, said, error=said or "failed" if found.get("isError") else None)

    def refused(self, session: str, number: object) -> None:
        """Take down that a call did not reach the server's tools."""
        if (decision := self.waiting.pop((session, number), None)) is not None:
            self.guard.withdraw(decision)


def _denied(message: str, meta: object) -> dict[str, Any]:
    result: dict[str, Any] = {"content": [{"type": "text", "text": message}], "isError": True}
    return result | ({"resultType": "complete"} if isinstance(meta, Mapping) and _VERSION in meta else {})


def _said(content: object) -> list[str]:
    parts = content if isinstance(content, list) else []
    return [str(part.get("text") or part.get("type")) for part in parts if isinstance(part, Mapping)]
