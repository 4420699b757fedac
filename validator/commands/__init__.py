"""The subcommands of ``plan-validator``, one module each: ``add_arguments`` fills its parser and sets ``run``.

Words of the command line come in; a text and an exit code go out. Open ``plans.check`` first, the command that all
others are like. ``plans`` are about plans and models, ``agents`` about agents and what they did, ``grading`` about many
plans, ``tools`` for other programs; ``options`` has what they share.
"""
