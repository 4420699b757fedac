"""Repairs in models too large to be grounded: in a part that is about the faults, which grows.

A simulator, tokens and limits come in, a ``Repair`` goes out. Open ``growing`` first. ``part`` cuts a
model down to chosen steps, ``concerned`` says which objects the faults are about, ``conflicts`` what any repair in the
whole model changes at least. ``projecting`` finds and proves repairs of long plans before any model is grounded:
``projected`` writes what all steps of the whole do to a few objects, by the ``groups`` of atoms of which one holds.
"""
