"""A plan text as a translator reads it: asked for what the rules leave open, believed only as far as its spans go.

A translator is a program or a language model. Each of its steps has to name the stretch of the text that it stands
for; a stretch that is not there, or a step that the model does not have, is no step. What the rules read as a step is
that one, whatever the translator says of it, and what looks like a step, or stands among what is translated and is
covered by none, stays not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from validator.errors import InputError
from validator.model.values import Model
from validator.reading.plan import Candidate, Dialect, NoPlan, Plan, Reading, Span, Step, Unparsed, tiled
from validator.reading.stated.around import is_remark
from validator.reading.tokens.blocks.headings import mark_of
from validator.reading.tokens.vocabulary import Vocabulary
from validator.reading.understood import overlap, places_of
from validator.records import replace

__all__ = ["Translator", "question_of", "translated"]

Translator: TypeAlias = Callable[[Mapping[str, Any]], object]
"""Answers a question as ``question_of`` makes it with ``{"steps": [{"step": "(pick-up a)", "text": ...}, ...]}``.

``text`` is copied from the plan text, or ``span`` tells its characters, ``[from, until]`` from 0. Steps come in the
order of their execution.
"""

_STEP = re.compile(r"\s*\(?\s*([^\s()]+)((?:\s+[^\s()]+)*)\s*\)?\s*")
_SAYS = re.compile(r"[^\W\d_]")


def question_of(text: str, model: Model) -> dict[str, Any]:
    """Return what a translator is asked: the text, the actions with their parameters, the objects with their types."""
    actions = {action.step or action.name: action.parameters for action in model.domain.actions.values()}
    return {
        "text": text,
        "actions": [
            {"name": name, "parameters": [{"name": one.name, "types": sorted(one.types)} for one in parameters]}
            for name, parameters in actions.items()
        ],
        "objects": {name: sorted(types) for name, types in model.problem.objects.items()},
    }


def translated(reading: Reading, known: Vocabulary, translator: Translator, name: str = "a translator") -> Reading:
    """Return a reading with what a translator says of its text, or as it is where nothing is left to be said.

    What is clear, is taken literally, or says that there is no plan, is never translated. ``name`` is who is asked.
    Raises InputError for an answer of another form, and whatever the translator raises.
    """
    if reading.is_clear or reading.is_literal or known.model is None or reading.no_plan is NoPlan.GIVEN_UP:
        return reading
    text = reading.plan.text
    parts = list(_parts(text, _answered(translator(question_of(text, known.model))), known))
    parts, lost = _beside_rules(text, parts, reading)
    pieces = [part for part in parts if isinstance(part, Unparsed)]
    covered = [part.span for part in parts]
    left = [missed for missed in reading.missed if not any(overlap(missed.span, span) for span in covered)]
    items = [*lost, *(item for item in _uncovered(text, covered) if not any(overlap(item.span, m.span) for m in lost))]
    items = [item for item in items if not any(overlap(item.span, m.span) for m in left)]
    missed = sorted([*places_of(text, [*pieces, *items]), *left], key=lambda piece: piece.span)
    steps = sum(isinstance(part, Step) for part in parts)
    warning = f"{steps} steps are as {name} translates the text; what they stand for was found in it"
    plan = Plan(parts=tiled(text, parts, "prose"), dialect=Dialect.WORDS, text=text, warnings=(warning,))
    return replace(
        reading,
        candidates=(Candidate(plan=plan, said=f"as {name} translates it", missed=tuple(missed)),),
        no_plan=None if parts else reading.no_plan,
        translated_by=name,
    )


def _answered(answer: object) -> Sequence[Mapping[str, Any]]:
    steps = answer.get("steps") if isinstance(answer, Mapping) else None
    if not isinstance(steps, list) or not all(isinstance(step, Mapping) for step in steps):
        raise InputError('the translator\'s answer is not of the form {"steps": [{"step": ..., "text": ...}, ...]}')
    return steps


def _parts(text: str, steps: Sequence[Mapping[str, Any]], known: Vocabulary) -> Iterator[Step | Unparsed]:
    """Yield the steps of an answer in order, each at its place in the text."""
    place = 0
    for number, each in enumerate(steps, 1):
        said = str(each.get("step", ""))
        span = _span(text, each, place)
        if span is None:
            quoted = repr(each.get("text", each.get("span")))
            raise InputError(f"the translator's step {number}, {said!r:.80}, stands for {quoted:.120}, not in the text")
        place = span[0]
        yield _step(said, text, span, known)


def _span(text: str, each: Mapping[str, Any], place: int) -> Span | None:
    """Return the stretch that a step stands for: at or behind that of the step before, where there is a choice."""
    quoted = each.get("text")
    if isinstance(quoted, str) and _SAYS.search(quoted):
        found = text.find(quoted, place)
        found = found if found >= 0 else text.find(quoted)
        return None if found < 0 else (found, found + len(quoted))
    span = each.get("span")
    if not isinstance(span, list) or len(span) != 2 or not all(type(end) is int for end in span):
        return None
    start, end = span
    return (start, end) if 0 <= start < end <= len(text) and _SAYS.search(text[start:end]) else None


def _step(said: str, text: str, span: Span, known: Vocabulary) -> Step | Unparsed:
    match = _STEP.fullmatch(said)
    name, *args = (match[1].lower(), *match[2].lower().split()) if match else ("",)
    if known.actions.get(name) == len(args) and known.objects.issuperset(args):
        return Step(name=name, args=tuple(args), span=span)
    reason = f"the translator's {said!r:.80} is no action of the model on as many of its objects as it takes"
    return Unparsed.at(text, span, reason, known.names.nearest(name))


def _beside_rules(
    text: str, parts: Sequence[Step | Unparsed], reading: Reading
) -> tuple[list[Step | Unparsed], list[Unparsed]]:
    """Return parts without those that contradict what the rules read, and the steps of a plan that none stands for.

    A step that the rules read is that step, once, and in its order; where the text may hold several plans, the
    translator may leave out some of them.
    """
    read = {step.span: step for candidate in reading.candidates for step in candidate.plan.steps}
    found: list[Step | Unparsed] = []
    met: list[Span] = []
    for part in parts:
        own = [step for span, step in read.items() if overlap(span, part.span)]
        is_same = len(own) == 1 and isinstance(part, Step) and (part.name, part.args) == (own[0].name, own[0].args)
        is_late = is_same and bool(met) and own[0].span <= met[-1]  # a second time, or in another order
        if own and (not is_same or is_late):
            reason = f"the translator's {part} does not stand for what reads as {own[0]}"
            found.append(Unparsed.at(text, part.span, reason))
        else:
            found.append(part)
        met += (step.span for step in own if is_same)
    lost = [
        Unparsed.at(text, span, "no step of the translator stands for this step")
        for span in sorted(read)
        if len(reading.candidates) == 1 and not any(overlap(span, part.span) for part in parts)
    ]
    return found, lost


_SENTENCE = re.compile(r"[^\s.!?;](?:[^\n.!?;]|[.!?;](?!\s|$))*+[.!?;]?")


def _uncovered(text: str, covered: Sequence[Span]) -> Iterator[Unparsed]:
    """Yield the sentences and items among what is translated that may be steps, and that no step stands for.

    They stand between the first and the last step, or in a paragraph or a list with one.
    """
    if not covered:
        return
    first, last = min(covered)[0], max(span[1] for span in covered)
    for start, end in _paragraphs(text):
        is_among = any(overlap((start, end), span) for span in covered)
        for span in _sentences(text, start, end, covered):
            is_between = first <= span[0] < last
            is_told = any(overlap(span, one) for one in covered)
            if (is_among or is_between) and not is_told and not is_remark(text[slice(*span)]):
                reason = "no step of the translator stands for this"
                yield Unparsed(text=text[slice(*span)].strip(), reason=reason, span=span)


def _sentences(text: str, start: int, end: int, covered: Sequence[Span]) -> Iterator[Span]:
    """Yield the sentences of a paragraph; an item of a list for which nothing stands is one."""
    place = start
    for line in text[start:end].split("\n"):
        span = (place, place + len(line))
        if mark_of(line).is_item and not any(overlap(span, one) for one in covered):
            yield span
        else:
            yield from (match.span() for match in _SENTENCE.finditer(text, *span))
        place = span[1] + 1


def _paragraphs(text: str) -> Iterator[Span]:
    """Yield the paragraphs of a text; items of a list are one, whatever stands between them."""
    place = begin = 0
    was_item = is_open = False
    for line in text.split("\n"):
        end = place + len(line)
        if line.strip():
            is_item = mark_of(line).is_item
            if not is_open and not (was_item and is_item):
                if begin < place:
                    yield begin, place
                begin = place
            was_item = is_item
        is_open = bool(line.strip())
        place = end + 1
    yield begin, len(text)
