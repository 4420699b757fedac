"""Models as questions have them: texts and objects, never taken for paths; of a command its files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from validator.errors import ModelError
from validator.questions.question import EVERYWHERE, MODEL, Face, FieldError, Question, Use, option, question
from validator.reading.plan import Dialect
from validator.texts import no_path

if TYPE_CHECKING:
    from validator.checking.prepared import Prepared
    from validator.flow.model import Flow
    from validator.reading.lexicon import Templates

    Text: TypeAlias = str | Path
else:  # what a client sends: a text is never taken for a path
    Text = str


GivenTemplates: TypeAlias = "str | Path | dict[str, Any] | None"
"""Templates: a text of YAML, an object, or of a command a file."""


@question
class OfModel(Question):
    """A question about a PDDL model."""

    domain: Text | None = option("PDDL", details="the text of the domain, not a file name", default=None, faces=MODEL)
    problem: Text | None = option("PDDL", details="the text of the problem", default=None, faces=MODEL)


@question
class OfAnyModel(OfModel):
    """A question about a PDDL model, or about a flow."""

    flow: dict[str, Any] | Text | None = option(
        "a flow, in place of domain and problem",
        details="an object, or a text of JSON or YAML",
        default=None,
        faces=MODEL,
    )


def dialect_option(uses: frozenset[Use] = frozenset(Use)) -> Any:
    """Declare the notation of a plan; agents, whose tools have to be short, leave it to be detected."""
    words = "notation of the plan; default: detected"
    return option(words, default=None, faces=EVERYWHERE - {Face.AGENT}, uses=uses, choices=Dialect)


def templates_option(uses: frozenset[Use] = frozenset(Use), faces: frozenset[Face] = EVERYWHERE) -> Any:
    """Declare how plans say a model in words."""
    return option(
        "how the plan puts actions and objects into words",
        details="{actions: {stack: 'stack the {} on the {}'}, objects: {a: red block}}, or as YAML",
        default=None,
        faces=faces,
        uses=uses,
        parse=Path,
        metavar="FILE",
    )


def one_model(domain: object, problem: object, flow: object) -> None:
    """Raise ModelError where a PDDL model and a flow are given."""
    if flow is not None and (domain is not None or problem is not None):
        raise ModelError("'flow' takes the place of 'domain' and 'problem'; both are given")


def model_of(
    domain: str | Path | None,
    problem: str | Path | None,
    templates: GivenTemplates = None,
    *,
    strict_pddl: bool = False,
) -> Prepared:
    """Return a PDDL model, and how it is said. Raises InputError for what is missing or cannot be read."""
    from validator.checking.prepared import prepare

    return prepare(*model_texts(domain, problem), templates=templates_of(templates), strict_pddl=strict_pddl)


def templates_of(given: GivenTemplates) -> Templates | None:
    """Return templates, of an object or of a text of YAML, never of a file. Raises InputError."""
    if given is None:
        return None
    from validator.checking.prepared import words_of

    return words_of(given, is_text=isinstance(given, str))


def some_model(domain: Text | None, problem: Text | None, templates: GivenTemplates = None) -> Prepared | None:
    """Return a PDDL model where one is given. Raises InputError for half of one and for what cannot be read."""
    if domain is None and problem is None:
        if templates is not None:
            raise ModelError("'templates' say how a model is worded, and no model is given")
        return None
    return model_of(domain, problem, templates)


FROM_ZERO = r"^([0-9]+(\.[0-9]*)?|\.[0-9]+)$"
"""Decimal texts of numbers from 0; JSON schemas have the same expression."""
MOST_DIGITS = 40
"""Characters of such a text."""


DECIMAL: Mapping[str, Any] = {
    "anyOf": [
        {"type": "number", "minimum": 0},
        {"type": "string", "pattern": FROM_ZERO, "maxLength": MOST_DIGITS},
        {"type": "null"},
    ]
}
"""The JSON schema of such a number or text."""


def epsilon_of(given: float | str | Fraction | None, name: str = "epsilon") -> Fraction | None:
    """Return exactly how far apart acts that interfere must be; None is the default's place. Raises ValueError.

    ``name`` is what the number is called: a tolerance is written in the same way.
    """
    if given is None or isinstance(given, Fraction):
        return given
    if isinstance(given, str):
        is_from_zero = len(given) <= MOST_DIGITS and re.fullmatch(FROM_ZERO, given) is not None
    else:
        is_from_zero = given >= 0
    if not is_from_zero:
        raise ValueError(f"{name} must be a number, 0 or more, such as 0.001, or its decimal text, not {given!r:.60}")
    return Fraction(str(given))


def flow_of(document: object) -> Flow:
    """Return a flow, of an object or of a text of JSON or YAML, or of a command's file. Raises ModelError."""
    from validator.flow.definition.integrity import check_names
    from validator.flow.definition.reader import document_of, flow_from_document, read_flow

    if isinstance(document, Path):
        return read_flow(document)

    flow = flow_from_document(document_of(document, "flow") if isinstance(document, str) else document)
    check_names(flow)
    return flow


def model_texts(domain: str | Path | None, problem: str | Path | None) -> tuple[str | Path, str | Path]:
    """Return a whole model. Raises FieldError for half of one, ModelError for what is none."""
    if domain is None or problem is None:
        name = "domain" if domain is None else "problem"
        raise FieldError(name, f"'{name}' is missing; a model is a domain and a problem")
    return _pddl(domain, "domain"), _pddl(problem, "problem")


def _pddl(text: str | Path, kind: str) -> str | Path:
    """Return a text that nothing takes for a path: one with a line end. Raises ModelError for what cannot be PDDL."""
    if isinstance(text, Path):
        return text
    if "(" not in text:
        said = f"'(define ({kind} NAME) ...' was expected: the text of the file, not its name"
        raise ModelError(said, source=f"<{kind}>")
    return no_path(text)
