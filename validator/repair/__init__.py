"""The nearest plan that has a quality: a planning problem of its own, solved, and every answer executed again.

A grounded ``Task``, the observed tokens and a policy come in; edits, a diff and a proof go out. Open ``edit`` first:
it says what the modified problem is. ``nearest`` says which search comes when; ``search`` has those for small models
and first repairs, ``projection`` that for long plans, ``provers`` those of the grounded model, of which
``cost_partitioning`` is ours. Models with numbers have their own search in ``numbers``, plans over time theirs in
``time``. ``diff`` prints edits as git does.
"""
