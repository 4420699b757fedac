"""A guard where agents run: one module for each framework, which needs the package of its name.

Each takes a ``validator.guard.PlanGuard`` and puts it before every tool: a call that is denied is not made, and the
agent is told why and what would be right. ``validator.mcp.relay`` stands before any MCP server.
"""
