"""Commands about one plan or one model: check, plan, apply, repair-model, redundant, why-not, calls, test, domains."""
