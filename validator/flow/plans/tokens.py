"""The plan texts of flows: one step a line, as ``y = agent_b(a)``, ``ask(x)``, ``map(a, b)``, ``assert not $a > 10``.

The shape of a line is in ``grammars/plan_flow.lark``; what its names mean is decided here against the flow, and a line
that does not fit the flow becomes a token with its fault. Nothing is dropped: a line that cannot be read is Unparsed.
Lines and tokens are taken literally. In a text, what looks like a step and cannot be read is not understood; thoughts,
what tools answered and sentences around and between the steps are passed over with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import Any, TypeAlias, TypeGuard

from validator.errors import PlanError
from validator.flow.model import Flow
from validator.reading.plan import Candidate, Constraint, Dialect, NoPlan, Plan, Reading, Step, Token, Unparsed
from validator.reading.tokens.asides import blanked, without_asides
from validator.reading.tokens.phrases import claims_no_plan, has_failed
from validator.reading.understood import places_of
from validator.records import dataclass, replace
from validator.resources import parser

BASIC = {"ask": None, "map": 2, "confirm": 1}
"""the steps that every flow has, with their number of arguments; None for any from 1"""

_MOST_CHARACTERS = 5_000_000

Tokenizer: TypeAlias = Callable[[str], Token]
"""Reads one line of a plan. What it cannot read it returns as Unparsed, with a reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Step):
    """A step of a flow, which prints like code."""

    def __str__(self) -> str:
        outputs = f"{', '.join(self.outputs)} = " if self.outputs else ""
        return f"{outputs}{self.name}({', '.join(self.args)})"


def _placed_lines(text: str) -> tuple[list[tuple[str, int]], tuple[str, ...]]:
    """Return the lines of a text that are tokens, each with its offset, and warnings about what was passed over.

    Blank lines, comments and code fences are passed over, and so are sentences before the first and after the last
    line that could be a step. Raises PlanError for more than five million characters.
    """
    if len(text) > _MOST_CHARACTERS:
        raise PlanError(f"a plan of a flow has at most {_MOST_CHARACTERS:,} characters, not {len(text):,}")
    lines = [(line, start) for line, start in _stripped(text) if line and not line.startswith(("#", "```"))]
    likely = [number for number, (line, _) in enumerate(lines) if _LIKELY.search(line)]
    if not likely:
        return lines, ()
    first, last = likely[0], likely[-1] + 1
    while first and " " not in lines[first - 1][0]:
        first -= 1
    while last < len(lines) and " " not in lines[last][0]:
        last += 1
    return lines[first:last], tuple(f"passed over: {line}" for line, _ in (*lines[:first], *lines[last:]))


def _stripped(text: str) -> Iterator[tuple[str, int]]:
    """Yield the lines without the blanks around them, and where each then begins."""
    start = len(text) - len(text.lstrip("\ufeff"))
    for line in text[start:].splitlines(keepends=True):
        yield line.strip(), start + len(line) - len(line.lstrip())
        start += len(line)


_LIKELY = re.compile(
    r"\(.*\)\s*;?(?:\s+#.*)?$|^(?:\S{1,8}\s+)?assert\s|^(?:\S{1,8}\s+)?(?:[^\s=()]+(?:,\s*[^\s=()]+)*\s*=\s*)?[^\s=()]+\([^)]*$",
    re.IGNORECASE,
)
"""a call, whole or cut off, or an assertion"""


class FlowTokenizer:
    """Reads lines as steps of a flow, with the flow's own spelling of names, whatever their case, joints and blanks."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow

    def __call__(self, line: str) -> Token:
        """Return the token of one line, with the names of the flow where it has them."""
        text = _PROGRAM.sub("", _INDEX.sub("", line.strip()))
        comment = _COMMENT.search(text)
        if comment is not None and has_failed(comment[0]):
            return Unparsed(text=text, reason="its comment may say that it was not done")
        text = _COMMENT.sub(")", text)
        return self._special(text) or self._parsed(text)

    def _parsed(self, text: str) -> Token:
        from lark.exceptions import UnexpectedInput

        try:
            tree = parser("plan_flow.lark").parse(text)
        except UnexpectedInput as error:
            return Unparsed(text=text, reason=_reason(text, getattr(error, "column", 0)))
        (found,) = tree.find_pred(lambda inner: inner.data in ("assertion", "call"))
        if found.data == "assertion":
            return self.constraint(str(found.children[-1]).strip(), holds=len(found.children) == 2)
        parts: list[Any] = found.children
        *before, name, inputs = parts
        outputs = before[0].children if before else []
        return self._call(str(name), list(map(str, inputs.children)), list(map(str, outputs)))

    def _call(self, name: str, args: Sequence[str], outputs: Sequence[str]) -> Call:
        return Call(name=self.operator(name), args=tuple(map(self.item, args)), outputs=tuple(map(self.item, outputs)))

    def _special(self, text: str) -> Call | None:
        """Read a call in which a name of the flow has brackets, commas or signs of equality in it."""
        if not self._has_special:
            return None
        names = sorted((*self.flow.by_name, *BASIC), key=len, reverse=True)
        for flag, name in product((re.NOFLAG, re.IGNORECASE), names):
            match = re.fullmatch(rf"(?:(.*\S)\s*=\s*)?{re.escape(name)}\s*\((.*)\)\s*;?", text, flag)
            if match:
                outputs, args = (self._split(part or "") for part in match.groups())
                return self._call(name, args, outputs)
        return None

    @cached_property
    def _has_special(self) -> bool:
        return any(_SPECIAL.search(name) for name in (*self.flow.by_name, *self.flow.item_types))

    def _split(self, text: str) -> list[str]:
        """Split a list of names at commas, except inside a name of the flow."""
        known = sorted((name for name in self.flow.item_types if "," in name), key=len, reverse=True)
        found, rest = [], text.strip()
        while rest:
            name = next((name for name in known if re.match(rf"{re.escape(name)}\s*(,|$)", rest, re.IGNORECASE)), None)
            taken = len(name) if name is not None else rest.find(",") if "," in rest else len(rest)
            found.append(rest[:taken].strip())
            rest = rest[taken:].strip().removeprefix(",").strip()
        return found

    def constraint(self, text: str, *, holds: bool) -> Constraint:
        """Return a constraint with the flow's own spelling, where only blanks differ."""
        return Constraint(text=self._constraints.get(_squeezed(text), text), holds=holds)

    # --- spelling ------------------------------------------------------------------------------

    def operator(self, name: str) -> str:
        """Return the name of an operator, or of a step that every flow has, in the flow's own spelling."""
        plain = _squeezed(name)
        if plain in self.flow.by_name or plain in BASIC:
            return plain
        folded = plain.casefold()
        return self._operators.get(_jointless(folded), folded if folded in BASIC else plain)

    def item(self, name: str) -> str:
        """Return the name of an item in the flow's own spelling."""
        plain = _squeezed(name)
        return plain if plain in self.flow.item_types else self._items.get(_jointless(plain), plain)

    @cached_property
    def _operators(self) -> dict[str, str]:
        return _folded(self.flow.by_name)

    @cached_property
    def _items(self) -> dict[str, str]:
        return _folded(self.flow.item_types)

    @cached_property
    def _constraints(self) -> dict[str, str]:
        return {_squeezed(text): text for text in self.flow.constraints}


