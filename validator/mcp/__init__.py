"""The checks as tools for agents: the Model Context Protocol, over standard input and output or over HTTP.

Calls with texts come in, plain values go out. Open ``tools`` first: each tool is a question. ``server`` offers them,
``workers`` keeps each call within its limits, ``results`` cuts long answers. ``relay`` stands as a guard before any
other server.
"""
