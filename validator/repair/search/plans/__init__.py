"""Searches for repairs that prove nothing: a first one, one fault by fault, and a better one change by change."""
