"""Commands about agents: adhere, compare, recognize, repair-loop, and the ways in for them: serve, mcp."""
