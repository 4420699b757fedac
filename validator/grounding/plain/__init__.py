"""Tasks without axioms and conditional effects, out of tasks with them."""
