"""Calls executed on a planning model: with facts alone, with numbers and constraints, and what is still asked for."""
