"""Action sequencing: sequences executed, and the first fault put into a class, as the benchmark does or proven.

A task and an answer come in, a verdict with the goals that are reached goes out. Open ``sequencing`` first.
``taxonomy`` has the classes and the benchmark's way to tell them apart, ``proven`` tells them by the nearest successful
plan.
"""
