"""The search that proves nearest plans: place by place through the plan, with bounds of all variables added up.

A ``problem.Problem`` (the modified problem, read for search) comes in, a lower bound goes out, and edits of that cost
where they are found. Open ``prove`` first. ``partition`` shares the price of each change among the variables, so that
what they cost adds up; ``layers`` goes through the plan with all states at a place at once.
"""
