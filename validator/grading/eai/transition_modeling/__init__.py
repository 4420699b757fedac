"""Predicted PDDL operators against gold ones: logic matching, planning success, sensitivity.

The module "transition modeling" of the Embodied Agent Interface (Li et al. 2024), with the counts of its evaluator
available as they are (``original``) and the defects of those counts repaired by default.
"""
