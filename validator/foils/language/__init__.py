"""How questions are written: steps with open arguments, conditions, and one language of texts, JSON and PDDL 3."""
