"""Searches of our own for the costs of all goals at once, over states of the grounded task or with numbers."""
