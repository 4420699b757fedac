"""The guard: says of each tool call, before it is made, whether it may be made, and what would be right instead.

Policies, a model or a plan come in once, then a call at a time; a ``Decision`` goes out, without any search. Open
``guard`` first; ``inputs`` makes a policy of a plan, ``decision`` looks for what would be right.
"""

from validator.guard.decision import Decision, NotUnderstood, Rest, UnknownNames
from validator.guard.guard import PlanGuard

__all__ = ["Decision", "NotUnderstood", "PlanGuard", "Rest", "UnknownNames"]
