"""Faults that keep a domain from being read, or a plan's steps from being steps of it, mended before it is repaired.

The texts of a domain and its problems, and plans, come in; texts that can be read, and each mend in words, go out. Open
``error_recovery`` first: fault by fault. ``names`` has the ways to change a name or an atom, ``fit`` those to fit the
plans.
"""
