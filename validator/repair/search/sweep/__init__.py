"""The proof for plans of some dozens of steps: place by place through the plan, with bounds of all variables added up.

A ``Regression`` (the modified problem, read for search) comes in, a lower bound goes out, and edits of that cost where
they are found. Open ``proof`` first. ``partition`` shares the price of each change among the variables, so that what
they cost adds up; ``program`` does so by a linear program, whose answers tell which variables to join (``joined``);
``layers`` goes through the plan with all states at a place at once. Where every step can be undone, ``ends`` needs no
bounds: it searches from both ends.
"""
