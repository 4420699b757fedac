"""The nearest list of calls that runs: a search over edits of the calls, with the references as constraints.

Open ``search`` first: ``nearest_lists``; ``edits`` says what an edit is and costs, ``ways`` which ones mend a fault
(with ``results``, ``arguments`` and ``new_calls``), ``order`` how few calls have to be moved, ``catalogue`` which tools
yield what.
"""
