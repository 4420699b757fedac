"""Commands about one plan: check, read, plan, apply, redundant, why-not, calls, test."""
