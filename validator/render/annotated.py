"""A reading beside its text: as plain values for programs, in two columns for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from validator.reading.annotated import AnnotatedText, Said, Stretch, Taken
from validator.reading.plan import Completeness, NoPlan
from validator.records import dataclass
from validator.render.json import fields_of, picked
from validator.render.terminal import CYAN, FAINT, painted, safe
from validator.render.verdict import HELP
from validator.texts import counted


def annotated_value(found: AnnotatedText) -> dict[str, object]:
    """Return a reading beside its text as plain values; spans are offsets in characters."""
    return {
        **picked(found, "text", "completeness", "no_plan"),
        "summary": summary(found),
        "parts": [
            {**fields_of(part), "step": part.step or None, "pattern": part.pattern or None} for part in found.stretches
        ],
        **picked(found, "candidates", "chosen", "passed_over", "warnings"),
    }


# --- in words ------------------------------------------------------------------------------------

_NO_PLAN = {
    NoPlan.CLAIM: "the text says that there is no plan",
    NoPlan.GIVEN_UP: "the text has no plan: its author has none to give",
    NoPlan.OTHER: "no step could be read",
}


def summary(found: AnnotatedText) -> str:
    """Return in one sentence how far a text was understood."""
    steps = sum(part.taken is Taken.STEP and bool(part.step) for part in found.stretches)
    missed = sum(part.taken is Taken.MISSED for part in found.stretches)
    said = [f"{counted(steps, 'step')} read"]
    if found.no_plan is not None:
        said = [_NO_PLAN[found.no_plan]]
    if open_ := sum(part.taken is Taken.STEP and not part.step for part in found.stretches):
        said.append(f"{counted(open_, 'step')} left open")
    if missed:
        said.append(f"{counted(missed, 'piece')} not understood")
    counts: Counter[Taken] = Counter(part.taken for part in found.stretches)
    for kind in (Taken.SPACE, Taken.MARKUP, Taken.STEP, Taken.MISSED):
        del counts[kind]
    passed = [f"{kind.value} ({counted(counts[kind], 'part')})" for kind in Taken if counts[kind]]
    if passed:
        said.append(f"ignored: {', '.join(passed)}")
    return f"{found.completeness.value}: {'; '.join(said)}"


def _entry(part: Stretch) -> str:
    """Return what stands beside a part of the text: a step with its number, or why there is none; empty for blanks."""
    if part.taken is Taken.STEP:
        if not part.pattern or part.step == part.pattern:
            return f"{part.number} {part.step}"
        return f"{f'{part.number} {part.step} <- ' if part.step else '? '}{part.pattern}: {part.reason}"
    if part.taken is Taken.MISSED:
        near = f" (did you mean '{part.nearest}'?)" if part.nearest else ""
        read = f", read as {part.step}" if part.step else ""
        can_be = f"; it can be {part.pattern}" if part.pattern else ""
        return f"? not understood{read}: {part.reason}{near}{can_be}"
    if part.taken is Taken.SPACE:
        return ""
    return f"- {part.taken.value}{f': {part.reason}' if part.reason else ''}"


def parts_with_entries(parts: Sequence[Stretch]) -> list[Stretch]:
    """Return the parts of a line beside which something stands: steps, and what was not understood, else a remark."""
    tokens = [part for part in parts if part.taken in (Taken.STEP, Taken.MISSED)]
    passed = [part for part in parts if part.taken is not Taken.SPACE]
    return tokens or sorted(passed, key=lambda part: part.taken is Taken.MARKUP)[:1]


def place_of(one: Said) -> str:
    """Return where one of several plans stands in a text."""
    lines = "" if one.lines is None else f", lines {one.lines[0]} to {one.lines[1]}"
    marked = ", marked as the answer" if one.is_marked else ""
    return f"{one.said}: {counted(len(one.steps), 'step')}{lines}{marked}"


# --- two columns ---------------------------------------------------------------------------------

_LEAST, _GAP = 20, "  "


def annotated_text(found: AnnotatedText, *, width: int = 100, color: bool = False) -> str:
    """Return the text and what was read of it side by side, then what that amounts to.

    ``width`` is that of the terminal, in characters; longer lines of the text are broken, nothing is cut.
    """
    lines = found.text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    numbers = len(str(len(lines)))
    longest = max(map(len, lines), default=0)
    left = max(_LEAST, min(longest, (width - numbers) // 2))
    parts = _by_line(found)
    shown = [row for number, line in enumerate(lines, 1) for row in _rows(number, line, left, parts.get(number, ()))]
    table = [row.text(numbers, left, color) for row in shown]
    return "".join(f"{line}\n" for line in (*table, *([""] if table else []), *map(_safe, _behind(found))))


def _behind(found: AnnotatedText) -> Iterator[str]:
    yield summary(found)
    if len(found.candidates) > 1:
        yield f"The text may mean one of {len(found.candidates)} plans:"
        yield from (f"  {number}. {place_of(one)}" for number, one in enumerate(found.candidates, 1))
    for passed in found.passed_over:
        yield f"passed over: {passed}"
    for warning in found.warnings:
        yield f"warning: {warning}"
    if found.completeness is not Completeness.COMPLETE and found.no_plan not in (NoPlan.CLAIM, NoPlan.GIVEN_UP):
        yield f"help: {HELP}"


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the terminal: the number of a line where it begins, a part of the line, what stands beside it."""

    number: int | None
    left: str
    right: str
    taken: Taken

    def text(self, numbers: int, width: int, color: bool) -> str:
        number = "" if self.number is None else str(self.number)
        shown = f"{number:>{numbers}}{_GAP}{_safe(self.left):<{width}}{_GAP}{_safe(self.right)}".rstrip()
        return painted(shown, _TINTS.get(self.taken, FAINT) if color and self.right else "")


_TINTS = {Taken.STEP: "", Taken.MISSED: CYAN}


def _by_line(found: AnnotatedText) -> dict[int, list[Stretch]]:
    parts: dict[int, list[Stretch]] = {}
    for part in found.stretches:
        parts.setdefault(part.line, []).append(part)
    return parts


def _rows(number: int, line: str, width: int, parts: Sequence[Stretch]) -> Iterator[_Row]:
    told = parts_with_entries(parts)
    is_remark = bool(told) and told[0].taken not in (Taken.STEP, Taken.MISSED)
    for begin in range(0, max(len(line), 1), width):
        here = [part for part in told if begin < part.column <= begin + width or (is_remark and begin == 0)]
        marks = {part.column - 1 - begin for part in here if part.taken is Taken.MISSED}
        caret = "".join("^" if place in marks else " " for place in range(max(marks) + 1)) if marks else ""
        lefts = [line[begin : begin + width], *([caret] if caret else [])]
        for place in range(max(len(lefts), len(here))):
            part = here[place] if place < len(here) else None
            yield _Row(
                number if begin == place == 0 else None,
                lefts[place] if place < len(lefts) else "",
                "" if part is None else _entry(part),
                Taken.SPACE if part is None else part.taken,
            )


def _safe(text: str) -> str:
    """Return a text without characters that could drive a terminal; each keeps its width."""
    return safe("".join(" " if each.isspace() else each for each in text))
