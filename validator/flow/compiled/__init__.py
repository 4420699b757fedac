"""A flow as a planning model: ``compile`` writes one PDDL action for each way to do a visible step."""
