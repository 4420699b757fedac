"""Calls of tools, however they are written: as JSON of any provider, as ``f(x=a, y="b")``, as a list of such.

In: JSON values and texts. Out: ``Call`` (executed), ``Planned`` (to be compared with calls), arguments with names and
types. Open ``keys`` first: the one list of the keys under which names, arguments, identities and results stand;
``objects`` turns a JSON value into a call or says why it is none, ``written`` reads ``f(x=a)``, ``commas`` a line of
such, ``plans`` a JSON value that is a plan.
"""

from validator.reading.arguments import Argument, Arguments, read_arguments, same
from validator.reading.calls.values import Call, CallKind, Names, Planned, as_step, folded, shown

__all__ = [
    "Argument",
    "Arguments",
    "Call",
    "CallKind",
    "Names",
    "Planned",
    "as_step",
    "folded",
    "read_arguments",
    "same",
    "shown",
]
