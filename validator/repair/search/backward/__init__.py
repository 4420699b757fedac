"""The proof for long plans: backward search in the modified problem, with lower bounds that add up along the plan.

An ``EditTask`` comes in, a lower bound goes out, and edits of that cost where they are found. Open ``proof`` first: it
raises the bound window by window, as ``windows`` cuts the plan. ``search`` looks at nodes of ``regression``, in the
``order`` that spares the others; ``estimate`` bounds what a node costs, by the ``projection`` on each variable.
"""
