"""Plans of models with numbers or trajectory constraints: the nearest one, the cheapest one, the nearest of these.

``answer.Asked`` comes in, ``answer.Answer`` goes out. Open ``nearest`` first, then ``race``: an exact search
(``search``), greedy ones below it (``first``), a bound by counting steps (``counting``), and installed engines.
"""
