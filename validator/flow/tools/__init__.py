"""Tool calls as plans: would this list of JSON calls run with these tools? ``check_tool_calls`` answers.

Tools and calls as providers write them come in, a report with the nearest list that runs goes out. Open ``check``
first. ``declared`` reads tools, ``listed`` reads calls and finds their faults, ``mended`` looks for the nearest list,
``told`` gives it back in the form that came in. ``unrecorded`` and ``arrange`` are for traces of flows.
"""

from validator.flow.tools.check import check_tool_calls

__all__ = ["check_tool_calls"]
