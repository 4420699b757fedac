"""Plans that are no plan texts: given as a list or as JSON, or stated in a trace. Open ``plan_statement`` first."""
