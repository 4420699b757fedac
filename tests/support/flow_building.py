"""Flows in few words: ``operator("find", "date, to: city", "flight, price?")``, with types and optional inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from validator.flow.model import Goal, GoalKind, Input, Operator, Output


def operator(name: str, inputs: str = "", outputs: str = "", **rest: Any) -> Operator:
    return Operator(
        name=name,
        inputs=tuple(
            Input(item=item.rstrip("?"), type=kind, required="?" not in item) for item, kind in _items(inputs)
        ),
        outputs=tuple(Output(item=item, type=kind) for item, kind in _items(outputs)),
        **rest,
    )


def _items(text: str) -> Iterator[tuple[str, str | None]]:
    for part in filter(None, text.split(", ")):
        item, _, kind = part.partition(": ")
        yield item, kind or None


def ran(name: str, *arguments: str) -> Goal:
    return Goal(kind=GoalKind.OPERATOR, subject=name, arguments=arguments or None)


def known(item: str) -> Goal:
    return Goal(kind=GoalKind.KNOWN, subject=item)
