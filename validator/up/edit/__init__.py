"""The modified planning problem as an ordinary ``Problem`` of unified-planning; ``problem.edit_problem`` builds one."""
