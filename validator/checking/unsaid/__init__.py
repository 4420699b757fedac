"""Plans that leave arguments out: ``completing`` tells what they are by execution, ``fillings`` one step in a state."""
