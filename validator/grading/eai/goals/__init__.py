"""Goals of the Embodied Agent Interface: the goal language, goals read from instructions, subgoals."""
