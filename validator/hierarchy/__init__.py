"""Hierarchies: tasks that methods decompose into steps (HTN planning, read from HDDL).

A ``Hierarchy`` and a plan come in; what is wrong with a stated decomposition, or a decomposition of steps that state
none, comes out. Open ``values`` first. ``verify`` judges a decomposition, ``parse`` finds one where all subtasks are
totally ordered, ``search`` where they are not, ``nearest`` finds the fewest changes of a plan that give it one.
``hddl`` reads models, ``values`` has plans as PANDA prints them; ``state_history`` says what holds along a plan.
"""
