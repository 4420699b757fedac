"""Find the executor of a model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from validator.policies.executors.executor import Executor
from validator.policies.executors.pddl import PddlExecutor
from validator.reading.calls import folded

if TYPE_CHECKING:
    from validator.adherence.models.choose import AnyModel

__all__ = ["executor_of"]


def executor_of(model: AnyModel, tools: Iterable[str] = ()) -> Executor:
    """Return the executor of a model: a domain and a problem, a flow, or one read before.

    ``tools`` are the names of the tools that there are; a flow's questions are calls where one of them is ``ask``.
    Raises ModelError, OSError for a file.
    """
    from validator.adherence.models.choose import read_model
    from validator.checking.prepared import Prepared

    found = read_model(model)
    if isinstance(found, Prepared):
        if not found.model.features:
            return PddlExecutor(found)
        from validator.policies.executors.numeric import NumericExecutor  # with the execution of numbers

        return NumericExecutor(found)
    from validator.flow.silent_steps import KINDS  # with all that compiles flows: half a second
    from validator.policies.executors.flows import FlowExecutor

    return FlowExecutor(found, KINDS.intersection(map(folded, tools)))
