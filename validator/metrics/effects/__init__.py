"""How alike two plans are by what they do in a model: states, costs, causal links, partial orders."""
