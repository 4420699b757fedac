"""The checks as tools for agents: the Model Context Protocol, over standard input and output or over HTTP.

Calls with texts come in, plain values go out. Open ``tools`` first: each tool is one function. ``server`` offers
them, ``shapes`` says what they take and give, ``workers`` keeps each within its limits.
"""
