"""The checks as tools for agents: the Model Context Protocol, over standard input and output or over HTTP."""
