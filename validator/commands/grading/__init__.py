"""Commands about many plans: batch, summary, eval with its suites, benchmark, survey, generate-prompts.

Open ``batch`` first. Each module has ``add_arguments``, which sets ``run``: files of records, answers or models come
in; results, tables and an exit code go out. ``eval`` hands on to the suites: ``acpbench``, ``planbench``, and the
Embodied Agent Interface's ``sequencing``, ``goal_interpretation`` and ``transition_modeling``, sharing ``answered``.
"""
