"""What policies ask of the calls before a call: conditions, the formulas that they state, a history, evaluation."""
