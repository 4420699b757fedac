"""The plans that a text may mean: a text and the names of a model in, a ``Reading`` of several candidates out.

``text`` is the one way, chats and transcripts included, through ``notation``, which asks the values of the text and its
lines. What was found becomes a ``candidate`` with what was not understood of it. Open ``text`` first.
"""
