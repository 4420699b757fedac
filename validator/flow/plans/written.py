"""A plan of a flow as somebody wrote it, a text, lines or tokens, read as tokens."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeGuard

from validator.flow.model import Flow
from validator.flow.plans.tokens import Call, FlowTokenizer, Tokenizer, read_lines, read_spans
from validator.reading.plan import Token, Unparsed
from validator.records import replace

__all__ = ["read_plan"]


def read_plan(
    plan: str | Iterable[str | Token], flow: Flow, tokenizer: Tokenizer | None = None
) -> tuple[tuple[Token, ...], tuple[str, ...]]:
    """Return the tokens of a plan, each of which takes a place in it, and warnings about what was passed over."""
    read = tokenizer or FlowTokenizer(flow)
    if not isinstance(plan, str):
        return tuple(_placed(read(line) if isinstance(line, str) else line) for line in plan), ()
    lines, warnings = read_lines(plan)
    tokens = (replace(read(line), span=span) for line, span in zip(lines, read_spans(plan), strict=True))
    return tuple(map(_placed, tokens)), warnings


def _placed(token: Token) -> Token:
    """Return a token that takes a place in the plan, whatever it is."""
    return replace(token, reading=Call(name=token.text)) if _is_lost(token) else token


def _is_lost(token: Token) -> TypeGuard[Unparsed]:
    return isinstance(token, Unparsed) and token.reading is None
