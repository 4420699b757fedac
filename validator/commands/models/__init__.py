"""Commands about models: the bundled ones, how a domain is said in words, the repair of a domain, a first flow.

Open ``repair_model`` first. Each module has ``add_arguments``, which sets ``run``: files of models, plans or runs come
in, a text and an exit code go out.
"""
