"""Reports on plans for models beyond classical planning: decided by execution, compared by cost, repaired."""
