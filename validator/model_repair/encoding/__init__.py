"""Plans on a domain whose edits are open, as a propositional formula, and its cheapest assignment."""
