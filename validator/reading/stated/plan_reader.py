"""Plans as values: the steps of lists, objects and texts, by grammar and never by guess."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from validator.reading.arguments import Argument, Arguments
from validator.reading.calls import Planned, folded
from validator.reading.calls.commas import read_commas
from validator.reading.calls.located import whole_value
from validator.reading.calls.plans import Piece, pieces
from validator.reading.plan import Constraint, Dialect, Plan, Step, Unparsed
from validator.reading.stated.around import NOTHING, around_item, around_steps, is_closing, is_remark
from validator.reading.stated.in_words import meant
from validator.reading.stated.items import Known, read_item
from validator.reading.stated.lists import list_items
from validator.reading.tokens import Vocabulary, tokenize
from validator.records import replace

__all__ = ["PlanReader", "Written", "planned_tokens"]


class Written(Protocol):
    """How the plans of a model are written that has a way of its own."""

    def lines(self, text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the lines of a plan text, and warnings of what was passed over."""

    def steps(self, line: str) -> tuple[Planned, ...]:
        """Return the steps of one line, without their places; none when it is not written in this way."""


class _Known:
    """The tools that are known, as tools whose parameters are not."""

    def __init__(self, known: Known) -> None:
        self.known = known

    def is_tool(self, name: str) -> bool:
        return folded(name) in self.known

    def parameters_of(self, name: str) -> Collection[str]:
        return ()


class PlanReader:
    """Reads the steps of one plan value: lists, objects and texts; what names no tool is kept as unreadable.

    A text that names no known tool is read as plan texts are, where ``is_text`` says that it may be one; else the tools
    that are ``described`` are looked for in its words. ``by_words`` tells of the sentences in which one was found,
    ``unclear`` of those that leave open which, ``around`` of what stands beside the steps.
    """

    def __init__(
        self,
        known: Known,
        written: Written | None = None,
        vocabulary: Vocabulary | None = None,
        *,
        is_text: bool = False,
        described: Mapping[str, str] | None = None,
    ) -> None:
        self.known = known
        self.written = written
        self.vocabulary = vocabulary
        self.is_text = is_text
        self.described = described
        self.steps: list[Planned] = []
        self.by_words: list[str] = []
        self.unclear: list[str] = []
        self.around = NOTHING

    def read(self, value: object) -> None:
        if isinstance(value, Step | Constraint | Unparsed):
            self._own([value])
        elif isinstance(value, Sequence) and not isinstance(value, str) and any(isinstance(e, Step) for e in value):
            for each in value:
                self.read(each)
        else:
            self._pieces(pieces(value, _Known(self.known)))

    def _own(self, tokens: Sequence[Step | Constraint | Unparsed]) -> None:
        self._add(planned_tokens(Plan(parts=tuple(tokens))))

    def _pieces(self, found: Sequence[Piece]) -> None:
        """Add the steps of the items of a plan; dependencies between items hold between their steps."""
        places: list[range] = []
        for piece in found:
            first = len(self.steps)
            self._add(self._steps(piece), piece.batch)
            if piece.after is not None:
                before = tuple(index for place in piece.after for index in places[place])
                for index in range(first, len(self.steps)):
                    own = before if index == first else (index - 1,)
                    self.steps[index] = replace(self.steps[index], after=own)
            places.append(range(first, len(self.steps)))

    def _add(self, steps: Sequence[Planned], batch: int | None = None) -> None:
        for step in steps:
            own = step.batch if batch is None else batch
            is_placed = step.index == len(self.steps) and step.batch == own
            self.steps.append(step if is_placed else replace(step, index=len(self.steps), batch=own))

    def _steps(self, piece: Piece) -> Sequence[Planned]:
        if piece.call is not None:
            index = len(self.steps)
            return (Planned(index=index, name=piece.call.name, arguments=piece.call.arguments, batch=piece.batch),)
        text = piece.text or ""
        if piece.unread:
            return (_unreadable(text),)
        return tuple(self._text(text)) if piece.is_whole else self._item(text)

    def _text(self, text: str) -> Iterator[Planned]:
        """Yield the steps of a text that is a plan: JSON, a numbered list, commas, or a line a step."""
        value = whole_value(text)
        if value is not None and not isinstance(value, str):
            inner = PlanReader(
                self.known, self.written, self.vocabulary, is_text=self.is_text, described=self.described
            )
            inner.read(value)
            self.by_words += inner.by_words
            self.unclear += inner.unclear
            self.around += inner.around
            yield from inner.steps
            return
        items = list_items(text, headed=False)
        if not items:
            commas = read_commas(text)
            if commas is not None and len(commas.tokens) > 1 and all(_is_short(token) for token in commas.tokens):
                yield from planned_tokens(commas)
                return
            items = [line.strip().lstrip("-*•+").strip() for line in text.splitlines() if not is_remark(line)]
        for item in items:
            yield from self._item(item)

    def _item(self, text: str) -> Sequence[Planned]:
        own = self.written.steps(text) if self.written is not None else ()
        if own:
            return own
        if is_closing(text) and folded(text.strip(" \t*_.!")) not in self.known:
            return ()
        found = read_item(text, self.known)
        if found:
            first = len(self.steps)
            self.around += around_item(text)
            return [Planned(index=first + n, name=name, arguments=given) for n, (name, given) in enumerate(found)]
        return (self._in_words(text) or self._in_text(text)) if text.strip() else ()

    def _in_words(self, text: str) -> Sequence[Planned]:
        """Return the step of the tool that the words of an item mean, where they leave none other open."""
        found = None if self.described is None else meant(text, self.known, self.described)
        if found is None:
            return ()
        said = " ".join(text.split())
        if not found.is_clear:
            self.unclear.append(f"{said!r} may mean {' or '.join(found.tools)}")
            return ()
        self.by_words.append(f"{said!r} is taken for {found.tools[0]}, by its words")
        self.around += around_item(text)
        return (Planned(index=0, name=found.tools[0]),)

    def _in_text(self, text: str) -> Sequence[Planned]:
        """Return the steps of an item that names no known tool: as a plan text, where words are no steps."""
        if self.is_text:
            plan = tokenize(text, self.vocabulary)
            is_words = plan.dialect in (Dialect.WORDS, Dialect.SETS) and self._is_of_words(plan)
            if plan.tokens and not plan.is_unreadable and not is_words:
                self.around += around_steps(plan)
                return planned_tokens(plan)
        return (_unreadable(text),)

    def _is_of_words(self, plan: Plan) -> bool:
        """Return whether the steps of an item are words of which none names a tool that is known."""
        names = [folded(step.name) for step in plan.steps if step.args and step.written is None]
        return bool(self.known) and bool(names) and self.known.keys().isdisjoint(names)


