"""Tool calls as plans: would this list of JSON calls run with these tools? ``check_tool_calls`` answers.

Tools and calls as providers write them come in, a report with the nearest list that runs goes out. Open ``check``
first. ``specifications`` and ``schema`` read tools, ``validation`` judges values by JSON Schema, ``calls`` reads calls
and their references, ``faults`` finds what is wrong, ``repair`` mends it, and ``order`` puts calls in order and proves
how many change.
"""

from validator.flow.tools.check import check_tool_calls

__all__ = ["check_tool_calls"]
