"""The benchmarks of ``plan-validator eval``, a module each: a name in ``eval.SUITES``, its arguments, its report.

Open ``planbench`` or ``acpbench`` first, which stand alone. The four others are the Embodied Agent Interface, and share
``answered`` and ``graded`` of the folder above. Answers come in; tables, files of results and an exit code go out.
"""
