"""The rows of tables as values; and what a row says of its step: when it is done, whether it failed, its order.

What rows mean as steps is said in ``validator.reading.tokens.notations.records``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from fractions import Fraction

from validator.reading.calls.objects import (
    DECIMAL,
    ERRORS,
    FALSE,
    FURTHER,
    NOTHING,
    PLAN_NAMES,
    RESULTS,
    STATUSES,
    failure,
    spelled,
)
from validator.reading.tokens.phrases import has_failed, refuses
from validator.reading.values import Value

_RULE = re.compile(r"[\s|:-]++")


def rows_of_table(text: str) -> Iterator[tuple[Value, ...]]:
    """Yield the tables of a text (Markdown), each as its rows: mappings from the words of its head to its cells."""
    if "|" not in text or "--" not in text:
        return
    head: list[str] = []
    rows: list[Value] = []
    place, before = 0, ""
    for line in (*text.split("\n"), ""):
        if "|" not in line:
            if rows:
                yield tuple(rows)
            head, rows = [], []
        elif "--" in line and _RULE.fullmatch(line):
            head = [cell.text.lower() for cell in _cells(before, 0)]
        elif head:
            pairs = tuple(zip(head, _cells(line, place), strict=False))
            rows.append(Value(pairs, "mapping", (place, place + len(line))))
        before = line
        place += len(line) + 1


def _cells(line: str, place: int) -> Iterator[Value]:
    """Yield the cells of a line, which begins at a place of its text."""
    inside = line.strip().strip("|")
    place += line.index(inside)
    for written in inside.split("|"):
        said = written.strip(" *`\t")
        start = place + written.index(said)
        yield Value(said, "text", (start, start + len(said)))
        place += len(written) + 1


# --- what a row says of its step ------------------------------------------------------------------

_TIMES = ("time", "start_time", "dispatch_time", "start", "begin", "at", "t")
_ENDS = ("end", "end_time", "finish", "finish_time", "stop", "stop_time", "until")
_DURATIONS = ("duration", "dur", "length")
_NUMBER = re.compile(rf"\s*+({DECIMAL.pattern})\s*+s?\s*+")
_MEASURE = re.compile(r"\s*+\d[\d.,:]*+\s*+[a-z]*+\.?\s*+", re.IGNORECASE)
_SECONDS = re.compile(r"[_(\[]++s(?:ec(?:ond)?s?)?[)\]]*+$")
"""the unit that a key tells"""
_RUNS = (
    *("plan_id", "run", "run_id", "trace_id", "episode", "episode_id"),
    *("trial", "case_id", "problem_id", "instance_id"),
)
"""columns and keys that say of which plan a row is a step"""
_COUNTS = ("step", "order", "index", "idx", "number", "no", "no.", "#", "n", "id", "step_id", "step_number", "seq")
_MOMENTS = (*_TIMES, "timestamp", "date", "datetime", "start_at", "starts_at", "scheduled_at", "scheduled_time")
_MOMENT = re.compile(r"\s*\d{1,4}(?:[-:./T ]+\d{1,9}){1,7}\s*(?:Z|[ap]\.?m\.?)?\s*", re.IGNORECASE)
"""a date or a time of the day, of which the numbers tell the order"""
_LEFT_OUT = (
    *("skip", "skipped", "disabled", "failed", "cancelled", "canceled", "removed", "deleted", "excluded", "discarded"),
    "rejected",
)
_TIMES_OVER = (
    *("repeat", "repeats", "repeated", "repetition", "repetitions", "times", "n_times", "num_times", "count"),
    *("iterations", "loop", "loops"),
)
_DEPENDING = (
    *("optional", "is_optional", "conditional", "condition", "if", "when", "unless", "only_if", "while", "for_each"),
    *("foreach", "repeat_until", "tentative", "maybe"),
)
_DOING = frozenset(
    "ok okay success succeeded successful successfully done complete completed finished executed applied passed pass "  # noqa: SIM905
    "valid possible true yes pending planned todo to_do ready queued scheduled running active in_progress new open "
    "not_started started approved accepted confirmed".split()
)
"""what the status of a step may say that is done, or is to be"""
_TRUTHS = ("true", "false", "yes", "no", *"✅✓✔☑❌✗✘✖")
_LAST = re.compile(r"goal|final|last|\bdone|end|finish|complet|success|solved")
"""of a key that may be true of the last step alone"""
_MAY_TELL = re.compile(
    "|".join((*_TIMES_OVER, *_DEPENDING, *_LEFT_OUT, *ERRORS, *STATUSES, *RESULTS, *_TRUTHS)),
    re.IGNORECASE,
)
_OTHERS = frozenset((*_TIMES, *_RUNS, *_COUNTS, "cost", "priority"))
"""columns and keys of numbers that are no durations"""


def mappings(value: Value) -> Iterator[Value]:
    """Yield the mappings in a value, the outer ones first."""
    if value.kind == "mapping":
        yield value
    for inner in (*value.items(), *(one for _, one in value.pairs())):
        yield from mappings(inner)


def _texts(row: Value) -> dict[str, str]:
    """Return the texts of a row by its keys, spelled."""
    return {_SECONDS.sub("", spelled(name)): inner.text for name, inner in row.pairs() if inner.text}


def times_of(row: Value, objects: Container[str]) -> tuple[Fraction | None, Fraction | None, str]:
    """Return when an object says that its step begins, how long it takes, and what else may say so, if anything."""
    numbers = {name: Fraction(match[1]) for name, said in _texts(row).items() if (match := _NUMBER.fullmatch(said))}
    time, end, duration = (
        next((numbers[name] for name in names if name in numbers), None) for names in (_TIMES, _ENDS, _DURATIONS)
    )
    own = {name: said for name, said in _texts(row).items() if said.strip().lower() not in NOTHING}
    unread = next((name for name in (*_ENDS, *_DURATIONS) if name in own and name not in numbers), "")
    if end is not None and (time is None or end < time or duration not in (None, end - time)):
        unread = "end"
    elif end is not None and time is not None:
        duration = end - time
    if duration is None and not unread:
        others = (name for name, said in own.items() if _MEASURE.fullmatch(said) and said.lower() not in objects)
        unread = next((name for name in others if name not in _OTHERS), "")
    return time, duration, unread


def was_not_done(row: Value, parameters: Container[str]) -> bool:
    """Return whether a record of what was done says that it failed: no change comes of that; none is a parameter."""
    texts = _texts(row).items()
    own = {key: said for key, said in texts if key not in parameters and not (key in ERRORS and said.lower() in FALSE)}
    if any(spelled(name) in ERRORS and (inner.pairs() or inner.items()) for name, inner in row.pairs()):
        return True
    is_put_aside = (
        any(own.get(key, "").lower() in ("true", "yes") for key in _LEFT_OUT) or own.get("enabled") == "false"
    )
    is_refused = any(refuses(own.get(key, "")) for key in ("status", *RESULTS))
    return is_put_aside or is_refused or failure(own) is not None


def may_tell(text: str) -> bool:
    """Return whether a text may hold a record that tells of its step whether, or how often, it is done."""
    return _MAY_TELL.search(text) is not None


def usual(rows: Sequence[Value]) -> frozenset[tuple[str, str]]:
    """Return what most of some records say, by its keys."""
    counts = Counter((spelled(name), inner.text.strip().lower()) for row in rows for name, inner in row.pairs())
    return frozenset(said for said, count in counts.items() if 2 * count > len(rows))


def open_to(row: Value, parameters: Container[str], usual: Container[tuple[str, str]]) -> str:
    """Return the key by which a record may say that its step is not done just once, or nothing; none is a parameter.

    So does what is true or false of it, or its status, where that is not so of most records, which ``usual`` is.
    """
    for name, inner in row.pairs():
        key, said = spelled(name), inner.text.strip().lower()
        is_said = bool(said) or bool(inner.items()) or bool(inner.pairs())
        if key in parameters or not is_said:
            continue
        if key in (*_LEFT_OUT, *_TIMES_OVER, *_DEPENDING, *ERRORS):
            is_open = said not in (*FALSE, *(("1", "once") if key in _TIMES_OVER else ()))
        else:
            is_told = said in _TRUTHS or (key == "status" and spelled(said) not in _DOING)
            is_told = is_told or (key not in PLAN_NAMES and has_failed(inner.text))
            is_end = said in ("true", "yes") and _LAST.search(key) is not None
            is_open = is_told and not is_end and (key, said) not in usual
        if is_open:
            return name
    return ""


_BESIDE = re.compile(
    r"(?:(?:further|remaining|additional|more|other|extra|last|final)_)?(?:steps|actions|moves)"
    r"|(?:last|final)_(?:step|action|move)|remaining|rest|step_?\d+"
)
"""such a key beside a list of steps"""
_ALL_OVER = re.compile(r"repeat\w*|loops?|reversed?|if|unless|only_if|while|for_?each")
"""a key beside a list of steps by which they may not be done once, in this order"""
_MAY_GO_ON = re.compile(
    "|".join(keys.pattern for keys in (FURTHER, _BESIDE, _ALL_OVER)).replace("_", ".?"), re.IGNORECASE
)
_LETTER = re.compile(r"[^\W\d_]")


def may_go_on(text: str) -> bool:
    """Return whether a text may hold a key that ``further_steps`` tells something of."""
    return _MAY_GO_ON.search(text) is not None


def further_steps(row: Value, parameters: Container[str], *, is_step: bool) -> Iterator[tuple[str, Value]]:
    """Yield the keys, none a parameter, with the values by which a step, or what holds or follows steps, may go on."""
    for name, inner in row.pairs():
        key, said = spelled(name), inner.text.strip().lower()
        goes_on = FURTHER.fullmatch(key) or (not is_step and _BESIDE.fullmatch(key))
        is_told = not inner.is_bare and (inner.kind != "text" or _LETTER.search(said) is not None)
        is_open = not is_step and _ALL_OVER.fullmatch(key) and said not in ("", "1", "once", *FALSE)
        if key not in parameters and ((goes_on and is_told) or is_open):
            yield name, inner


def disorder(items: Sequence[Value], *, by_time: bool = False) -> str:
    """Return why items are no sequence as they stand: their numbers, or times, say so, or they are of several runs."""
    rows = [_texts(item) for item in items if item.kind == "mapping"]
    if any(len({row.get(name) for row in rows}) > 1 for name in _RUNS):
        return "its items are of several runs"
    said = [next((match for name in _COUNTS if (match := _NUMBER.fullmatch(row.get(name, "")))), None) for row in rows]
    numbers = [Fraction(match[1]) for match in said if match is not None]
    is_counted = 1 < len(set(numbers)) == len(numbers) == len(rows)
    if is_counted and numbers != sorted(numbers):
        return "the numbers of its items are not in order"
    moments = [moment for row in rows if (moment := _moment(row)) is not None] if by_time else []
    if len(moments) < max(2, len(rows)) or len({len(each) for each in moments}) > 1:
        return ""
    if moments != sorted(moments):
        return "the times of its items are not in order"
    return "some of its items have the same time" if len(set(moments)) < len(moments) else ""


def _moment(row: Mapping[str, str]) -> tuple[Fraction, ...] | None:
    """Return the number, or those of the date and time of the day, that a row gives as its time."""
    for said in (row.get(name, "") for name in _MOMENTS):
        if (number := _NUMBER.fullmatch(said)) is not None:
            return (Fraction(number[1]),)
        if _MOMENT.fullmatch(said):
            return tuple(map(Fraction, re.findall(r"\d+", said)))
    return None
