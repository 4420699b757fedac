"""How alike plans are by their steps alone: two plans, and the plans of a set. No model takes part."""
