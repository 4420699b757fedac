"""The page for people: the workbench, whose files are in ``static``.

``answers`` has the questions and what is shown of each; with ``forms`` it needs no service, as in the playground.
"""
