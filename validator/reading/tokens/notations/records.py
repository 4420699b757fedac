"""Steps out of values: lists of them in JSON, Python's literals and tables, in any wrapping.

What a step looks like as a value is said in ``validator.reading.calls``: ``{"name": ..., "arguments": ...}`` under any
of the usual keys, ``["stack", "a", "b"]``, ``{"stack": ["a", "b"]}``, or a text that is a step by itself.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from validator.reading.arguments import Argument
from validator.reading.calls.objects import PLAN_ARGUMENTS, CallRequest, spelled, step_of
from validator.reading.calls.plans import ARGUMENT, INSIDE, NUMBERED, Piece, dependencies, pieces
from validator.reading.calls.written import read_call
from validator.reading.plan import Dialect, Plan, Span, Step, Token, Unparsed
from validator.reading.tokens.asides import blanked, line_ended
from validator.reading.tokens.candidates import bare_steps
from validator.reading.tokens.notations.lines import read_lines
from validator.reading.tokens.notations.tables import (
    disorder,
    further_steps,
    mappings,
    may_go_on,
    may_tell,
    open_to,
    rows_of_table,
    times_of,
    usual,
    was_not_done,
)
from validator.reading.tokens.transcripts import transcript
from validator.reading.tokens.vocabulary import Vocabulary
from validator.reading.understood import overlap, overlaps
from validator.reading.values import Value, is_argument, json_values
from validator.records import dataclass, replace

_LIST_KEYS = re.compile(r"final|plan|actions|steps|solution|answer|sequence|calls", re.IGNORECASE)
_PLANS = re.compile(r"(?:\w*_)?(?:plans|solutions|alternatives|candidates)")
"""keys of lists of plans, as planners write them which look for several"""
_COLUMNS = ("action", "actions", "action taken", "command", "operator", "instruction", "move", "step", "plan")
"""names of the columns of a table in which steps stand"""
CUT_OFF = "the text ends inside of it, so that steps may be lacking"
_FORMAL = re.compile(r"\s*(?:\([^()]+\)|[\w-]+\([^()]*\))\s*")
_COMMAS = re.compile(r"\s*[,;]\s*")
_WORDS = re.compile(r"[\s,;]+")
_NAME = re.compile(r"[\w-]+")
_LONE = frozenset((Dialect.WORDS, Dialect.SETS))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Actions:
    """The actions of a model as tools."""

    vocabulary: Vocabulary

    def is_tool(self, name: str) -> bool:
        return self.vocabulary.action_of(name) is not None

    def parameters_of(self, name: str) -> Collection[str]:
        return self.vocabulary.parameters.get(self.vocabulary.action_of(name) or "", ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A list of steps: its tokens in order, the span that it takes, under which keys it stands."""

    tokens: tuple[Token, ...]
    span: Span
    key: str = ""
    path: tuple[str, ...] = ()

    @property
    def steps(self) -> int:
        return sum(isinstance(token, Step) for token in self.tokens)


def found_steps(text: str, vocabulary: Vocabulary) -> list[Found]:
    """Return the lists of steps in the values of a text, in order; each names at least one action of the model.

    Where no model says which names are actions, a call is the step, and not what it is given.
    """
    found = [one for one in _found(text, vocabulary) if one.steps]
    if vocabulary.actions:
        found = [one for one in found if _is_known(one, vocabulary)]
    else:
        found = [one for one in found if not is_argument(text, one.span[0])]
    if found and may_go_on(text):
        further = tuple(_further(text, found, vocabulary))
        found = [replace(one, tokens=_among(one.tokens, further)) for one in found]
    if not found or not may_tell(text):
        return found
    every, named = [inner for row in _records(text) for inner in mappings(row)], vocabulary.parameter_names
    spans = [token.span for one in found for token in one.tokens]
    most = usual([row for row in every if any(overlap(row.span, span) for span in spans)])
    opens = [(inner.span, key) for inner in every if (key := open_to(inner, named, most))]
    return [replace(one, tokens=_just_once(one.tokens, opens)) for one in found]


def _records(text: str) -> list[Value]:
    """Return the values of a text, and the rows of its tables."""
    return [*json_values(text), *(row for table in rows_of_table(text) for row in table)]


def failed_records(text: str, vocabulary: Vocabulary) -> list[Span]:
    """Return where the records of a text stand that say that their step was not done."""
    every = (inner for row in _records(text) for inner in mappings(row)) if may_tell(text) else ()
    return [inner.span for inner in every if was_not_done(inner, vocabulary.parameter_names)]


