"""Files as texts and as JSON, with one way to say what is wrong in them and where; numbers as texts.

Texts are UTF-8, with or without a byte order mark, which is left out where nothing else is asked, or UTF-16, which is
what PowerShell writes where the output of a command goes into a file: with a mark, or with a zero in every second byte.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from validator.errors import InputError, PlanError, nearest

_MOST_NAMES = 10_000
"""of a folder, among which the nearest to a missing one is looked for"""
_NO_LINE_END = re.compile(r"[^\n]")
_OF_MARKS = {
    b"\xff\xfe\0\0": "utf-32-le",
    b"\0\0\xfe\xff": "utf-32-be",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}
"""byte order mark -> codec, which leaves the mark in the text; the longer marks first"""
_NO_WINDOWS = bytes(ord("?") if byte in b"\x81\x8d\x8f\x90\x9d" else byte for byte in range(256))
"""the bytes that are no character of Windows-1252 become question marks"""
MAX_CHARACTERS = 64 * 2**20
"""of a model, of a trace, and of what an archive holds"""
MOST_LISTED = 8
"""things of one kind that a sentence tells one by one"""
_MOST_BYTES = 4 * MAX_CHARACTERS
"""that are unpacked, or read from what is no file and may have no end"""
_MOST_SILENCE, _PULSE = 30.0, 0.1
"""seconds that a pipe may be silent, and between two looks at it, when an alarm is heard"""
_MOST_BITS = 10_000
"""of a number that is written out; Python writes no more than 4300 digits"""


def read_text(path: Path, error: type[InputError] = InputError) -> str:
    """Return the text of a file, unpacked where its name ends in ``.gz``.

    Raises ``error`` for what is not UTF-8, no whole gzip file, or more than 256 MiB unpacked; OSError.
    """
    return decode(_read_bytes(path, error), str(path), error)


def read_latin(path: Path, error: type[InputError] = InputError) -> str:
    """Return the text of a file in which each byte is a character (ISO 8859-1); errors as of ``read_text``.

    Raises ``error`` for what holds zeros, which no such text does.
    """
    data = _read_bytes(path, error)
    return decode(data, str(path), error) if b"\0" in data else data.decode("latin-1")


def read_plan_text(plan: str | Path) -> str:
    """Return the text of a plan; what names no file that is there is the text itself.

    Raises PlanError as ``read_text`` does.
    """
    return read_written_plan(plan)[0]


def read_written_plan(plan: str | Path) -> tuple[str, tuple[str, ...]]:
    """Return the text of a plan as ``read_plan_text`` does, and a warning where its file is not UTF-8."""
    if isinstance(plan, str) and not is_path(plan):
        return plan, ()
    return decode_plan(_read_bytes(Path(plan), PlanError), str(plan))


def without_mark(text: str) -> str:
    """Return a text with a blank for its byte order mark, so that offsets are those in the file."""
    return f" {text[1:]}" if text.startswith("\ufeff") else text


def decode_plan(data: bytes, source: str) -> tuple[str, tuple[str, ...]]:
    """Return the bytes of a plan as a text, with its mark, so that offsets are those in the file; and a warning.

    What is not UTF-8 is read as Windows-1252, in which the names of a domain in Latin-1 (rule ``not-utf-8``) are the
    same. Raises PlanError for what is no text in either.
    """
    if _codec(data) != "utf-8":
        return decode(data, source, PlanError, keep_mark=True), ()
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError as odd:
        if b"\0" in data:
            raise PlanError(f"a text was expected, and byte {data.index(0)} is zero", source=source) from None
        line = data.count(b"\n", 0, odd.start) + 1
        column = odd.start - data.rfind(b"\n", 0, odd.start)
        told = f"{source}:{line}:{column}: the text is not UTF-8, and is read as Windows-1252"
        return data.translate(_NO_WINDOWS).decode("cp1252"), (told,)


def read_bytes(path: Path, error: type[InputError] = InputError) -> bytes:
    """Return what a file holds, or a pipe until its end.

    Raises ``error`` for a pipe into which nothing is written, and for one, or a device, that does not come to an end.
    """
    if os.name != "posix" or path.is_file() or path.is_dir():  # of a directory, reading says what is wrong
        return path.read_bytes()
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return _streamed(handle, str(path), error)
    finally:
        os.close(handle)


def _streamed(handle: int, source: str, error: type[InputError]) -> bytes:
    """Read a pipe or a device to its end; look at it in turns, as a read that waits hears no alarm."""
    from select import select

    found, heard = bytearray(), time.monotonic()
    while len(found) <= _MOST_BYTES:
        is_ready = bool(select([handle], [], [], _PULSE)[0])
        try:
            piece = os.read(handle, 2**20) if is_ready else None
        except BlockingIOError:
            piece = None
        if piece:
            found += piece
            heard = time.monotonic()
        elif piece == b"" and (found or not stat.S_ISFIFO(os.fstat(handle).st_mode)):
            return bytes(found)
        elif time.monotonic() - heard > _MOST_SILENCE:
            raise error(f"nothing was written into it for {_MOST_SILENCE:g} seconds", source=source)
        else:
            time.sleep(_PULSE if piece == b"" else 0)  # a pipe that nobody writes into yet is at its end at once
    raise error(f"it has more than {_MOST_BYTES:,} bytes, the most that is read from a pipe or a device", source=source)


def _read_bytes(path: Path, error: type[InputError]) -> bytes:
    if path.suffix != ".gz":
        return read_bytes(path, error)
    import gzip
    import zlib

    try:
        with gzip.open(path) as packed:
            found = packed.read(_MOST_BYTES + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as broken:
        raise error(f"not a whole gzip file: {broken}", source=str(path)) from None
    if len(found) > _MOST_BYTES:
        raise error(f"it unpacks to more than {_MOST_BYTES:,} bytes", source=str(path))
    return found


def is_path(source: str) -> bool:
    """Return whether a text is the path of a file that is there, whatever characters it has.

    One with a line end is never looked for: a line end keeps what a client wrote a text.
    """
    may_be_path = "\n" not in source and bool(source.strip())
    return may_be_path and os.path.isfile(source)  # noqa: PTH113 -- pathlib takes long texts apart first


def refuse_missing(text: str) -> None:
    """Raise FileNotFoundError for a text that looks like the name of a file; none is there, or it would be read."""
    if re.fullmatch(r"[^\s(){}<>\[\]]*(?:/[^\s(){}<>\[\]]*|\.[A-Za-z]\w{0,7})", text) is None:
        return
    raise FileNotFoundError(errno.ENOENT, f"No such file or directory{file_meant(Path(text))}", text)


def file_meant(missing: Path) -> str:
    """Return `` (did you mean 'x.pddl'?)`` for a file of the same folder: names are compared without their endings."""
    if not missing.parent.is_dir():
        return ""
    with os.scandir(missing.parent) as entries:
        names = sorted((entry.name for entry in islice(entries, _MOST_NAMES)), key=lambda x: x.endswith(missing.suffix))
    stems = {Path(name).stem: name for name in names}
    near = missing.stem if missing.stem in stems else nearest(missing.stem, stems)
    return "" if near is None else f" (did you mean '{stems[near]}'?)"


def no_path(text: str) -> str:
    """Return a text that is never taken for a path: one with a line end."""
    return text if "\n" in text or not text.strip() else f"{text}\n"


def decode(data: bytes, source: str, error: type[InputError] = InputError, *, keep_mark: bool = False) -> str:
    """Return bytes as a text; ``source`` names them in the ``error`` for what is not what its mark says."""
    codec = _codec(data)
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as found:
        place = f"byte {found.start} is {data[found.start]:#04x}"
        raise error(f"not {codec[:6].upper()} text: {place}", source=source) from None
    return text if keep_mark else text.removeprefix("\ufeff")


def _codec(data: bytes) -> str:
    """Return what a text is written in, by its mark or else by its zeros.

    UTF-32 has two in each four bytes, UTF-16 one in each pair, of which a fourth is enough, since comments in other
    scripts have none.
    """
    for mark, codec in _OF_MARKS.items():
        if data.startswith(mark):
            return codec
    if b"\0" not in data or len(data) % 2:
        return "utf-8"
    if len(data) % 4 == 0:
        zeros = [4 * data[place::4].count(0) == len(data) for place in range(4)]
        if all(zeros[2:]) or all(zeros[:2]):
            return "utf-32-le" if all(zeros[2:]) else "utf-32-be"
    first, second = data[::2].count(0), data[1::2].count(0)
    if 8 * max(first, second) < len(data) or 4 * min(first, second) > max(first, second):
        return "utf-8"
    return "utf-16-le" if second > first else "utf-16-be"


def read_json(path: Path) -> Any:
    """Return what a JSON file holds. Raises InputError with the place of what is not JSON, OSError."""
    return parse_json(read_text(path), str(path))


def parse_json(text: str, source: str = "", error: type[InputError] = InputError) -> Any:
    """Return the value of a JSON text. Raises ``error`` with the place of what is not JSON."""
    return _value(text, text, 0, source, error)


def json_lines(text: str, source: str = "") -> Iterator[tuple[int, Any]]:
    """Yield the line number, from 1, and the value of each line that is not blank. Raises InputError with the place.

    Only a line feed ends a line: JSON texts may hold the other characters that ``str.splitlines`` cuts at.
    """
    start = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, _value(line, text, start, source, InputError)
        start += len(line) + 1


def _value(part: str, text: str, start: int, source: str, error: type[InputError]) -> Any:
    """Return the value of the part of a text that begins at ``start``."""
    import json  # which few runs need, and which takes a while

    try:
        return json.loads(part)
    except json.JSONDecodeError as found:
        raise error(f"not JSON: {found.msg}", source=source, text=text, offset=start + found.pos) from None
    except ValueError as found:  # a number with too many digits
        said = str(found).partition(";")[0]  # what follows is how to lift the limit in Python
        raise error(f"not JSON: {said}", source=source, text=text, offset=start) from None
    except RecursionError:
        raise error("not JSON: nested too deeply", source=source, text=text, offset=start) from None


def counted(number: int, one: str, many: str = "") -> str:
    """Return how many there are of something, with the words for one or for several: by default, with an s."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def listed(texts: Sequence[str]) -> str:
    """Return texts one after the other: the first few, and how many more there are."""
    more = f", and {len(texts) - MOST_LISTED} more" if len(texts) > MOST_LISTED else ""
    return ", ".join(texts[:MOST_LISTED]) + more


