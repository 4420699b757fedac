"""The text of a domain: where its parts stand, edits written into it, the diff of two versions.

A text and edits come in; a text that keeps comments, layout and names, and its diff, go out. Open ``rewrite`` first.
``tree`` is the text as groups with their places, ``facts`` writes initial facts and objects into a problem, ``patch``
writes and applies diffs.
"""