def _among(tokens: tuple[Token, ...], further: tuple[Unparsed, ...]) -> tuple[Token, ...]:
    """Return tokens with others at their places, or behind them where they are not in the order of the text."""
    both = (*tokens, *further)
    is_ordered = all(one.span <= other.span for one, other in pairwise(tokens))
    return tuple(sorted(both, key=lambda token: token.span)) if is_ordered else both


def _further(text: str, lists: Sequence[Found], vocabulary: Vocabulary) -> Iterator[Unparsed]:
    """Yield the values, of objects that are steps, hold them or stand beside them, that may tell a further step."""
    told = sorted(token.span for one in lists for token in one.tokens)
    for value in json_values(text):
        for row in mappings(value):
            start, end = row.span
            held = told[bisect_left(told, (start, 0)) : bisect_left(told, (end, 0))]
            is_step = held == [row.span]
            keyed = further_steps(row, vocabulary.parameter_names, is_step=is_step) if held or row is value else ()
            for name, inner in keyed:
                if is_step or not overlaps(inner.span, told):
                    reason = f"'{name}' may tell a further step"
                    yield Unparsed.at(text, inner.span, reason, is_of_structure=True)


def _timed(tokens: tuple[Token, ...], value: Value, vocabulary: Vocabulary) -> tuple[Token, ...]:
    """Return steps with the times that the objects which they are, or stand in, give them."""
    if not vocabulary.has_time:
        return tokens
    given = [(inner.span, times_of(inner, vocabulary.objects)) for inner in mappings(value)]
    return tuple(_at(token, given) if isinstance(token, Step) and token.time is None else token for token in tokens)


def _just_once(tokens: tuple[Token, ...], opens: Sequence[tuple[Span, str]]) -> tuple[Token, ...]:
    """Return tokens, of which a step is not understood where a key of its object leaves open how often it is done."""
    found = list(tokens)
    for (start, end), key in opens:
        own = [place for place, token in enumerate(tokens) if start <= token.span[0] and token.span[1] <= end]
        if len(own) == 1 and isinstance(tokens[own[0]], Step):
            token = tokens[own[0]]
            reason = f"'{key}' may say that it is not done, is done several times, or under a condition"
            found[own[0]] = Unparsed(text=str(token), reason=reason, is_of_structure=True, span=token.span)
    return tuple(found)


def _at(step: Step, given: Sequence[tuple[Span, tuple[Fraction | None, Fraction | None, str]]]) -> Token:
    """Return a step with the times that the innermost object with its start, and those in that one, say of it."""
    first, last = step.span
    near = [(span, times) for span, times in given if span[0] < last and first < span[1]]
    begins = [span for span, (time, *_) in near if time is not None and span[0] <= first and last <= span[1]]
    if not begins:
        return step
    said = [times for span, times in near if begins[-1][0] <= span[0] and span[1] <= begins[-1][1]]
    stated = {step.duration, *(duration for _, duration, _ in said)} - {None}
    unread = "" if step.duration is not None else next((key for *_, key in said if key), "")
    if unread or len(stated) > 1:
        reason = f"'{unread or 'duration'}' may say how long it takes, and was not understood"
        return Unparsed(text=str(step), reason=reason, span=step.span)
    return replace(step, time=said[0][0], duration=next(iter(stated), None))


def _is_known(found: Found, vocabulary: Vocabulary) -> bool:
    return any(isinstance(token, Step) and token.name.lower() in vocabulary.actions for token in found.tokens)


def _found(text: str, vocabulary: Vocabulary) -> list[Found]:
    """Return the lists of steps in the notation that tells most steps of a text; of several the first."""
    readings = [list(read(text, vocabulary)) for read in (_of_json, _of_tables)]
    return max(readings, key=lambda lists: sum(one.steps for one in lists))


def _of_json(text: str, vocabulary: Vocabulary) -> list[Found]:
    values = list(json_values(text))
    lists = [one for value in values for one in _lists(value, vocabulary)]
    if found := [one for one in lists if one.key != "single"]:
        return found
    found = _by_path(sorted([*lists, *_broken(text, values)], key=lambda one: one.span)) if lists else []
    why = disorder(values) or _refusal(text, values, vocabulary)
    return [_in_order(one, why) for one in found]


_KEYED = re.compile(r"""["'][\w -]{1,40}["']\s*+:\s*+["'\w-]""")
"""a key with a value that is no list and no mapping"""


