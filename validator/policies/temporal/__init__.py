"""What policies ask of the calls before a call: conditions, the formulas that they state, and evaluation."""
