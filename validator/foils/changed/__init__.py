"""Questions that change the model: without an object or a fact, with other goals; what would have to be otherwise.

``changes`` are the questions, each a function from a model to a model. ``worlds`` keeps the models made so, grounded.
``excuses`` finds the fewest initial facts without which, or with which, there would be a plan.
"""
