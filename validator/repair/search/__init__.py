"""The searches for a nearest classical plan, side by side: a first repair, a better one, and the proofs."""
