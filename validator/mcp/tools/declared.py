"""Tools made of questions: what each takes, and what of that is settled, comes from the question's declaration."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from enum import EnumType
from inspect import Parameter, Signature
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from validator.questions.job import Bounds, Job
from validator.questions.question import Face, Question, Use, options_of
from validator.records.fields import MISSING

__all__ = ["tool_of"]


def tool_of(
    kind: type[Question],
    answer: Callable[[Any, Job], Mapping[str, Any]],
    shape: type,
    about: str,
    *,
    uses: frozenset[Use] = frozenset(Use),
    needed: tuple[str, ...] = (),
    settled: Mapping[str, Any] | None = None,
    hidden: tuple[str, ...] = (),
) -> Callable[..., Mapping[str, Any]]:
    """Return a tool that asks a question, of what its ``uses`` need; ``settled`` are fields that it does not show.

    Raises ValueError for a question that cannot be.
    """
    given = settled or {}
    hints = get_type_hints(kind)
    parameters = [Parameter("bounds", Parameter.POSITIONAL_ONLY)]
    for name, one in sorted(options_of(kind, Face.AGENT), key=lambda pair: pair[1].default is not MISSING):
        if name in given or name in hidden or not uses & one.uses:
            continue
        is_needed = name in needed or one.default is MISSING
        hint = _plain(hints[name], is_needed)
        default = Parameter.empty if is_needed else one.default
        parameters.append(
            Parameter(name, Parameter.KEYWORD_ONLY, annotation=Annotated[hint, one.words], default=default)
        )
    parameters.sort(key=lambda one: (one.kind, one.default is not Parameter.empty))

    def call(bounds: Bounds, /, **arguments: Any) -> Mapping[str, Any]:
        from validator.service.operations.requests import read_request
        from validator.service.problems import ProblemError

        try:
            asked = read_request(kind, json.dumps({**given, **arguments}))
        except ProblemError as error:
            raise ValueError(error.problem.detail or error.problem.title) from None
        return answer(asked, Job(bounds=bounds))

    call.__doc__ = about
    call.__annotations__ = {one.name: one.annotation for one in parameters[1:]} | {"return": shape}
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return call


def _plain(hint: Any, is_needed: bool) -> Any:
    """Return a type in what JSON has: the values of an enumeration; what is needed is not null."""
    parts: Sequence[Any] = get_args(hint) if isinstance(hint, UnionType) or get_origin(hint) is Union else (hint,)
    plain = [_values(part) if isinstance(part, EnumType) else part for part in parts]
    return Union[tuple(part for part in plain if not (is_needed and part is NoneType))]  # noqa: UP007


def _values(kind: Any) -> Any:
    return Literal[tuple(member.value for member in kind)]
