"""What stands in a page, as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from validator import Report
from validator.render.html.elements import Node, html
from validator.render.html.report import report_tree


def body(nodes: Iterable[Node]) -> str:
    return "".join(map(html, nodes))


def report_body(report: Report, shown: Mapping[str, Any] = MappingProxyType({})) -> str:
    """Return what a page shows of a report, and of its execution."""
    return body(report_tree(report, shown))
