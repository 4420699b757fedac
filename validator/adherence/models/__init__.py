"""What a model says of planned steps and executed calls: PDDL, unified-planning problems, flows."""