def _broken(text: str, values: Sequence[Value]) -> Iterator[Found]:
    """Yield what stands before, between and behind values that stand one by one, and may be a record that is broken."""
    *_, last = json_values(text, may_be_cut=True)
    if last.is_cut:
        start, _ = last.span
        cut = Unparsed(text=text[start], reason=CUT_OFF, is_of_structure=True, span=(start, start + 1))
        yield Found(tokens=(cut,), span=last.span)
    bounds = [(0, 0), *(value.span for value in values), (len(text), len(text))]
    for (_, start), (end, _) in pairwise(bounds):
        if (key := _KEYED.search(text, start, end)) is not None and not (last.is_cut and end == len(text)):
            unread = Unparsed(text=key[0], reason="a whole record was expected", span=key.span())
            yield Found(tokens=(unread,), span=key.span())


def _refusal(text: str, values: Sequence[Value], vocabulary: Vocabulary) -> str:
    """Return why one of the calls in some values may not count: a value that names no action says so."""
    for value in values:
        is_call = any(map(vocabulary.written, _NAME.findall(text, *value.span)))
        if not is_call and any(was_not_done(inner, vocabulary.parameter_names) for inner in mappings(value)):
            return "an answer beside its items says that one failed"
    return ""


def _of_tables(text: str, vocabulary: Vocabulary) -> Iterator[Found]:
    for every in rows_of_table(text):
        table = [row for row in every if not was_not_done(row, vocabulary.parameter_names)]
        heads = {spelled(name) for row in table[:1] for name, _ in row.pairs()}
        if (
            any(head in PLAN_ARGUMENTS or ARGUMENT.fullmatch(head) for head in heads)
            or heads & vocabulary.parameter_names
        ):
            told = [_record(row, vocabulary) or (_unread(row, text, has_columns=True),) for row in table]
            yield from _of_rows(table, told)
        else:
            yield from _of_column(table, vocabulary, text)


def _of_column(table: Sequence[Value], vocabulary: Vocabulary, text: str) -> Iterator[Found]:
    """Yield the steps that stand whole in one column of a table, by its name; nothing where most cells are none."""
    for name in _COLUMNS:
        cells = [(row, cell) for row in table for key, cell in row.pairs() if key == name and cell.text.strip()]
        read = [
            _timed(tuple(_tokens(cell, vocabulary)), row, vocabulary) or (_unread(row, text),) for row, cell in cells
        ]
        if 2 * sum(any(isinstance(token, Step) for token in tokens) for tokens in read) > len(read):
            yield from _of_rows(table, read)
            return


def _of_rows(rows: Sequence[Value], read: Sequence[tuple[Token, ...]]) -> Iterator[Found]:
    """Yield the steps of rows; the first one is not understood where they count themselves in another order."""
    tokens = tuple(token for each in read for token in each)
    if any(isinstance(token, Step) for token in tokens):
        found = Found(tokens=tokens, span=(rows[0].span[0], rows[-1].span[1]))
        is_timed = any(isinstance(token, Step) and token.time is not None for token in tokens)
        yield _in_order(found, disorder(rows, by_time=not is_timed))


def _by_path(singles: Sequence[Found]) -> list[Found]:
    """Put records together that stand one by one; those of several lists apart, as plans of several levels."""
    groups: dict[tuple[str, ...], list[Found]] = {}
    for one in singles:
        groups.setdefault(one.path, []).append(one)
    is_one = all(len(group) == 1 for group in groups.values())
    is_one = is_one or any(not one.steps for one in singles)  # where one was not understood, nothing stands apart
    return [joined(singles)] if is_one else [joined(group) for group in groups.values()]


def joined(singles: Sequence[Found]) -> Found:
    """Put lists or records that stand one by one, as in JSON a line, together; they are in the order of the text."""
    tokens = tuple(token for one in singles for token in one.tokens)
    return Found(tokens=tokens, span=(singles[0].span[0], singles[-1].span[1]))


def _unread(row: Value, text: str, *, has_columns: bool = False) -> Unparsed:
    reason = "a row with an action and its arguments was expected"
    return Unparsed.at(text, row.span, reason, is_of_structure=has_columns)


