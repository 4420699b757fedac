"""The subcommands of ``plan-validator``, one module each: ``add_arguments`` fills its parser and sets ``run``."""
