"""The searches for a nearest classical plan, side by side: a first repair, a better one, and the proofs.

A modified problem (``edit.EditTask``) comes in with what is known of it, an answer with edits and a lower bound goes
out. Open ``race`` first: it says which search begins when. ``standing`` is what all of them add to: the best plan, each
executed before it counts, and the bound. Searches of this program are ``small``, ``backward`` and ``sweep``; plans
come from ``first``, ``bridge`` and ``polish`` as well.
"""