def _lists(value: Value, vocabulary: Vocabulary, key: str = "", path: tuple[str, ...] = ()) -> list[Found]:
    """Return the lists of steps in a value, the whole of it or some part; ``path`` are the keys around it."""
    if (counted := _counted(value)) is not None:
        numbers, listed = counted
        lists = _lists(listed, vocabulary, key, path)
        why = "" if numbers == sorted(numbers) else "the numbers of its items are not in order"
        return [_in_order(one, why) for one in lists]
    if len(value.items()) > 1 and _PLANS.fullmatch(key):
        several = [_lists(item, vocabulary, "plan") for item in value.items()]
        if all(several):
            return [one for found in several for one in found]
    if (own := _as_list(value, vocabulary, key)) is not None:
        return [own]
    found: list[Found] = []
    if value.kind == "mapping":
        single = _record(value, vocabulary)
        one = Found(tokens=single, span=value.span, key="single", path=path)
        if single and (not vocabulary.actions or _is_known(one, vocabulary)):
            return [one]
        for name, inner in value.pairs():
            below = _of_lines(inner, vocabulary, name.lower())
            below = below or _lists(inner, vocabulary, name.lower(), (*path, name.lower()))
            found += (_done_by(one, name, vocabulary) for one in below)
        if single and not any(_is_known(each, vocabulary) for each in found):
            return [one]
        if not found and not single and _names_action(value, vocabulary):
            unread = tuple(token for token in _tokens(value, vocabulary) if isinstance(token, Unparsed))
            return [replace(one, tokens=unread)] if unread else []
    for inner in value.items():
        found += _lists(inner, vocabulary, key, path)
    return found


def _counted(value: Value) -> tuple[list[int], Value] | None:
    """Return the numbers and the items of ``{1: ..., 2: ...}``, ``{"step 1": ...}``, ``[(1, ...), (2, ...)]``."""
    pairs: Sequence[tuple[str, Value]] = value.pairs()
    if not pairs and all(len(item.items()) == 2 and not item.items()[1].is_bare for item in value.items()):
        pairs = [(item.items()[0].text, item.items()[1]) for item in value.items()]
    numbers = [match for name, _ in pairs if (match := NUMBERED.fullmatch(name)) is not None]
    if len(pairs) < 2 or len(numbers) < len(pairs):
        return None
    return [int(match[1]) for match in numbers], Value(tuple(inner for _, inner in pairs), "list", value.span)


def _in_order(found: Found, why_not: str) -> Found:
    """Return a list of steps, whose first one is not understood where it is not known in which order they are meant."""
    first, *others = found.tokens
    unread = Unparsed(text=str(first), reason=why_not, is_of_structure=True, span=first.span)
    return replace(found, tokens=(unread, *others)) if why_not else found


def _done_by(found: Found, name: str, vocabulary: Vocabulary) -> Found:
    """Return a list of steps under a key, which may be an object that they lack: ``{"r1": ["go a"]}``."""
    is_open = name.lower() in vocabulary.objects and any(
        isinstance(token, Step) and len(token.args) < vocabulary.actions.get(token.name.lower(), 0)
        for token in found.tokens
    )
    if not is_open:
        return found
    first, *others = found.tokens
    reason = f"the key '{name}' may be an argument of it"
    return replace(found, tokens=(Unparsed(text=str(first), reason=reason, span=first.span), *others))


def _of_lines(value: Value, vocabulary: Vocabulary, key: str) -> list[Found]:
    """Return the plan that is one text of several lines: ``{"plan": "1. stack a b\\n2. ..."}``."""
    if not any(end in value.text for end in ("\n", "\\n", ";")) or not _LIST_KEYS.search(key):
        return []
    tokens = tuple(_tokens(value, vocabulary))
    return [Found(tokens=tokens, span=value.span, key=key)] if any(isinstance(one, Step) for one in tokens) else []


def _record(value: Value, vocabulary: Vocabulary) -> tuple[Token, ...]:
    """Return the step that an object is by itself; nothing for one that holds a list of them, or none."""
    if any(spelled(name) in INSIDE and inner.kind != "text" for name, inner in value.pairs()):
        return ()
    tokens = tuple(_tokens(value, vocabulary))
    return tokens if len(tokens) == 1 and isinstance(tokens[0], Step) else ()


def _as_list(value: Value, vocabulary: Vocabulary, key: str) -> Found | None:
    items = value.items()
    if not items:
        return None
    are_texts = all(item.kind == "text" for item in items)
    if are_texts and not vocabulary.actions and not all(_FORMAL.fullmatch(item.text) for item in items):
        return None
    tokens = tuple(_tokens(value, vocabulary))
    read = sum(isinstance(token, Step) for token in tokens)
    are_turns = are_texts and read < len(tokens) and any("\n" in item.text for item in items)
    if not read or are_turns:
        return None
    found = Found(tokens=tokens, span=value.span, key=key)
    is_known = not vocabulary.actions or _is_known(found, vocabulary)  # or what is inside of it may be
    named = sum(_names_action(item, vocabulary) for item in items) if 2 * read < len(tokens) else read
    return found if is_known and 2 * max(read, named) >= len(tokens) else None


