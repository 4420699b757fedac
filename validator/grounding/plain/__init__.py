"""Tasks without axioms and conditional effects, out of tasks with them: which only few proofs of a search know.

A grounded task comes in, one with the same plans at the same costs goes out. ``axioms`` and ``conditional`` write each
way in which a value is derived, or effects fire, as an operator of its own, ``absent`` says that a value is not there
in one condition; ``limits`` is how many that may be. ``compile_away`` beside this folder calls them.
"""
