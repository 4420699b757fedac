"""Questions as planning problems: constraints as automata, their costs, and the minimal conflicts among them."""
