"""Answers to questions about actions, change and plans, as ACPBench asks them (Kokel et al. 2025).

Questions in ACPBench's layout and answers come in, grades with their reasons go out. Open ``evaluation`` first: one
answer decided on the model. ``questions`` reads the data, ``grades`` counts.
"""
