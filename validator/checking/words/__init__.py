"""Plans told in words: clauses in, a ``Meaning`` out, which says whether the plan has the quality and by which steps.

Open ``meaning`` first: it follows the clauses through the states. ``repetition`` finds steps that are told twice,
``rivals`` finds steps that may be the plan instead, ``settling`` asks what would settle a plan that is not understood.
"""