def _names_action(item: Value, vocabulary: Vocabulary) -> bool:
    """Return whether a record says which action of the model it is, so that it is a step, understood or not."""
    return any(inner.kind == "text" and vocabulary.written(inner.text) is not None for _, inner in item.pairs())


def _tokens(value: Value, vocabulary: Vocabulary) -> Iterator[Token]:
    """Yield the steps of a value, and what in it is none."""
    if (why := disorder(value.items(), by_time=not vocabulary.has_time)) and dependencies(value.plain) is None:
        start, _ = value.span
        sign = "[" if value.kind == "list" else ""
        yield Unparsed(text=sign, reason=why, is_of_structure=True, span=(start, start + 1))
    found = pieces(value.plain, _Actions(vocabulary=vocabulary))
    failed = [inner.span for inner in mappings(value) if was_not_done(inner, vocabulary.parameter_names)]
    done = (one for one in found if not any(overlap(one.span, span) for span in failed))
    yield from _timed(tuple(token for piece in done for token in _of_piece(piece, vocabulary)), value, vocabulary)


def _of_piece(piece: Piece, vocabulary: Vocabulary) -> Iterator[Token]:
    if piece.call is not None:
        step = step_of_call(piece.call, vocabulary, piece.span)
        yield replace(step, concurrent=piece.batch) if isinstance(step, Step) and piece.batch is not None else step
        return
    text = piece.text or ""
    told = bare_steps(_spoken(line_ended(text)), vocabulary)
    plan = None if piece.unread else read_lines(told, vocabulary, None)
    if plan is not None and piece.batch is not None and len(plan.steps) > 1:
        reason = "it is several steps, one after the other, among those that happen at once"
        yield Unparsed(text=text, reason=reason, span=piece.span)
    elif plan is not None and plan.tokens and not plan.is_unreadable:
        yield from _of_text(plan, piece)
    elif text.strip():
        missed = next((one for one in plan.tokens if isinstance(one, Unparsed)), None) if plan is not None else None
        unread = missed or Unparsed(text=text, reason="a step with a name and arguments was expected", span=piece.span)
        yield replace(unread, text=text, span=piece.span)


def _spoken(text: str) -> str:
    """Return a text with blanks for all but the commands, where an agent and its world speak in it."""
    talk = transcript(text) if "\n" in text else None
    return text if talk is None or talk.is_wire else blanked(text, list(talk.hidden))


def _of_text(plan: Plan, piece: Piece) -> Iterator[Token]:
    """Yield the tokens of a text among the values: at its place, where each has its own in it if there are several."""
    start, end = piece.span
    is_whole = end - start - 2 == len(plan.text)  # nothing in the quotes is escaped
    for token in plan.tokens:
        own = (start + 1 + token.span[0], start + 1 + token.span[1]) if is_whole else piece.span
        span = own if len(plan.tokens) > 1 else piece.span
        if not isinstance(token, Step):
            yield replace(token, span=span)
            continue
        together = token.concurrent if piece.batch is None else piece.batch
        written = () if token.written is None and not token.args and plan.dialect not in _LONE else token.written
        yield replace(token, span=span, concurrent=together, written=written)


def step_of_call(call: CallRequest, vocabulary: Vocabulary, span: Span) -> Token:
    """Return the step that a call is, of a model's action with several objects in one text too."""
    return step_of(call.name, _split_words(call, vocabulary), vocabulary, span)


def _split_words(call: CallRequest, vocabulary: Vocabulary) -> tuple[Argument, ...] | None:
    """Return the arguments of a call: one text may hold several, ``"x=a, y=b"``, or objects of a model, ``"a, b"``."""
    arguments = call.arguments
    if arguments is not None and len(arguments) == 1 and arguments[0].name is None and "=" in arguments[0].text:
        read = read_call(f"f({arguments[0].text})")
        if read is not None and read[1] and all(each.name for each in read[1]):
            return read[1]
    if not vocabulary.actions or arguments is None or len(arguments) != 1 or arguments[0].name is not None:
        return arguments
    text, wanted = arguments[0].text.strip("()"), vocabulary.actions.get(vocabulary.action_of(call.name) or "")
    names = [name for name in _COMMAS.split(text) if name]  # which may be of several words: "green bowl, red plate"
    names = names if len(names) == wanted else [word for word in _WORDS.split(text) if word]
    return tuple(Argument(None, name, arguments[0].is_string) for name in names) if len(names) > 1 else arguments
