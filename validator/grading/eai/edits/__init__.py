"""The nearest successful plan to an answer, as the smallest script of edits, and the classes of faults that it shows.

In come a world, a state, the goals and the answer's lines; out comes a ``Nearest``: how many edits lead to success,
with a proof or bounds, and one nearest script. Open ``nearest`` first; ``script`` defines edits and classes,
``relevance`` says which steps can change what is wrong, ``possible`` which can never run, ``proven`` classes faults.
"""