_INDEX = re.compile(r"^(?:\[\d+\]|\d+[.)](?=\s)|[-*](?=\s)|[Ss]tep\s+\d+\s*[:.])\s*")
_COMMENT = re.compile(r"\)\s+#.*$")
_PROGRAM = re.compile(r"(?<=\w)\s*:\s*[\w.\[\], |]+?(?=\s*=[^=]*\()|(?:(?<=^)|(?<==)|(?<== ))await\s+")
"""the type of what is assigned, and what waits for a call"""
_SPECIAL = re.compile(r'[=(),;"\n]')


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _jointless(name: str) -> str:
    return name.casefold().replace("-", "_")


def _folded(names: Iterable[str]) -> dict[str, str]:
    """Return names by their spelling without case and joints, where that is the spelling of one only."""
    found: dict[str, str] = {}
    twice = set()
    for name in names:
        folded = _jointless(name)
        if found.setdefault(folded, name) != name:
            twice.add(folded)
    return {folded: name for folded, name in found.items() if folded not in twice}


def _reason(text: str, column: int) -> str:
    if column and 0 < column <= len(text):
        return f"a step is NAME(ITEM, ...), ITEM = NAME(...) or assert CONSTRAINT; {text[column - 1]!r} is unexpected"
    return "a step is NAME(ITEM, ...), ITEM = NAME(...) or assert CONSTRAINT"


# --- a whole plan ---------------------------------------------------------------------------------

_MAY_BE_A_STEP = re.compile(r"[(=]|^\S*$|^\W*(?:\S{1,8}\s+)?assert\b|^\s*(?:[-*•]|\d+[.)]|step\s+\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The tokens of a plan, each of which takes a place in it; ``reading`` is None for one that is taken literally."""

    tokens: tuple[Token, ...]
    warnings: tuple[str, ...] = ()
    reading: Reading | None = None


def written(
    plan: str | Iterable[str | Token], flow: Flow, tokenizer: Tokenizer | None = None, *, strict: bool = False
) -> Written:
    """Read a plan; a text that is not taken literally, as with ``strict`` or a tokenizer, has a reading."""
    read = tokenizer or FlowTokenizer(flow)
    if not isinstance(plan, str):
        return Written(tokens=tuple(_placed(read(line) if isinstance(line, str) else line) for line in plan))
    is_literal = strict or tokenizer is not None
    shown, passed_over = (plan, ()) if is_literal else _shown(plan)
    lines, warnings = _placed_lines(shown)
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
    return blanked(asides.visible, asides.talk.no_steps), asides.said


def _reading(text: str, tokens: Sequence[Token]) -> Reading:
    lost = [token for token in tokens if _is_lost(token)]
    plan = Plan(parts=tuple(map(_placed, tokens)), dialect=Dialect.CODE, text=text)
    no_plan = None
    if len(lost) == len(tokens) and text.strip():
        no_plan = NoPlan.CLAIM if claims_no_plan(text) is not None else NoPlan.OTHER
    missed = () if no_plan is NoPlan.CLAIM else tuple(places_of(text, lost))
    return Reading(candidates=(Candidate(plan=plan, missed=missed),), no_plan=no_plan, is_of_flow=True)


def _placed(token: Token) -> Token:
    """Return a token that takes a place in the plan, whatever it is."""
    return replace(token, reading=Call(name=token.text)) if _is_lost(token) else token


def _is_lost(token: Token) -> TypeGuard[Unparsed]:
    return isinstance(token, Unparsed) and token.reading is None
