"""What recognition asks the planner: one grounding for all goals, observations compiled, searches that stop early."""
