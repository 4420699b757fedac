"""What recognition asks of the planner: one grounding for all goals, modified problems, searches that stop early."""
