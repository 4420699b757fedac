"""How a question is declared: each field with its type, its words, and where it can be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

from validator.errors import ValidatorError
from validator.records import FIELDS, MISSING, Field, dataclass


class Face(StrEnum):
    """A way in that shows some of the fields; HTTP takes them all."""

    COMMAND = "command"
    AGENT = "agent"
    """a tool of the Model Context Protocol"""
    PAGE = "page"


EVERYWHERE = frozenset(Face)
HTTP_ONLY: frozenset[Face] = frozenset()
MODEL = frozenset((Face.AGENT, Face.PAGE))
"""where texts are given that a command has as files"""
COMMAND_ONLY = frozenset((Face.COMMAND,))
"""of commands and HTTP: rarely asked for by an agent, whose tools have to be short, or on a page"""


class Use(StrEnum):
    """What a plan is of, for which not every option has a meaning."""

    PDDL = "pddl"
    FLOW = "flow"
    REST = "rest"


_REASONS = {
    Use.PDDL: "is for flows, and this is a PDDL model",
    Use.FLOW: "is for PDDL models, and this is a flow",
    Use.REST: "is for whole plans, not for the rest of one",
}


class Option(Field):
    """A field: ``words`` say what it is; ``parse`` reads it from a command's word; ``schema`` bounds it in JSON.

    An agent reads the words alone, which are short, everybody else the ``details`` as well. ``many`` options of a
    command are one field; ``flag`` is its name there where that is another one, ``off`` what it is to switch it off,
    and ``was`` its names in the version before, which are taken and not shown.
    """

    __slots__ = (
        *("choices", "details", "faces", "flag", "many", "metavar", "off", "parse", "schema", "uses", "was", "words"),
    )

    def __init__(
        self,
        words: str,
        *,
        default: Any,
        details: str = "",
        faces: frozenset[Face] = EVERYWHERE,
        uses: frozenset[Use] = frozenset(Use),
        choices: type[StrEnum] | None = None,
        parse: Callable[[str], Any] | None = None,
        many: bool = False,
        metavar: str | None = None,
        flag: str = "",
        off: str = "",
        was: tuple[str, ...] = (),
        schema: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(default=default)
        self.words, self.details, self.faces, self.uses = words, details, faces, uses
        self.choices, self.parse, self.many, self.metavar = choices, parse, many, metavar
        self.flag, self.off, self.was, self.schema = flag, off or self.told, was, schema or {}

    @property
    def told(self) -> str:
        """Return the words with the details."""
        return f"{self.words}; {self.details}" if self.details else self.words

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Return what pydantic reads of a field."""
        return {"description": self.told, **self.schema}


def option(words: str, *, default: Any = MISSING, **more: Any) -> Any:
    """Declare a field, as ``Option`` does."""
    return Option(words, default=default, **more)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(option,))
def question(cls: type) -> Any:
    """Make a class a question, whose fields are its options."""
    if TYPE_CHECKING:
        return cls
    return dataclass(frozen=True, slots=True, kw_only=True)(cls)


STRICT: Mapping[str, Any] = {"extra": "forbid", "strict": True, "allow_inf_nan": False}
"""how pydantic reads a question: no other field, no value of another type"""


@question
class Question:
    """What every question may say."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT

    time_limit: float | None = option(
        "seconds",
        details="for this request, at most the limit of the service",
        default=None,
        faces=frozenset((Face.AGENT,)),
        schema={"gt": 0},
    )


class FieldError(ValidatorError):
    """A field of a question whose value cannot be, with the reason."""

    def __init__(self, name: str, detail: str) -> None:
        super().__init__(detail)
        self.name, self.detail = name, detail


def options_of(kind: type[Question], face: Face) -> Iterator[tuple[str, Option]]:
    """Yield the fields that a way in shows, by their names."""
    for name, one in getattr(kind, FIELDS).items():
        if face in one.faces:
            yield name, one


def formerly(kind: type[Question]) -> Mapping[str, str]:
    """Return the names that fields had in the version before, with those that they have."""
    return {former.replace("-", "_"): name for name, one in getattr(kind, FIELDS).items() for former in one.was}


def refuse_unused(asked: Question, use: Use, spelled: Callable[[str], str]) -> None:
    """Raise ValueError for a field that is given and would be passed over; ``spelled`` is how its name is written."""
    for name, one in getattr(type(asked), FIELDS).items():
        if use not in one.uses and getattr(asked, name) != one.default:
            raise ValueError(f"{spelled(name)} {_REASONS[use]}")
