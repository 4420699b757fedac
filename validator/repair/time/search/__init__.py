"""The search over orders of starts and ends under which a plan executes, with few steps dropped and inserted.

``orders`` searches, and ``greedy`` for a first plan; ``nodes`` says how one place follows from another, ``bounds`` what
must be changed at least, and ``network`` is the temporal network that every order is.
"""
