"""Decide the calls among the messages of MCP: what a client asks, and what a server answers.

Messages are JSON-RPC's parts as they stand on the wire, so that no version of the protocol needs another reader.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from validator.guard import NotUnderstood, UnknownNames

if TYPE_CHECKING:
    from validator.guard import Decision, PlanGuard


LISTING = 30.0
"""seconds that a server has to say which tools it has"""


def list_request(params: object, cursor: object = None) -> dict[str, Any]:
    """Return a request for the tools of a server, with what a call says of the protocol."""
    meta = params.get("_meta") if isinstance(params, Mapping) else None
    kept = {key: value for key, value in meta.items() if key != "progressToken"} if isinstance(meta, Mapping) else {}
    asked = ({"_meta": kept} if kept else {}) | ({} if cursor is None else {"cursor": cursor})
    number = f"plan-validator-{uuid4().hex}"
    return {"jsonrpc": "2.0", "id": number, "method": "tools/list", "params": asked}


_VERSION = "io.modelcontextprotocol/protocolVersion"


@dataclass
class Gate:
    """The calls of tools that were handed on and are not answered yet, by the id of the request."""

    guard: PlanGuard
    waiting: dict[object, Decision] = field(default_factory=dict)
    is_stale: bool = True
    """whether the server is to be asked for its tools before the next call"""

    def __post_init__(self) -> None:
        allowed = self.guard.not_understood, self.guard.unknown_names
        self.is_stale = self._asks = allowed != (NotUnderstood.ALLOW, UnknownNames.ALLOW)

    def passed(self, method: object) -> None:
        """Take down a request or notification: behind some of them the tools may be others."""
        if method in ("notifications/tools/list_changed", "tools/list"):
            self.is_stale = self._asks

    def listed(self, tools: list[object] | None, why: str = "") -> None:
        """Take the tools that the server has; None where it did not say, and why: then every call is denied."""
        if tools is None:
            self.guard.stop(f"the server did not say which tools it has: {why}")
        else:
            self.guard.know(tools)
            self.is_stale = False
        if self.guard.fault:
            sys.stderr.write(f"plan-validator guard: every call is denied: {self.guard.fault}\n")

    def ask(self, number: object, params: object) -> dict[str, Any] | None:
        """Return the result of a call that is denied; None where the call is to be handed on."""
        given = params if isinstance(params, Mapping) else {}
        name, arguments = given.get("name"), given.get("arguments")
        if number in self.waiting:
            return _denied("Denied: another call with this id is not answered yet.", given.get("_meta"))
        if isinstance(name, str) and isinstance(arguments, Mapping | None):
            decision = self.guard.before(name, arguments or {})
        else:
            decision = self.guard.before({"params": given})
        if not decision:
            return _denied(decision.message, given.get("_meta"))
        self.waiting[number] = decision
        return None

    def answered(self, number: object, result: object = None, error: object = None) -> None:
        """Take down what a server answered to a request, if that was a call."""
        decision = self.waiting.pop(number, None)
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


def _denied(message: str, meta: object) -> dict[str, Any]:
    result: dict[str, Any] = {"content": [{"type": "text", "text": message}], "isError": True}
    return result | ({"resultType": "complete"} if isinstance(meta, Mapping) and _VERSION in meta else {})


def _said(content: object) -> list[str]:
    parts = content if isinstance(content, list) else []
    return [str(part.get("text") or part.get("type")) for part in parts if isinstance(part, Mapping)]
