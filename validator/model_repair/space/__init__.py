"""What can be edited: the parts of each action that may go, and the literals that may be put in."""
