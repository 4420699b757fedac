"""Tool calls as plans: would this list of JSON calls run with these tools? ``check_tool_calls`` answers."""
