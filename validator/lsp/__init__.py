"""A language server: domains, problems and plans are checked as they are typed (extra ``lsp``).

Texts of an editor come in over standard input, findings, explanations and changes go out. Open ``server`` first: what
is answered to which request. ``documents`` finds the files that belong together, ``changes`` makes plans and domains
right.
"""
