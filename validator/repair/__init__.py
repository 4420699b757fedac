"""The nearest plan that has a quality: a planning problem of its own, solved, and every answer executed again.

A grounded ``Task``, the observed tokens and a policy come in; edits, a diff and a proof go out. Open ``edit`` first:
it says what the modified problem is. ``nearest`` says which search comes when: ``a_star`` for small models, then
``local_search`` for a first repair, ``projection`` for long plans, and ``provers`` on the grounded model, of which
``cost_partitioning`` is ours. Models with numbers have their own search in ``numbers``, plans over time theirs in
``time``. ``diff`` prints edits as git does.
"""

from __future__ import annotations

from validator.errors import Choice


class Policy(Choice):
    """What nearest means for SOUND and VALID."""

    EDITS = "edits"
    """the fewest changed lines"""
    KEEP = "keep"
    """keep every step that can be kept, then add as cheaply as possible"""
    MOVE = "move"
    """the same, and a step may be kept at another place, which is one change; the total cost counts second"""
