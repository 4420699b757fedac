"""Nearest plans of long plans by projections of the model, which is not grounded for them.

A simulator, tokens and limits come in, a ``Proved`` goes out. Open ``refine`` first: it tells more and more objects
apart, those first that the faults are about. ``task`` writes what all steps of the model do to them, by the
``invariants``: groups of atoms of which one holds.
"""
