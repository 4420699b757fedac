"""The world that a model is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from validator.policies.worlds.pddl import PddlWorld
from validator.policies.worlds.world import World
from validator.reading.calls import folded

if TYPE_CHECKING:
    from validator.adherence.models.choose import AnyModel

__all__ = ["state_space_of"]


def state_space_of(model: AnyModel, tools: Iterable[str] = ()) -> World:
    """Return the world of a model: a domain and a problem, a flow, or one read before.

    ``tools`` are the names of the tools that there are; a flow's questions are calls where one of them is ``ask``.
    Raises ModelError, OSError for a file.
    """
    from validator.adherence.models.choose import flow_of
    from validator.checking.prepared import prepare
    from validator.flow.model import Flow

    if not isinstance(model, Flow | str | Path | Mapping):
        prepared = prepare(*model) if isinstance(model, tuple) else prepare(model)
        if not prepared.model.features:
            return PddlWorld(prepared)
        from validator.policies.worlds.numeric import NumericWorld  # with the execution of numbers

        return NumericWorld(prepared)
    from validator.flow.tools.unrecorded import KINDS  # with all that compiles flows: half a second
    from validator.policies.worlds.flows import FlowWorld

    return FlowWorld(model if isinstance(model, Flow) else flow_of(model), KINDS.intersection(map(folded, tools)))
