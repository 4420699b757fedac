"""PlanBench's tasks that ask for more than a plan for the instance: what a prompt asks, and answers that are no plans.

A prompt in words comes in, what it asks for goes out (``prompt``, then ``asked``): a changed problem for reuse,
replanning and reformulated goals, the plan that is to be verified or executed. ``told`` reads what an
answer says of a plan, ``verification`` and ``states`` compare answers with what execution says; no planner takes part.
"""
