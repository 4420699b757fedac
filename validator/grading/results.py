"""A result as ``plan-validator summary`` reads it: of whatever module, one a line."""

from __future__ import annotations

import json
from collections.abc import Mapping

__all__ = ["result_line"]


def result_line(
    model: str,
    dataset: str,
    identifier: str,
    verdict: str,
    report: Mapping[str, object],
    tags: Mapping[str, str] | None = None,
    **more: object,
) -> str:
    """Return what is known of a model's answer to a task; ``report`` has its determination."""
    record = {
        "id": f"{model}/{identifier}",
        "task": identifier,
        "domain": dataset,
        "tags": {"model": model, "dataset": dataset, **(tags or {})},
        "verdict": verdict,
        "report": report,
        **more,
    }
    return json.dumps(record, ensure_ascii=False)
