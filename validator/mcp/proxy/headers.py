"""The headers of HTTP that a message needs whose client does not speak HTTP: its version, method, name, arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
    mcp_param_headers,
    x_mcp_header_map,
)
from mcp.shared.message import ClientMessageMetadata
from mcp_types import PROTOCOL_VERSION_META_KEY, JSONRPCRequest

__all__ = ["Headers"]


class Headers:
    """What the answers so far say of the headers of the next messages."""

    def __init__(self) -> None:
        self._version: str | None = None
        self._arguments: dict[str, Any] = {}

    def learn(self, result: Mapping[str, Any]) -> None:
        """Take the version that was agreed on, and which arguments of which tool are told in headers."""
        if isinstance(version := result.get("protocolVersion"), str):
            self._version = version
        for tool in result.get("tools") or ():
            self._arguments[tool["name"]] = x_mcp_header_map(tool.get("inputSchema"))

    def of(self, message: Any) -> ClientMessageMetadata | None:
        """Return the headers of a message of the client, as the SDK's own client has them."""
        params = getattr(message, "params", None) or {}
        version = (params.get("_meta") or {}).get(PROTOCOL_VERSION_META_KEY)
        if not isinstance(message, JSONRPCRequest) or not isinstance(version, str):
            known = {} if self._version is None else {MCP_PROTOCOL_VERSION_HEADER: self._version}
            return ClientMessageMetadata(headers=known) if known else None
        headers = {MCP_PROTOCOL_VERSION_HEADER: version, MCP_METHOD_HEADER: message.method}
        if isinstance(name := params.get(NAME_BEARING_METHODS.get(message.method, "")), str):
            headers[MCP_NAME_HEADER] = encode_header_value(name)
            if message.method == "tools/call":
                headers |= mcp_param_headers(self._arguments.get(name, {}), params.get("arguments") or {})
        return ClientMessageMetadata(headers=headers)
