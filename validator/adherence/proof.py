from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from validator.adherence.calls import Call, Planned
from validator.adherence.values import Adherence
from validator.model import Model
from validator.plan import Token
from validator.prepared import Prepared

Translate: TypeAlias = Callable[[Planned | Call], Token]


def pddl_steps(model: Model) -> Translate:
    raise NotImplementedError


def judged(adherence: Adherence, prepared: Prepared, translate: Translate, time_limit: float) -> Adherence:
    raise NotImplementedError
