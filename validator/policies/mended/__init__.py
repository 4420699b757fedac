"""The nearest run that keeps a policy: calls that may be added, lower bounds, the search, and its edits."""
