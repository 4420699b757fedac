"""Questions made of any classical model, each with a key that is proven; problems that nobody has seen before.

A model and a seed come in, questions and the number of those that were left out go out. ``fresh`` makes problems of a
stated difficulty, ``words`` says a model in words, ``questions`` chooses what is asked and proves the keys.
"""
