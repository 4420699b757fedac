"""Hierarchical models: what is read, what is right with a decomposition, whether there is one, what is nearest."""
