"""Repairs of the same size in order: how likely it is that somebody who writes a domain would have written each.

Repairs and a domain come in; the same in order, with what speaks for and against each, go out. Open ``order`` first.
``features`` and ``runs`` say what can be seen of a literal in the domain and where the plan runs, ``context`` counts
the domain's literals, ``weights`` says how much each sight counts.
"""
