"""Commands about one plan or one model: check, plan, apply, redundant, why-not, calls, test, domains."""
