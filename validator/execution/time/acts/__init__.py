"""What takes place at one time: the parts of an act, what they change, and which acts may not meet."""
