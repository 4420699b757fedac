"""Plug-ins for other packages, one module each; each needs the package of its name.

Open ``unified_planning`` first: ``register`` adds the engine ``plan-validator``. GAICO and DeepEval are never
installed with this package: their values come in, a metric of theirs goes out.
"""
