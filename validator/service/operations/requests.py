"""A request from its JSON text: strictly, with the place of each fault."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from math import isfinite
from typing import Any

from validator.errors import did_you_mean
from validator.questions.question import FieldError, formerly
from validator.service.problems import Problem, ProblemError
from validator.texts import MOST_LISTED


def read_request(kind: Any, text: str | bytes) -> Any:
    """Return a request from a JSON text. Raises ProblemError (status 400 or 422) that says what is wrong and where."""
    from pydantic import ValidationError

    try:
        request = reader(kind).validate_json(text)
        if any(isinstance(getattr(request, name), dict | list | tuple) for name in _names(kind)):
            _check_numbers(text)  # the types of the other fields see to it
        return request
    except FieldError as error:
        raise not_understood([{"pointer": f"/{error.name}", "detail": error.detail}]) from None
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
    if any(fault["loc"][:1] and fault["loc"][0] in formerly(kind) for fault in found):
        return read_request(kind, _renamed(kind, text))
    if found[0]["type"] == "json_invalid":
        message = str(found[0]["msg"]).removeprefix("Invalid JSON: ")
        place = {name: int(number) for name, number in _PLACE.findall(message)}
        raise ProblemError(Problem(kind="json", status=400, title="The body is not JSON", detail=message, more=place))
    faults: dict[str, str] = {}
    for one in found[:MOST_LISTED]:
        pointer, said = _pointer(kind, one["loc"]), _fault(kind, one)
        faults[pointer] = f"{faults[pointer]} or {said.removeprefix(_SHOULD)}" if pointer in faults else said
    raise not_understood([{"pointer": pointer, "detail": said} for pointer, said in faults.items()])


def _renamed(kind: Any, text: str | bytes) -> str:
    """Return a request whose fields have the names of the version before as one with those of today."""
    names = formerly(kind)
    return json.dumps({names.get(name, name): value for name, value in json.loads(text).items()})


_SHOULD = "Input should be "
"""how pydantic begins what is wrong with each of several types"""
_MAYBE_NO_NUMBER = re.compile(rb"NaN|Infinity|\d[eE]\+?\d{3}|\d{309}")


def _check_numbers(text: str | bytes) -> None:
    """Raise ProblemError for a number that is none, or too large for one: it would be lost where it is passed on."""
    if _MAYBE_NO_NUMBER.search(text if isinstance(text, bytes) else text.encode("utf-8", "replace")) is None:
        return
    try:
        json.loads(text, parse_constant=_number, parse_float=_number)
    except OverflowError as error:
        problem = Problem(kind="json", status=400, title="The body is not JSON", detail=str(error))
        raise ProblemError(problem) from None


def _number(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise OverflowError(f"{text[:40]} is not a JSON number, or too large a one")
    return number


_PLACE = re.compile(r"(line|column) (\d+)")


def _pointer(kind: Any, place: Sequence[str | int]) -> str:
    """Return a JSON pointer (RFC 6901); the alternatives of a type are no part of it."""
    known = _names(kind)
    parts = [part for number, part in enumerate(place) if number == 0 or isinstance(part, int) or part in known]
    return "".join(f"/{str(part)[:100].replace('~', '~0').replace('/', '~1')}" for part in parts)


def _fault(kind: Any, fault: Mapping[str, Any]) -> str:
    if fault["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
        return f"no such field{did_you_mean(str(fault['loc'][0]), _names(kind))}"
    return str(fault["msg"])


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def reader(kind: type[Any]) -> Any:
    """Return the pydantic adapter of a request: ``validate_json``, ``dump_json``, ``json_schema``."""
    known: Any = kind
    return _reader(known)


@cache
def _reader(kind: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def not_understood(faults: Sequence[Mapping[str, str]]) -> ProblemError:
    """Return the problem of a request with faults: each has the ``pointer`` of its field, and a ``detail``."""
    said = "; ".join(f"{fault['pointer'] or 'the body'}: {fault['detail']}" for fault in faults[:3])
    return ProblemError(
        Problem(kind="request", status=422, title="The request is not understood", detail=said, more={"errors": faults})
    )
