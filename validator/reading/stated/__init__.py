"""Plans that are no plan texts: given as a list or as JSON (``given``), or stated somewhere in a trace (``stated``)."""
