"""The tasks: VirtualHome's scene graphs and BEHAVIOR's problems as states of the bundled domains.

The benchmark's files come in; tasks with a state, goals and what counts as a fault go out. Open ``pddl_tasks`` first,
the plainest kind. ``virtualhome`` (from ``scene_graphs``, graded by ``household``) and ``behavior`` are the others.
"""
