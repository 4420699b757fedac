"""The search over orders of starts and ends under which a plan executes, with few steps dropped and inserted.

``orders`` searches and ``nodes`` says how one place follows from another; ``bounds`` says what must be
changed at least, and ``network`` is the temporal network that every order is.
"""
