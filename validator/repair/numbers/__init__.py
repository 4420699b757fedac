"""Repairs of plans with numbers or trajectory constraints, by an exact search of our own and engines beside it."""
