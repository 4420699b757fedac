"""A plan of a flow as somebody wrote it, a text, lines or tokens, read as tokens.

Lines and tokens are taken literally. In a text not understood is not wrong: what looks like a step and cannot be read
is missed; thoughts, what tools answered and sentences around and between the steps are passed over with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeGuard

from validator.flow.model import Flow
from validator.flow.plans.tokens import Call, FlowTokenizer, Tokenizer, placed_lines
from validator.reading.plan import Candidate, Dialect, NoPlan, Plan, Reading, Token, Unparsed
from validator.reading.tokens.asides import blanked, without_asides
from validator.reading.tokens.phrases import claims_no_plan
from validator.reading.understood import places_of
from validator.records import dataclass, replace

__all__ = ["Written", "read_plan", "written"]

_MAY_BE_A_STEP = re.compile(r"[(=]|^\S*$|^\W*(?:\S{1,8}\s+)?assert\b|^\s*(?:[-*•]|\d+[.)]|step\s+\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The tokens of a plan, each of which takes a place in it; ``reading`` is None for one that is taken literally."""

    tokens: tuple[Token, ...]
    warnings: tuple[str, ...] = ()
    reading: Reading | None = None


def read_plan(
    plan: str | Iterable[str | Token], flow: Flow, tokenizer: Tokenizer | None = None
) -> tuple[tuple[Token, ...], tuple[str, ...]]:
    """Return the tokens of a plan, each of which takes a place in it, and warnings about what was passed over."""
    found = written(plan, flow, tokenizer)
    return found.tokens, found.warnings


def written(
    plan: str | Iterable[str | Token], flow: Flow, tokenizer: Tokenizer | None = None, *, strict: bool = False
) -> Written:
    """Read a plan; a text that is not taken literally, as with ``strict`` or a tokenizer, has a reading."""
    read = tokenizer or FlowTokenizer(flow)
    if not isinstance(plan, str):
        return Written(tokens=tuple(_placed(read(line) if isinstance(line, str) else line) for line in plan))
    is_literal = strict or tokenizer is not None
    shown, passed_over = (plan, ()) if is_literal else _shown(plan)
    lines, warnings = placed_lines(shown)
    tokens = [replace(read(line), span=(start, start + len(line))) for line, start in lines]
    if is_literal:
        return Written(tokens=tuple(map(_placed, tokens)), warnings=warnings)
    prose = [token for token in tokens if _is_lost(token) and not _MAY_BE_A_STEP.search(plan[slice(*token.span)])]
    kept = tokens if len(prose) == len(tokens) else [token for token in tokens if token not in prose]
    between = tuple(f"passed over: {token}" for token in prose) if kept is not tokens else ()
    reading = replace(_reading(plan, kept), passed_over=passed_over)
    return Written(tokens=tuple(map(_placed, kept)), warnings=(*warnings, *between), reading=reading)


def _shown(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text of the same length without what stands around its plan, and what that was."""
    asides = without_asides(text)
    if asides.talk is None:
        return asides.visible, asides.said
    ends = [command.span for command in asides.talk.commands if command.ends]
    return blanked(asides.visible, sorted([*asides.talk.hidden, *ends])), asides.said


def _reading(text: str, tokens: Sequence[Token]) -> Reading:
    lost = [token for token in tokens if _is_lost(token)]
    plan = Plan(parts=tuple(map(_placed, tokens)), dialect=Dialect.CODE, text=text)
    no_plan = None
    if len(lost) == len(tokens) and text.strip():
        no_plan = NoPlan.CLAIM if claims_no_plan(text) is not None else NoPlan.OTHER
    missed = () if no_plan is NoPlan.CLAIM else tuple(places_of(text, lost))
    return Reading(candidates=(Candidate(plan=plan, missed=missed),), no_plan=no_plan)


def _placed(token: Token) -> Token:
    """Return a token that takes a place in the plan, whatever it is."""
    return replace(token, reading=Call(name=token.text)) if _is_lost(token) else token


def _is_lost(token: Token) -> TypeGuard[Unparsed]:
    return isinstance(token, Unparsed) and token.reading is None
