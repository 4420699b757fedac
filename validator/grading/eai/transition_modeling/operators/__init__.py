"""Operators that a model wrote: found in its text, read, compared with the gold ones part by part, counted."""
