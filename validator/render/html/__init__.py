"""Pages without script and without net: a report, the course of a plan, and what every page has in common."""
