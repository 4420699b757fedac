"""The search that proves long plans with few faults: backwards from the end, in windows whose bounds add up.

A ``problem.Regression`` (the modified problem, read for search) comes in, a lower bound goes out, and edits of that
cost where they are found. Open ``prove`` first, then ``search``; ``estimate`` and ``profiles`` guide it.
"""
