"""Lists of calls that are to be made: read in any form, and written back in the form that came in.

Open ``read`` first: ``read_list``; ``rewrite`` writes other calls in its place.
"""

from validator.reading.calls.lists.read import Form, Listed, ListedCalls, read_list

__all__ = ["Form", "Listed", "ListedCalls", "read_list"]