def shortened(text: str, most: int = 80) -> str:
    """Return a text of at most ``most`` characters: a longer one ends with a sign that it goes on."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def straight(text: str) -> str:
    """Return a text of the same length with plain double quotes in place of curved ones."""
    return text.translate({0x201C: '"', 0x201D: '"'})


def line_around(text: str, span: tuple[int, int]) -> tuple[str, str]:
    """Return what stands on the line of a place before it, and what stands there behind it."""
    start, end = span
    last = text.find("\n", end)
    return text[text.rfind("\n", 0, start) + 1 : start], text[end : last if last >= 0 else len(text)]


_SENTENCE_ENDS = re.compile(r"[.!?](?=\s)|\n")


def sentence_around(text: str, span: tuple[int, int]) -> str:
    """Return the sentence or line in which a place stands; a number with a dot at its beginning may be cut off."""
    start, end = span
    before, behind = line_around(text, span)
    first = max((match.end() for match in _SENTENCE_ENDS.finditer(before)), default=0)
    last = _SENTENCE_ENDS.search(behind)
    return before[first:] + text[start:end] + (behind if last is None else behind[: last.start()])


def blank(text: str) -> str:
    """Return spaces in place of all but the line ends, so that every offset and line behind stays as it is."""
    return _NO_LINE_END.sub(" ", text)


def decimal(value: Fraction) -> str:
    """Return an exact decimal text where there is one, else ``numerator/denominator``; of huge numbers, the size."""
    sizes = [part.bit_length() for part in value.as_integer_ratio()]
    if max(sizes) > _MOST_BITS:
        return f"about {'-' if value < 0 else ''}2^{sizes[0] - sizes[1]}"
    if value.denominator == 1:
        return str(value.numerator)
    rest, digits = value.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        digits = max(digits, power)
    if rest != 1:
        return f"{value.numerator}/{value.denominator}"
    scaled = str(abs(value.numerator) * 10**digits // value.denominator).rjust(digits + 1, "0")
    return f"{'-' if value < 0 else ''}{scaled[:-digits]}.{scaled[-digits:]}"


def rounded(value: Fraction, form: str) -> str:
    """Return a number as a format of floats has it; of one beyond all floats the whole part, or the size."""
    try:
        return format(float(value), form)
    except OverflowError:
        return decimal(Fraction(round(value)))


def in_json(value: Fraction) -> int | float | str:
    """Return a number as JSON has it, a huge one without its decimals; one that cannot be written out as its size."""
    try:
        found = value.numerator if value.denominator == 1 else float(value)
    except OverflowError:
        found = round(value)
    return found if isinstance(found, float) or found.bit_length() <= _MOST_BITS else decimal(value)


Span: TypeAlias = tuple[int, int]
"""Offsets of the first character and of the one behind the last, in characters of a text."""
Number: TypeAlias = int | float | str | Decimal | Fraction
_DECIMAL = r"(?a)\s*[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,3})?\s*"


def exact(value: Number) -> Fraction:
    """Return a number exactly as it is written in decimal: 0.1 is a tenth, of a float too.

    Raises ValueError for what is no number.
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise ValueError(f"a number was expected, not {value!r:.60}")
    text = value if isinstance(value, str) else str(value)
    if isinstance(value, int):
        return Fraction(value)
    if re.fullmatch(_DECIMAL, text) is None:
        raise ValueError(f"a number such as 0.001 was expected, not {text!r:.60}")
    return Fraction(text)


def columns(rows: Sequence[Sequence[str]], sides: str) -> Iterator[str]:
    """Yield rows as lines of a table: ``sides`` has an ``l`` or ``r`` for each column, the last one for all others."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        padded = zip(row, widths, sides.ljust(len(row), sides[-1]), strict=False)
        cells = (cell.ljust(width) if side == "l" else cell.rjust(width) for cell, width, side in padded)
        yield "  ".join(cells).rstrip()


def letters(text: str) -> str:
    """Return the letters and digits of a text in lower case, by which names are one however they are joined."""
    return "".join(filter(str.isalnum, text)).lower()
