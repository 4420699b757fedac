"""A plan of a model with numbers, soon: greedy search in the states that steps lead to, guided by a relaxation.

A model, its ground steps and a state come in; a plan goes out, executed by the caller before it counts. Nothing is
proven here. Open ``search`` first; ``relaxation`` says how far a state is from the goal, ``needs`` what conditions and
effects come to once objects are known.
"""
