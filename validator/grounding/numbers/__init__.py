"""Models with numbers or time, which Fast Downward does not take: reachable steps, states, what steps cost."""
