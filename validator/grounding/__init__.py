"""Fast Downward as processes, and the grounded task that its translator makes of a model.

A model that was prepared for execution comes in, a ``Task`` of facts and operators goes out, and plans with proven
bounds. Open ``task`` first: what a ``Task`` is; ``ground`` makes one. ``encode`` writes the model for the translator,
``axioms`` and ``conditional`` compile these away, ``planner`` starts the processes, ``strategies`` names the searches;
``relaxation`` says what can be reached when nothing is deleted, ``numbers`` does without Fast Downward what it cannot.
"""
