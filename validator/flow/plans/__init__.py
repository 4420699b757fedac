"""Plans of flows: read from text, printed for people, folded and unfolded, checked.

Texts and lines come in as tokens, and go out as lines again. Open ``tokens`` first: a line as a call, a question or a
constraint. ``shape`` takes the shorter forms that people write, ``checked`` goes to the model's steps and back.
"""
