"""Tool calls as plans: would this list of JSON calls run with these tools? ``check_tool_calls`` answers."""

from validator.flow.tools.check import check_tool_calls

__all__ = ["check_tool_calls"]
