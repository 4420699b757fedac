"""Plans of models with numbers or trajectory constraints: the nearest one, the cheapest one, the nearest of these.

``NumericQuestion`` comes in, ``NumericRepair`` goes out. Open ``nearest`` first: an exact search (``search``), and
one by ``greedy``, guided by a relaxation: ``relaxation`` says how far a state is from the goal, ``needs`` what
conditions and effects come to once objects are known. Only the exact search proves anything.
"""
