"""PDDL: reading domains and problems, and printing models for a planner."""

from validator.pddl.read import read_domain, read_model, read_problem

__all__ = ["read_domain", "read_model", "read_problem"]