def _is_short(token: object) -> bool:
    """Return whether a step of a line of commas is a call or a name, and no words."""
    return isinstance(token, Step) and (not token.args or token.written is not None)


def _unreadable(text: str) -> Planned:
    token = Unparsed(text=" ".join(text.split()), reason="it names no tool")
    return Planned(index=0, name=token.text, token=token, is_readable=False)


# --- plan texts as steps to be compared -----------------------------------------------------------


def planned_tokens(plan: Plan) -> list[Planned]:
    """Return the tokens of a plan text as steps to be compared; what is no step is kept as unreadable."""
    steps: list[Planned] = []
    times: dict[object, int] = {}
    for index, token in enumerate(plan.tokens):
        if not isinstance(token, Step):
            steps.append(Planned(index=index, name=str(token), token=token, is_readable=False))
            continue
        key = token.concurrent if token.concurrent is not None else token.time
        batch = None if key is None else times.setdefault(key, len(times))
        arguments = _arguments(token, plan.dialect)
        steps.append(Planned(index=index, name=token.name, arguments=arguments, batch=batch, token=token))
    return steps


_NAMES_ONLY = frozenset((Dialect.WORDS, Dialect.SETS, Dialect.JSON))
"""dialects in which a lone name says nothing of its arguments; ``f()`` and ``(f)`` say that there are none"""


def _arguments(step: Step, dialect: Dialect) -> Arguments | None:
    if step.written is not None:
        return step.written
    if not step.args and dialect in _NAMES_ONLY:
        return None
    return tuple(Argument(None, arg) for arg in step.args)
