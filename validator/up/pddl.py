"""PDDL read by unified-planning's own reader, with what that reader leaves undone.

Nothing of unified-planning is imported before it is needed.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from validator.errors import ModelError
from validator.model.formulas import Conditional, Exists, Forall
from validator.model.pddl import read_model
from validator.model.pddl.frame import is_text, read_text

if TYPE_CHECKING:
    from unified_planning.environment import Environment
    from unified_planning.model import Problem as UpProblem


_GLUED = re.compile(r"(?<=[^\s(])(?=\?)")
"""Where a variable follows a name without a blank, which that reader takes for one name."""


def read_up(domain: str | Path, problem: str | Path) -> UpProblem:
    """Read PDDL, paths or texts, by unified-planning's own reader. Raises ModelError for what it cannot read.

    Names are in lower case, as that reader has them, and costs may be numbers that change, which are not the affair of
    the modified problem. OSError for a file.
    """
    from unified_planning.environment import get_environment
    from unified_planning.io import PDDLReader

    texts = [read_text(source, kind)[0] for source, kind in ((domain, "domain"), (problem, "problem"))]
    texts = [_GLUED.sub(" ", text) for text in map(str, texts)]
    environment = get_environment()  # the reader fails on `forall` effects in any other
    try:
        with names_of_two_things(environment):
            read = PDDLReader(environment).parse_problem_string(*texts)
    except Exception as error:  # the reader raises whatever its parts raise
        source = "" if is_text(domain) else str(domain)
        raise ModelError(f"unified-planning cannot read the model: {error}", source=source) from error
    if (empty := _quantified_without_objects(read, texts[0], texts[1])) is not None:
        why = f"it takes what is quantified over {empty}, of which there are no objects, for one that there is"
        raise ModelError(f"unified-planning does not read the model as it is: {why}")
    return read


def _quantified_without_objects(problem: UpProblem, domain: str | Path, text: str | Path) -> str | None:
    """Return a type without objects that a quantifier or an effect for all of it has, None without one.

    The reader and the engines drop variables that are not mentioned, whatever there is to put in.
    """
    if all(any(problem.objects(each)) for each in problem.user_types):
        return None
    model = read_model(domain, text)
    declared = (part.parameters for part in _quantified((model.domain.actions, model.problem.goal)))
    empty = (each for parameters in declared for each in parameters if not model.objects_of(each.types))
    return next((" or ".join(sorted(each.types)) for each in empty), None)


def _quantified(part: object) -> Iterator[Forall | Exists | Conditional]:
    if isinstance(part, Forall | Exists | Conditional):
        yield part
    if isinstance(part, Mapping):
        part = tuple(part.values())
    inner = part if isinstance(part, tuple) else ()
    if is_dataclass(part):
        inner = tuple(getattr(part, one.name) for one in fields(part))
    for each in inner:
        yield from _quantified(each)


@contextmanager
def names_of_two_things(environment: Environment) -> Iterator[None]:
    """Let a predicate and an action of one problem have the same name, as PDDL does; no warning speaks of it."""
    strict, environment.error_used_name = environment.error_used_name, False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        environment.error_used_name = strict
