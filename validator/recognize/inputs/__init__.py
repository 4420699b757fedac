"""What recognition is given, read from texts: goals, observations, whole data sets, traces and goals of flows."""
