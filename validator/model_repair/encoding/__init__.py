"""Plans on a domain whose edits are open, as a propositional formula, and its cheapest assignment.

Cases and the space of edits come in, the cheapest edits with their proof go out. Open ``instance`` first: all plans
together. ``unrolled`` is one plan as a circuit of open edits (``circuit``, ``uses``, ``numbers``), ``maxsat`` solves.
"""
