"""Plug-ins for other packages, one module each; each needs the package of its name.

Open ``unified_planning`` first: ``register`` adds the engine ``plan-validator``. GAICO, DeepEval and NL2Flow are
never installed with this package: their values come in, and a metric, a plan or a report of theirs goes out.
"""
