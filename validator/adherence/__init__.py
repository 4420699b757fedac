"""Adherence: how far the calls that an agent executed follow the plan that it had.

A plan and a trace come in, an ``Adherence`` goes out. Open ``adhere`` first. A trace is read in any format that is
known by its structure, the plan is given or stated in the trace, and the heaviest alignment that keeps the order
says which step was executed by which call; with a model, execution says what each deviation did. Nothing here asks a
language model.
"""

from validator.adherence.adhere import adhere
from validator.adherence.result import Adherence
from validator.adherence.values import Effect, Execution, FailedCalls, Row, RowKind
from validator.reading.calls import Argument, Call, CallKind, Planned
from validator.reading.traces.read import read_trace
from validator.reading.traces.recording import Recording

__all__ = [
    "Adherence",
    "Argument",
    "Call",
    "CallKind",
    "Effect",
    "Execution",
    "FailedCalls",
    "Planned",
    "Recording",
    "Row",
    "RowKind",
    "adhere",
    "read_trace",
]
