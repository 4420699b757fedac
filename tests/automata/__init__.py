"""Constraints as automata beside a grounded task."""
