"""Commands about many plans: batch, summary, eval with its suites, generate-prompts.

Open ``batch`` first. Each module adds its arguments and sets ``run``: files of records or answers come in; results,
tables and an exit code go out. ``eval`` hands on to the suites: ``acpbench``, ``planbench``, and ``eai`` with the
four of the Embodied Agent Interface.
"""
