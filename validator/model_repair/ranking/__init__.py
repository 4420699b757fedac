"""Repairs of the same size in order: how likely it is that somebody who writes a domain would have written each."""
