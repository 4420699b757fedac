"""Reports on plans for models beyond classical planning: decided by execution, compared by cost, repaired.

Plans of unified-planning that are neither sequences nor times are taken apart into such plans in ``up_kinds``.
"""
