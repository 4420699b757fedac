"""Animations: the states of a plan as pictures, as a Planimation profile says (Chen et al. 2019, planning.domains).

A profile in PDDL's syntax and the states of a plan come in, elements of SVG go out. ``profile`` reads the profile,
``scene`` places the objects of a state, ``frames`` draws the plan and its repair side by side.
"""
