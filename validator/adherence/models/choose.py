"""The models by which an execution can be judged: PDDL, unified-planning problems, and flows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from validator.adherence.models.interpreted import Interpreter, Translate
from validator.adherence.models.pddl import PddlInterpreter
from validator.checking.prepared import Prepared, prepare
from validator.errors import ModelError
from validator.flow.model import Flow
from validator.model.values import Model
from validator.reading.traces.recording import Recording
from validator.texts import is_path

if TYPE_CHECKING:
    from unified_planning.model import Problem as UpProblem

__all__ = ["AnyModel", "interpreter", "read_model"]

AnyModel: TypeAlias = (
    "Prepared | Model | UpProblem | tuple[str | Path, str | Path] | Flow | str | Path | Mapping[str, Any]"
)
"""A domain and a problem (paths or texts), a flow (a path, a text, or its JSON values), or one read before."""


def interpreter(model: AnyModel, recording: Recording, translate: Translate | None = None) -> Interpreter:
    """Return what reads a plan and the calls of a trace as steps of a model. Raises ModelError, OSError for a file."""
    found = read_model(model)
    if isinstance(found, Prepared):
        return PddlInterpreter(found, translate)
    from validator.adherence.models.flows import FlowInterpreter

    return FlowInterpreter(found, recording, translate)


def read_model(model: AnyModel) -> Prepared | Flow:
    """Return a model of PDDL, prepared, or a flow. Raises ModelError, OSError for a file."""
    if isinstance(model, Flow):
        return model
    if isinstance(model, tuple):
        return prepare(*model)
    return _flow(model) if isinstance(model, str | Path | Mapping) else prepare(model)


def _flow(model: str | Path | Mapping[str, Any]) -> Flow:
    from validator.flow.definition.reader import document_of, flow_from_document, read_flow

    if isinstance(model, Mapping):
        return flow_from_document(model)
    is_text = isinstance(model, str) and not is_path(model) and any(character in model for character in "\n{")
    if isinstance(model, str) and "(define" in model and not is_path(model):
        raise ModelError("a PDDL model is a domain and a problem, and only one of them is given")
    return flow_from_document(document_of(str(model))) if is_text else read_flow(model)
