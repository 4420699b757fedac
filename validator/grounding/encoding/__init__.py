"""A model as Fast Downward's translator reads it. Open ``encode`` first; ``declared`` has the types that it is told."""
