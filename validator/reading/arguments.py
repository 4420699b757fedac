"""Arguments of steps and calls, with what their source says of their names and types.

JSON values are equal as ``json_equality`` says, which tells the text ``"1"`` from the number ``1``; a plan text does
not, and there ``f(1)`` is equal to both. What a source does not say is unknown, which is never wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from validator.reading.values import canonical, equal, printed_value
from validator.records import dataclass
from validator.resources import cached_if_short


@dataclass(frozen=True, slots=True)
class Argument:
    """A value with its name, or None for one that is given by its position.

    ``text`` is the value as text, canonical for JSON values. ``is_string`` is None where the source does not tell
    strings from other values.
    """

    name: str | None
    text: str
    is_string: bool | None = None

    @property
    def value(self) -> object:
        """Return the JSON value; a text where the source does not tell."""
        if self.is_string is False:
            try:
                return json.loads(self.text)
            except (ValueError, RecursionError):
                return self.text
        return self.text

    @property
    def is_open(self) -> bool:
        """Return whether this is a placeholder, such as ``<flight id>``, ``$flight`` or ``{{flight}}``."""
        text = self.text
        return text[:1] in _OPENING and self.is_string is not False and bool(_OPEN.fullmatch(text))


Arguments: TypeAlias = tuple[Argument, ...]


class Untyped(dict[str, str]):
    """Arguments by name whose source does not tell texts from other values, as XML does not."""


_OPENING = frozenset("<${?.…")
_OPEN = re.compile(r"<[^<>]+>(?:-\d+)?|\$[A-Za-z_][\w.]*|\$?\{+[^{}]*\}+|\?\w*|\.\.\.|…")


def read_arguments(value: object) -> Arguments | None:
    """Return the arguments that a JSON value holds: an object's by name, a list's by position.

    A list of objects with a name and a value each stands for one object, and ``{"args": [...], "kwargs": {...}}`` for
    both ways at once. A text is read as JSON first, as chat formats write it, then as Python prints an object; another
    text is one argument. None and the empty text are unknown; JSON's null as a text gives none.
    """
    if isinstance(value, str):
        return _read_text(value)
    if value is None:
        return None
    if isinstance(value, Untyped):
        return tuple([Argument(name, each) for name, each in value.items()])
    if type(value) is dict or isinstance(value, Mapping):  # as nearly all are, and faster
        if value and _BOTH.issuperset(value) and (both := _both(value)) is not None:
            return both
        return tuple([read_argument(str(name), each) for name, each in value.items()])
    if isinstance(value, Sequence) and not isinstance(value, str):
        pairs: Sequence[tuple[str | None, object]] = named_values(value) or [(None, each) for each in value]
        return tuple(read_argument(name, each) for name, each in pairs)
    return (read_argument(None, value),)


@cached_if_short(4096, characters=500)  # requests repeat their history, and runs their calls
def _read_text(text: str) -> Arguments | None:
    if not text.strip():
        return None
    try:
        read = json.loads(text)
        if read is None:
            return ()  # a model that has nothing to give
    except (ValueError, RecursionError):
        read = printed_value(text)
        read = read if isinstance(read, Mapping) else None
    if read is None or isinstance(read, str):
        is_object = isinstance(read, str) and read.lstrip()[:1] == "{"  # written as JSON twice
        return read_arguments(read) if is_object else (read_argument(None, text if read is None else read),)
    return read_arguments(read)


_KEY = re.compile(r"[\"'][^\"'\n]{1,100}[\"']\s*:")


def is_broken(value: object) -> bool:
    """Return whether a value is the text of an object that is cut off or damaged: what it says is not known."""
    if not isinstance(value, str) or not (text := value.strip()):
        return False
    is_opened = text[0] == "{" and ("}" not in text or (":" in text and ("'" in text or '"' in text)))
    if not is_opened and not (text[-1] == "}" and (text == "}" or _KEY.match(text))):
        return False  # a text in which braces stand
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return printed_value(text) is None
    return False


_BOTH = frozenset(("args", "kwargs"))


def _both(value: Mapping[str, object]) -> Arguments | None:
    placed, named = value.get("args", ()), value.get("kwargs", {})
    if not isinstance(placed, list | tuple) or not isinstance(named, Mapping):
        return None
    return (
        *(read_argument(None, each) for each in placed),
        *(read_argument(str(name), each) for name, each in named.items()),
    )


_NAMES = ("name", "key", "argument", "argument_name", "parameter", "parameter_name", "param")
_BESIDE = frozenset(("value", "type", "description"))


def named_values(values: Sequence[object]) -> list[tuple[str, object]] | None:
    """Return the names and values of a list of objects that have one each; None for any other list."""
    pairs = [pair for each in values if (pair := _named(each)) is not None]
    return pairs if pairs and len(pairs) == len(values) else None


def _named(value: object) -> tuple[str, object] | None:
    """Return name and value of an object such as ``{"name": "city", "value": "Rome"}``."""
    if not isinstance(value, Mapping) or "value" not in value:
        return None
    names = [key for key in _NAMES if isinstance(value.get(key), str)]
    if len(names) != 1 or not _BESIDE.issuperset(key for key in value if key != names[0]):
        return None
    return str(value[names[0]]), value["value"]


def read_argument(name: str | None, value: object) -> Argument:
    """Return the argument that a JSON value is."""
    if isinstance(value, str):
        return Argument(name, value, True)
    if type(value) is int:  # as JSON writes it, and faster
        return Argument(name, str(value), False)
    return Argument(name, canonical(value), False)


def same(one: Argument, other: Argument) -> bool:
    """Return whether two arguments have equal values, as far as both sources tell: plan texts tell no case either."""
    if one.is_string is None or other.is_string is None:
        return one.text == other.text or one.text.casefold() == other.text.casefold() or _are_equal(one, other)
    if one.text != other.text or one.is_string != other.is_string:
        return False
    return one.is_string or "NaN" not in one.text or equal(value := json.loads(one.text), value)


def alike(argument: Argument) -> str:
    """Return a text that two arguments have in common wherever ``same`` says that they are equal."""
    text = argument.text
    return str(float(text)) if text[-1:].isdigit() and _NUMBER.fullmatch(text) else text.casefold()


_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?")


def _are_equal(one: Argument, other: Argument) -> bool:
    """Return whether two numbers are equal that are written otherwise: ``1.0`` and ``1``."""
    if not _NUMBER.fullmatch(one.text) or not _NUMBER.fullmatch(other.text):
        return False
    return float(one.text) == float(other.text)


_PLAIN = re.compile(r"[^\s()\[\]{}\"',;]+")


def argument_texts(arguments: Arguments) -> Iterator[str]:
    """Yield the arguments as the texts that a step has: ``a``, ``"New York"``, ``to=Rome``."""
    for argument in arguments:
        text = argument.text
        if argument.is_string is not False and not _PLAIN.fullmatch(text):
            text = json.dumps(text, ensure_ascii=False)
        yield text if argument.name is None else f"{argument.name}={text}"


def in_order(arguments: Arguments, parameters: Sequence[str]) -> Arguments:
    """Return arguments in the order of the parameters that they name; others keep the order in which they are written.

    Neither case nor joint of a name matters where one parameter is meant, nor the question mark of a PDDL parameter.
    Arguments that name none take the places that are left; of more or fewer arguments than parameters none has a place.
    """
    return tuple(arguments[place] for place in placed([argument.name for argument in arguments], parameters, folded))


def placed(names: Sequence[str | None], parameters: Sequence[str], folded: Callable[[str], str]) -> Sequence[int]:
    """Return which argument stands for each parameter, by the names of the arguments; as they are if not as many.

    Arguments that name no parameter take the places that are left.
    """
    if len(names) != len(parameters):
        return range(len(names))
    found = named_places(names, parameters, folded)
    rest = iter(sorted({*range(len(names))}.difference(found.values())))
    return [found[place] if place in found else next(rest) for place in range(len(parameters))]


def named_places(
    names: Sequence[str | None], parameters: Sequence[str], folded: Callable[[str], str]
) -> dict[int, int]:
    """Return the arguments that name a parameter, by its place.

    A name means the parameter that is written so, else the only one that is alike when both are ``folded``; of two
    arguments with one name the first.
    """
    wanted, found = [name.lstrip("?") for name in parameters], dict[int, int]()
    for number, name in enumerate(names):
        place = None if name is None else _place(name.lstrip("?").strip(), wanted, folded)
        if place is not None:
            found.setdefault(place, number)
    return found


def _place(name: str, parameters: Sequence[str], folded: Callable[[str], str]) -> int | None:
    if name in parameters:
        return parameters.index(name)
    alike = [place for place, each in enumerate(parameters) if folded(each) == folded(name)]
    return alike[0] if len(alike) == 1 else None


@lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """Return a name of a tool or an argument as it is compared: neither case nor joint (``-``, ``_``, blank) counts."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")
