"""The benchmarks of ``plan-validator eval``, a module each: a name in ``eval.SUITES``, its arguments, its report."""
