"""Conformance of plan validators: small PDDL models, plans, the verdict that PDDL gives, and why.

Only the standard library is imported, so that the folder runs alone: ``python -m tests.conformance`` in the project,
``python -m conformance`` in the archive of a release. Open ``cases`` first: a case, what is expected, and the source.
``validators`` has one command and one reading for each validator, ``runner`` starts and judges them, ``constructs``
names what a model uses, ``tables`` writes the pages.
"""
