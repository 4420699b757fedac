"""Calls of tools, however they are written: as JSON of any provider, as ``f(x=a, y="b")``, as a list of such.

In: JSON values and texts. Out: ``Call`` (executed), ``Planned`` (to be compared with calls), arguments with names and
types. Open ``objects`` first: the keys under which names, arguments, identities and results stand, and how a JSON value
is turned into a call; ``written`` reads ``f(x=a)`` and lines of such, ``wire`` what models and frameworks write,
``plans`` a JSON value that is a plan, ``lists`` a list of calls in any of these forms, ``tools`` compares their names.
"""

from validator.reading.arguments import Argument, Arguments, folded, read_arguments, same
from validator.reading.calls.objects import Call, CallKind, Names, Planned, as_step, shown

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
