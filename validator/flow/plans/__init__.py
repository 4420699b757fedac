"""Plans of flows: read from text, printed for people, folded and unfolded, checked against a state."""
