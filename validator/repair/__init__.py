"""The nearest plan that has a quality: a planning problem of its own, solved, and every answer executed again.

A grounded ``Task``, the observed tokens and a policy come in; edits, a diff and a proof go out. Open ``edit`` first:
it says what the modified problem is. ``nearest`` solves it with the searches of ``search``; models with numbers have
their own search in ``numbers``, plans over time theirs in ``time``, models too large to be grounded theirs in
``parts``. ``diff`` prints edits as git does, ``cache`` keeps proven costs.
"""
