"""Searches for the nearest plan of a small model, for a first repair, and for a cheaper plan."""
