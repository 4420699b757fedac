"""What can be edited: the parts of each action that may go, and the literals that may be put in.

A domain comes in, edits with their places go out. Open ``actions`` first: what can be removed. ``candidates`` says what
can be put in, ``applied`` makes edits in the values of a domain, without its text.
"""
