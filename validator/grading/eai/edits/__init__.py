"""The nearest successful plan to an answer, as the smallest script of edits, and the classes of faults that it shows.

In come a world, a state, the goals and the answer's lines; out comes a ``Nearest``: how many edits lead to success,
with a proof or bounds, and one nearest script. Open ``nearest.py`` first; ``script.py`` defines edits and classes,
``transitions.py`` remembers executed steps, ``relevance.py`` says which steps can change what is wrong.
"""
