"""Commands about agents: adhere, conform, compare, recognize, guard, repair-loop, and ways in: serve, mcp.

Open ``adhere`` first. Each module has ``add_arguments``, which sets ``run``: traces, observations or drafts come in, a
text and an exit code go out; ``serve``, ``mcp`` and ``guard`` run until they are ended.
"""
