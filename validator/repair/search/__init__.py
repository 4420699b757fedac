"""Searches that need no proof of another: of a small model in this process, for a first plan, for a cheaper one."""
