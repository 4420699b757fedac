"""Fast Downward as processes, and the grounded task that its translator makes of a model.

A model that was prepared for execution comes in, a ``Task`` of facts and operators goes out, and plans with proven
bounds. Open ``task`` first: what a ``Task`` is; ``ground`` makes one. ``encode`` writes the model for the translator,
``axioms`` compiles them and conditional effects away, ``planner`` starts the processes and names the searches;
``relaxation`` says what can be reached when nothing is deleted. What Fast Downward cannot is done without it:
``states`` with numbers, ``relaxed_reachability``, ``action_costs``, and the ``classical_part`` of a model.
"""
