"""The nearest list of calls that runs: A* over edits of the calls, with the references as constraints.

Open ``search`` first: ``nearest_lists``. ``edits`` says which edits mend a fault and what they cost (``conversions``:
values in another form, ``catalogue``: which tools yield what), ``order`` how few calls have to be moved.
"""
