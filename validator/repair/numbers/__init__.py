"""Plans of models with numbers or trajectory constraints: the nearest one, the cheapest one, the nearest of these.

``nearest.Asked`` comes in, ``nearest.Answer`` goes out. Open ``nearest`` first: an exact search (``search``), a greedy
one below it (``first``), a bound by counting steps (``counting``).
"""
