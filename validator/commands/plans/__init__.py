"""Commands about plans and models: check, read, plan, apply, redundant, why-not, calls, repair-model, domains.

Open ``check`` first. Each module has ``add_arguments``, which sets ``run``: words of the command line come in, a text
and an exit code go out.
"""
