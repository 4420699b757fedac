"""Plans of models with numbers or trajectory constraints: the nearest one, the cheapest one, the nearest of these.

``nearest.Asked`` comes in, ``nearest.Answer`` goes out. Open ``nearest`` first: an exact search (``search``), and a
greedy one (``validator.repair.greedy``).
"""
